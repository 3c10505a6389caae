// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/FormulaParser.h"
#include "dialect/InfixParser.h"
#include "llvm/ADT/ScopeExit.h"
#include <cmath>

using namespace mlir;
using namespace geo;

Ex InfixParser::toNumber(Term term) {
  if (!term.isLiteral())
    return term.ex;
  return {b, arith::ConstantOp::create(b, b.getF64FloatAttr(term.literal))};
}

FailureOr<Term> InfixParser::combine(char symbol, Term left, Term right) {
  auto apply = [&](auto x, auto y) {
    switch (symbol) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    default:
      return x / y;
    }
  };
  if (left.isLiteral() && right.isLiteral())
    return Term{apply(left.literal, right.literal), {}};
  bool scales = symbol == '*' || symbol == '/';
  if (left.isLiteral()) {
    // A row is divided element by element; otherwise it is scaled.
    Ex x = symbol == '*' ? right.ex.number(left.literal)
                         : right.ex.constant(left.literal);
    return Term{0, apply(x, right.ex)};
  }
  if (right.isLiteral()) {
    if (symbol == '/' && left.ex.isRow())
      return Term{0, left.ex * left.ex.number(1 / right.literal)};
    Ex y = scales ? left.ex.number(right.literal)
                  : left.ex.constant(right.literal);
    return Term{0, apply(left.ex, y)};
  }
  return Term{0, apply(left.ex, right.ex)};
}

FailureOr<Term> InfixParser::parseSum() {
  Result left = parseProduct();
  while (succeeded(left)) {
    SMLoc loc = parser.getCurrentLocation();
    char symbol;
    if (succeeded(parser.parseOptionalPlus()))
      symbol = '+';
    else if (succeeded(parser.parseOptionalMinus()))
      symbol = '-';
    else
      return left;
    Result right = parseProduct();
    if (failed(right))
      return failure();
    locate(loc);
    left = combine(symbol, *left, *right);
  }
  return left;
}

FailureOr<Term> InfixParser::parseProduct() {
  Result left = parseSign();
  while (succeeded(left)) {
    SMLoc loc = parser.getCurrentLocation();
    char symbol;
    if (succeeded(parser.parseOptionalStar()))
      symbol = '*';
    else if (succeeded(parser.parseOptionalSlash()))
      symbol = '/';
    else
      return left;
    Result right = parseSign();
    if (failed(right))
      return failure();
    locate(loc);
    left = combine(symbol, *left, *right);
  }
  return left;
}

FailureOr<Term> InfixParser::parseSign() {
  SMLoc loc = parser.getCurrentLocation();
  if (depth == maxDepth)
    return error(loc) << "expects expressions to nest at most " << maxDepth
                      << " deep";
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  if (failed(parser.parseOptionalMinus()))
    return parsePrimary();
  Result term = parseSign();
  if (failed(term))
    return failure();
  if (term->isLiteral())
    return Term{-term->literal, {}};
  locate(loc);
  return Term{0, -term->ex};
}

FailureOr<Term> InfixParser::parsePrimary() {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen())) {
    Result term = parseSum();
    if (failed(term) || parser.parseRParen())
      return failure();
    return term;
  }
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    return name == "select" ? parseSelect(loc) : parseNamed(name, loc);
  return parseNumber();
}

FailureOr<Term> InfixParser::parseNumber() {
  SMLoc loc = parser.getCurrentLocation();
  APInt integer;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (!isInteger.has_value()) {
    double number;
    if (parser.parseFloat(number))
      return failure();
    return Term{number, {}};
  }
  if (failed(*isInteger))
    return failure();
  // MLIR reads 1e-30 as 1, e, - and 30, with nothing between.
  const char *end = loc.getPointer();
  auto skipDigits = [&] {
    const char *start = end;
    while (llvm::isDigit(*end))
      ++end;
    return end != start;
  };
  bool isDecimal = skipDigits() && (*end == 'e' || *end == 'E');
  if (!isDecimal)
    return Term{integer.roundToDouble(/*isSigned=*/true), {}};
  ++end;
  if (*end == '-' || *end == '+')
    ++end;
  StringRef word;
  if (!skipDigits() || llvm::isAlnum(*end) || StringRef("_.$").contains(*end))
    return error(loc) << "expects digits after the e of a number";
  if (parser.parseKeyword(&word))
    return failure();
  if (word.size() == 1) { // a sign follows
    if (failed(parser.parseOptionalMinus()) && parser.parseOptionalPlus())
      return failure();
    if (parser.parseInteger(integer))
      return failure();
  }
  double number;
  if (StringRef(loc.getPointer(), end - loc.getPointer()).getAsDouble(number) ||
      std::isinf(number))
    return error(loc) << "expects a number that a double holds";
  return Term{number, {}};
}

FailureOr<Term> InfixParser::parseNamed(StringRef name, SMLoc loc) {
  if (failed(parser.parseOptionalLParen())) {
    auto it = values.find(name);
    if (it == values.end())
      return error(loc) << "expects an argument, a curvature or a name that "
                           "let gave above, but got "
                        << name;
    return it->second;
  }
  SmallVector<Term> arguments;
  if (failed(parser.parseOptionalRParen())) {
    do {
      Result argument = parseSum();
      if (failed(argument))
        return failure();
      arguments.push_back(*argument);
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRParen())
      return failure();
  }
  locate(loc);
  bool known = false;
  Result result = callBuiltin(name, arguments, loc, known);
  return known ? result : callFormula(name, arguments, loc);
}

ParseResult InfixParser::parseYield(bool single) {
  SmallVector<Value> yielded;
  do {
    Result term = parseSum();
    if (failed(term))
      return failure();
    yielded.push_back(toNumber(*term).get());
  } while (!single && succeeded(parser.parseOptionalComma()));
  YieldOp::create(b, yielded);
  return success();
}

ParseResult InfixParser::parse() {
  if (succeeded(parser.parseOptionalEqual()))
    return parseYield(/*single=*/true);
  if (parser.parseLBrace())
    return failure();
  while (succeeded(parser.parseOptionalKeyword("let"))) {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (values.contains(name))
      return error(loc) << "expects a new name after let, but got " << name;
    Result term = parseSum();
    if (failed(term))
      return failure();
    values[name] = *term;
  }
  if (parser.parseKeyword("yield", " or let in a formula") ||
      parseYield(/*single=*/false))
    return failure();
  return parser.parseRBrace();
}

StringRef geo::getFileName(OpAsmParser &parser) {
  Location loc = parser.getEncodedSourceLoc(parser.getCurrentLocation());
  auto place = dyn_cast<FileLineColLoc>(loc);
  return place ? place.getFilename().getValue() : StringRef();
}

ParseResult geo::parseInfixFormula(OpAsmParser &parser, Block &block,
                                   ArrayRef<StringRef> names,
                                   const FormulaScope &scope) {
  return InfixParser(parser, block, names, scope).parse();
}
