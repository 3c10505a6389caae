// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/FormulaParser.h"
#include "dialect/Geo.h"
#include "dialect/Signatures.h"
#include "llvm/ADT/ScopeExit.h"
#include <cmath>

using namespace mlir;
using namespace geo;

namespace {

/// A literal, which takes its type from what it meets, or an expression.
struct Term {
  double literal = 0;
  Ex ex;
  bool isLiteral() const { return !ex; }
};

class InfixParser {
public:
  InfixParser(OpAsmParser &parser, Block &block, ArrayRef<StringRef> names,
              const FormulaScope &scope)
      : parser(parser), scope(scope),
        b(parser.getEncodedSourceLoc(parser.getCurrentLocation()),
          parser.getContext()) {
    b.setInsertionPointToEnd(&block);
    for (auto [name, argument] : llvm::zip(names, block.getArguments()))
      values[name] = Term{0, Ex(b, argument)};
  }

  ParseResult parse();

private:
  using Result = FailureOr<Term>;
  Result parseSum();
  Result parseProduct();
  Result parseSign();
  Result parsePrimary();
  Result parseNumber();
  Result parseSelect(SMLoc loc);
  Result parseNamed(StringRef name, SMLoc loc);
  Result callBuiltin(StringRef name, ArrayRef<Term> arguments, SMLoc loc,
                     bool &known);
  Result callFormula(StringRef name, ArrayRef<Term> arguments, SMLoc loc);
  Result combine(char symbol, Term left, Term right);
  ParseResult parseYield(bool single);
  void locate(SMLoc loc) { b.setLoc(parser.getEncodedSourceLoc(loc)); }
  /// A literal as a number beside numbers.
  Ex toNumber(Term term);
  InFlightDiagnostic error(SMLoc loc) { return parser.emitError(loc); }

