// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What formulas call: select, functions and other formulas.
#include "dialect/InfixParser.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

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
