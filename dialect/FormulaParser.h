// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas in infix, as they stand in geo.formula.
#ifndef GEOC_DIALECT_FORMULAPARSER_H
#define GEOC_DIALECT_FORMULAPARSER_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringMap.h"

namespace geo {

/// What a formula sees of the page around it.
struct FormulaScope {
  /// The curvatures, which are numbers.
  llvm::SmallVector<llvm::StringRef> curvatures;
  /// Formulas above, by name: true if the result is a row.
  llvm::StringMap<bool> formulas;
};

/// The file that is parsed.
llvm::StringRef getFileName(mlir::OpAsmParser &parser);

/// Parses into `block`, whose arguments go by `names`, either `= expression` or
/// `{ let name = expression ... yield expression, ... }`. The `=` or `{` comes
/// next. The block ends in geo.yield.
///
///   expression := sum
///   sum        := product (("+" | "-") product)*
///   product    := sign (("*" | "/") sign)*
///   sign       := "-" sign | primary
///   primary    := number | name | name "(" arguments ")" | "(" expression ")"
///   number     := an integer or float of MLIR, also 1e-30
///
/// `select(a < b, p, q)` takes a comparison (`<` or `>`) first.
mlir::ParseResult parseInfixFormula(mlir::OpAsmParser &parser,
                                    mlir::Block &block,
                                    llvm::ArrayRef<llvm::StringRef> names,
                                    const FormulaScope &scope);

} // namespace geo

#endif // GEOC_DIALECT_FORMULAPARSER_H
