// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser of formulas in infix; not a public header.
#ifndef GEOC_DIALECT_INFIXPARSER_H
#define GEOC_DIALECT_INFIXPARSER_H

#include "dialect/FormulaParser.h"
#include "dialect/Geo.h"

namespace geo {

/// A literal, which takes its type from what it meets, or an expression.
struct Term {
  double literal = 0;
  Ex ex;
  bool isLiteral() const { return !ex; }
};

/// One formula: tokens to ops of a block.
class InfixParser {
public:
  InfixParser(mlir::OpAsmParser &parser, mlir::Block &block,
              llvm::ArrayRef<llvm::StringRef> names, const FormulaScope &scope)
      : parser(parser), scope(scope),
        b(parser.getEncodedSourceLoc(parser.getCurrentLocation()),
          parser.getContext()) {
    b.setInsertionPointToEnd(&block);
    for (auto [name, argument] : llvm::zip(names, block.getArguments()))
      values[name] = Term{0, Ex(b, argument)};
  }

  mlir::ParseResult parse();

private:
  using Result = mlir::FailureOr<Term>;
  Result parseSum();
  Result parseProduct();
  Result parseSign();
  Result parsePrimary();
  Result parseNumber();
  Result parseSelect(llvm::SMLoc loc);
  Result parseNamed(llvm::StringRef name, llvm::SMLoc loc);
  Result callBuiltin(llvm::StringRef name, llvm::ArrayRef<Term> arguments,
                     llvm::SMLoc loc, bool &known);
  Result callFormula(llvm::StringRef name, llvm::ArrayRef<Term> arguments,
                     llvm::SMLoc loc);
  Result combine(char symbol, Term left, Term right);
  mlir::ParseResult parseYield(bool single);
  void locate(llvm::SMLoc loc) { b.setLoc(parser.getEncodedSourceLoc(loc)); }
  /// A literal as a number beside numbers.
  Ex toNumber(Term term);
  mlir::InFlightDiagnostic error(llvm::SMLoc loc) {
    return parser.emitError(loc);
  }

  mlir::OpAsmParser &parser;
  const FormulaScope &scope;
  mlir::ImplicitLocOpBuilder b;
  llvm::StringMap<Term> values;
  static constexpr unsigned maxDepth = 256;
  unsigned depth = 0; ///< of parentheses, arguments and signs
};

} // namespace geo

#endif // GEOC_DIALECT_INFIXPARSER_H