  OpAsmParser &parser;
  const FormulaScope &scope;
  ImplicitLocOpBuilder b;
  llvm::StringMap<Term> values;
  static constexpr unsigned maxDepth = 256;
  unsigned depth = 0; ///< of parentheses, arguments and signs
};

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

FailureOr<Term> InfixParser::parseSelect(SMLoc loc) {
  if (parser.parseLParen())
    return failure();
  Result left = parseSum();
  if (failed(left))
    return failure();
  bool isGreater = succeeded(parser.parseOptionalGreater());
  if (!isGreater && parser.parseLess())
    return failure();
  Result right = parseSum();
  if (failed(right) || parser.parseComma())
    return failure();
  Result ifTrue = parseSum();
  if (failed(ifTrue) || parser.parseComma())
    return failure();
  Result ifFalse = parseSum();
  if (failed(ifFalse) || parser.parseRParen())
    return failure();
  locate(loc);
  auto isRow = [](const Result &t) { return !t->isLiteral() && t->ex.isRow(); };
  if (isRow(left) || isRow(right))
    return error(loc) << "expects select to compare numbers, but got a row";
  Ex condition = isGreater ? less(toNumber(*right), toNumber(*left))
                           : less(toNumber(*left), toNumber(*right));
  // A literal beside a row is a row of equal elements.
  auto like = [&](const Result &t, const Result &other) {
    return t->isLiteral() && isRow(other) ? other->ex.constant(t->literal)
                                          : toNumber(*t);
  };
  Ex p = like(ifTrue, ifFalse), q = like(ifFalse, ifTrue);
  if (p.get().getType() != q.get().getType())
    return error(loc) << "expects select to choose between two rows or two "
                         "numbers, but got one of each";
  return Term{0, select(condition, p, q)};
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

/// The functions of one number, and those of rows.
FailureOr<Term> InfixParser::callBuiltin(StringRef name,
                                         ArrayRef<Term> arguments, SMLoc loc,
                                         bool &known) {
  using Unary = Ex (*)(Ex);
  static const llvm::StringMap<Unary> onNumbers = {
      {"sqrt", geo::sqrt}, {"exp", geo::exp},   {"log", geo::log},
      {"tanh", geo::tanh}, {"asin", geo::asin}, {"sin", geo::sin},
      {"cos", geo::cos},   {"tanhc", tanhc},    {"artanhc", artanhc},
      {"asinhc", asinhc},  {"sinhc", sinhc},    {"coshq", coshq},
      {"sinc", sinc},      {"cosq", cosq},      {"asinc", asinc}};
  static const llvm::StringMap<Unary> onRows = {
      {"sqnorm", sqnorm}, {"epsilon", epsilon}, {"length", rowLength}};
  bool isBinary = name == "dot" || name == "max" || name == "min";
  size_t count = isBinary ? 2 : 1;
  auto number = onNumbers.find(name);
  auto row = onRows.find(name);
  known = number != onNumbers.end() || row != onRows.end() || name == "dot" ||
          name == "detach" || name == "max" || name == "min";
  if (!known)
    return Term{};
  if (arguments.size() != count)
    return error(loc) << "expects " << count << " argument"
                      << (count == 1 ? "" : "s") << " of " << name
                      << ", but got " << arguments.size();
  auto isRow = [](const Term &t) { return !t.isLiteral() && t.ex.isRow(); };
  if (number != onNumbers.end()) {
    // exp, log, sqrt, sin, ... of a row go element by element; the even
    // functions are of squared norms, which are numbers.
    bool elementwise = !symbolizeEvenFn(name);
    if (isRow(arguments[0]) && !elementwise)
      return error(loc) << "expects a number as the argument of " << name
                        << ", a function of the squared norm, but got a row";
    return Term{0, number->second(toNumber(arguments[0]))};
  }
  if (name == "detach")
    return Term{0, detach(toNumber(arguments[0]))};
  if (name == "max" || name == "min") {
    auto like = [&](unsigned i) {
      return arguments[i].isLiteral() && !arguments[1 - i].isLiteral()
                 ? arguments[1 - i].ex.constant(arguments[i].literal)
                 : toNumber(arguments[i]);
    };
    Ex x = like(0), y = like(1);
    return Term{0, name == "max" ? geo::max(x, y) : geo::min(x, y)};
  }
  for (const Term &argument : arguments)
    if (!isRow(argument))
      return error(loc) << "expects a row as the argument of " << name
                        << ", but got a number";
  if (row != onRows.end())
    return Term{0, row->second(arguments[0].ex)};
  return Term{0, dot(arguments[0].ex, arguments[1].ex)};
}

/// A formula of the page, a standard one, or `page.formula` of a built-in page.
FailureOr<Term> InfixParser::callFormula(StringRef name,
                                         ArrayRef<Term> arguments, SMLoc loc) {
  MLIRContext *context = parser.getContext();
  auto [pageName, formula] = name.split('.');
  SymbolRefAttr callee = FlatSymbolRefAttr::get(context, name);
  const Signature *signature = getSignature(name);
  std::optional<bool> isRow;
  if (!formula.empty()) {
    auto inner = FlatSymbolRefAttr::get(context, formula);
    callee = SymbolRefAttr::get(context, pageName, inner);
    signature = getSignature(formula);
    auto *dialect = context->getOrLoadDialect<GeoDialect>();
    if (ManifoldOp page = dialect->getBuiltinPage(pageName))
      if (FormulaOp found = lookupFormula(page, formula))
        isRow = isa<VectorType>(found.getResult().getType());
  } else if (auto it = scope.formulas.find(name); it != scope.formulas.end()) {
    isRow = it->second;
  }
  if (!isRow && signature)
    isRow = signature->result != Role::number;
  if (!isRow && formula.empty())
    isRow = context->getOrLoadDialect<GeoDialect>()->yieldsRow(
        getFileName(parser), name);
  if (!isRow)
    return error(loc) << "expects a function, a formula above or a standard "
                         "one, but got "
                      << name;
  SmallVector<Value> operands;
  for (const Term &argument : arguments)
    operands.push_back(toNumber(argument).get());
  Type type =
      *isRow ? Type(FormulaOp::getAnyRowType(context)) : Type(b.getF64Type());
  return Term{0, Ex(b, CallOp::create(b, type, callee, operands))};
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

} // namespace

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
