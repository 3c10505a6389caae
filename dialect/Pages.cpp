// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.manifold and geo.formula: syntax and constraints.
#include "dialect/FormulaParser.h"
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

//===----------------------------------------------------------------------===//
// geo.formula
//===----------------------------------------------------------------------===//

VectorType FormulaOp::getAnyRowType(MLIRContext *context) {
  return VectorType::get({1}, Float64Type::get(context), {true});
}

Value FormulaOp::getResult() {
  return getBlock().getTerminator()->getOperand(0);
}

void FormulaOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  auto page = dyn_cast_or_null<ManifoldOp>((*this)->getParentOp());
  SmallVector<StringRef> names;
  for (Attribute name : getArgNames())
    names.push_back(cast<StringAttr>(name).getValue());
  if (page)
    for (Attribute name : page.getCurvatures())
      names.push_back(cast<StringAttr>(name).getValue());
  names.push_back("ct");
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}

/// `row`, `column` or `number`.
static ParseResult parseKind(OpAsmParser &parser, StringRef &kind, Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColon() || parser.parseKeyword(&kind))
    return failure();
  if (kind == "row" || kind == "column")
    type = FormulaOp::getAnyRowType(parser.getContext());
  else if (kind == "number")
    type = parser.getBuilder().getF64Type();
  else
    return parser.emitError(loc)
           << "expects row, column or number, but got " << kind;
  return success();
}

namespace {
/// Arguments of a formula or of its vjp, as %values or as names.
struct ArgumentList {
  SmallVector<OpAsmParser::Argument> values;
  SmallVector<StringRef> names, kinds;
  SmallVector<Type> types;
  SmallVector<SMLoc> locs;
  bool isInfix() const { return values.empty(); }

  ParseResult parse(OpAsmParser &parser) {
    return parser.parseCommaSeparatedList(
        OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
          OpAsmParser::Argument value;
          locs.push_back(parser.getCurrentLocation());
          OptionalParseResult isValue = parser.parseOptionalArgument(value);
          if (isValue.has_value()) {
            if (failed(*isValue) || values.size() != names.size())
              return failure();
            names.push_back(StringRef(value.ssaName.name).drop_front());
            values.push_back(value);
          } else if (!values.empty() ||
                     parser.parseKeyword(&names.emplace_back())) {
            return failure();
          }
          if (parseKind(parser, kinds.emplace_back(), types.emplace_back()))
            return failure();
          if (!values.empty())
            values.back().type = types.back();
          return success();
        });
  }
};
} // namespace

/// A region in infix whose arguments are `names` of `types`.
static ParseResult parseInfixRegion(OpAsmParser &parser, Region &region,
                                    ArrayRef<StringRef> names,
                                    ArrayRef<Type> types,
                                    const FormulaScope &scope) {
  Block &block = region.emplaceBlock();
  Location loc = parser.getEncodedSourceLoc(parser.getCurrentLocation());
  for (Type type : types)
    block.addArgument(type, loc);
  return parseInfixFormula(parser, block, names, scope);
}

ParseResult FormulaOp::parseWithin(OpAsmParser &parser, OperationState &result,
                                   const FormulaScope &scope) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  ArgumentList list;
  if (parser.parseSymbolName(properties.sym_name) || list.parse(parser))
    return failure();
  Type number = builder.getF64Type();
  for (auto [i, name] : llvm::enumerate(list.names))
    if (llvm::is_contained(ArrayRef(list.names).take_front(i), name) ||
        llvm::is_contained(scope.curvatures, name))
      return parser.emitError(list.locs[i])
             << "expects arguments of different names, but got " << name
             << " twice";
  properties.arg_names = builder.getStrArrayAttr(list.names);
  properties.kinds = builder.getStrArrayAttr(list.kinds);
  Region &body = *result.addRegion(), &vjp = *result.addRegion();

  SmallVector<StringRef> names = list.names;
  SmallVector<Type> types = list.types;
  names.append(scope.curvatures);
  types.append(scope.curvatures.size(), number);
  if (!list.isInfix()) {
    auto parseCurvature = [&]() {
      list.values.emplace_back().type = number;
      return parser.parseArgument(list.values.back());
    };
    if (succeeded(parser.parseOptionalKeyword("curvatures")) &&
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                       parseCurvature))
      return failure();
    if (parser.parseRegion(body, list.values))
      return failure();
  } else if (parseInfixRegion(parser, body, names, types, scope)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("vjp"))) {
    ArgumentList own;
    if (own.parse(parser))
      return failure();
    if (!own.isInfix())
      return parser.parseRegion(vjp, own.values);
    names.append(own.names);
    types.append(own.types);
    if (parseInfixRegion(parser, vjp, names, types, scope))
      return failure();
  }
  return success();
}

ParseResult FormulaOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWithin(parser, result, FormulaScope());
}

void FormulaOp::print(OpAsmPrinter &printer) {
  auto kindOf = [&](BlockArgument argument) -> StringRef {
    if (argument.getArgNumber() < getNumArguments())
      return getKind(argument.getArgNumber());
    return isa<VectorType>(argument.getType()) ? "row" : "number";
  };
  auto printArguments = [&](ArrayRef<BlockArgument> arguments) {
    printer << '(';
    llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) {
      printer << argument << ": " << kindOf(argument);
    });
    printer << ')';
  };
  printer << ' ';
  printer.printSymbolName(getSymName());
  ArrayRef<BlockArgument> arguments = getBlock().getArguments();
  printArguments(arguments.take_front(getNumArguments()));
  if (arguments.size() > getNumArguments()) {
    printer << " curvatures(";
    llvm::interleaveComma(arguments.drop_front(getNumArguments()), printer);
    printer << ')';
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (!hasOwnVjp())
    return;
  printer << " vjp";
  printArguments(getVjp().getArguments());
  printer << ' ';
  printer.printRegion(getVjp(), /*printEntryBlockArgs=*/false);
}

LogicalResult FormulaOp::verify() {
  if (getSymVisibility() && *getSymVisibility() != "public") // C4
    return emitOpError("expects to be public, but got ") << *getSymVisibility();
  if (getArgNames().size() != getKinds().size())
    return emitOpError("expects one kind per argument, but got ")
           << getKinds().size() << " for " << getArgNames().size();
  for (Attribute kind : getKinds())
    if (!llvm::is_contained({"row", "column", "number"},
                            cast<StringAttr>(kind).getValue()))
      return emitOpError("expects kinds row, column and number, but got ")
             << kind;
  return success();
}

/// C1, and the block's end.
static LogicalResult verifyProgram(FormulaOp formula, Region &region,
                                   StringRef what) {
  if (!region.hasOneBlock())
    return formula.emitOpError("expects ") << what << " of one block";
  Block &block = region.front();
  if (failed(verifyYield(formula, block)))
    return failure();
  for (Operation &op : block)
    if (!isProgramOp(&op, /*scalarsOnly=*/false) &&
        !isa<CallOp, EpsilonOp, RowLengthOp>(op))
      return op.emitOpError("expects to stand outside of geo.formula: it has "
                            "no derivative rule and lowering there");
  Type any = FormulaOp::getAnyRowType(formula.getContext());
  for (Operation &op : block)
    for (Value v : op.getResults())
      if (isa<VectorType>(v.getType()) && v.getType() != any &&
          getElementTypeOrSelf(v.getType()).isFloat())
        return op.emitOpError("expects rows of type ")
               << any << " in geo.formula, but got " << v.getType();
  return success();
}

LogicalResult FormulaOp::verifyRegions() {
  auto page = dyn_cast_or_null<ManifoldOp>((*this)->getParentOp());
  unsigned numCurvatures = page ? page.getNumCurvatures() : 0;
  SmallVector<Type> types;
  for (unsigned i = 0; i < getNumArguments(); ++i)
    types.push_back(getKind(i) == "number"
                        ? Type(Float64Type::get(getContext()))
                        : Type(getAnyRowType(getContext())));
  types.append(numCurvatures, Float64Type::get(getContext()));
  if (failed(verifyProgram(*this, getBody(), "a body")))
    return failure();
  if (getBlock().getArgumentTypes() != TypeRange(types))
    return emitOpError("expects region arguments of types ")
           << TypeRange(types) << ", but got " << getBlock().getArgumentTypes();
  Operation *yield = getBlock().getTerminator();
  auto isTerm = [&](Type type) {
    return type.isF64() || type == getAnyRowType(getContext());
  };
  if (yield->getNumOperands() != 1 || !isTerm(yield->getOperand(0).getType()))
    return yield->emitOpError("expects one row or number, but got ")
           << yield->getOperandTypes(); // C2
  if (!hasOwnVjp())
    return success();
  if (failed(verifyProgram(*this, getVjp(), "a vjp")))
    return failure();
  Block &vjp = getVjp().front();
  Operation *cotangents = vjp.getTerminator();
  SmallVector<Type> vjpTypes = types;
  vjpTypes.push_back(getResult().getType());
  if (vjp.getArgumentTypes() != TypeRange(vjpTypes))
    return emitOpError("expects a vjp of the arguments and one cotangent, of "
                       "types ")
           << TypeRange(vjpTypes) << ", but got " << vjp.getArgumentTypes();
  if (cotangents->getOperandTypes() != TypeRange(types)) // C3
    return cotangents->emitOpError("expects one cotangent per argument and "
                                   "curvature, of types ")
           << TypeRange(types) << ", but got " << cotangents->getOperandTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// geo.manifold
//===----------------------------------------------------------------------===//

FormulaOp ManifoldOp::getFormula(StringRef name) {
  return lookupSymbol<FormulaOp>(name);
}

/// What a page inherits from the built-in page `like`. (One of the module is
/// not there yet while another one is parsed: of it, calls find the standard
/// formulas.)
static void addInherited(MLIRContext *context, StringRef like,
                         FormulaScope &scope) {
  ManifoldOp page =
      context->getOrLoadDialect<GeoDialect>()->getBuiltinPage(like);
  if (!page)
    return;
  if (std::optional<StringRef> next = page.getLike())
    addInherited(context, *next, scope);
  for (auto formula : page.getOps<FormulaOp>())
    scope.formulas[formula.getSymName()] =
        isa<VectorType>(formula.getResult().getType());
}

ParseResult ManifoldOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  FormulaScope scope;
  SmallVector<bool> positive;
  auto parseCurvatureName = [&]() -> ParseResult {
    if (parser.parseKeyword(&scope.curvatures.emplace_back()))
      return failure();
    positive.push_back(succeeded(parser.parseOptionalGreater()));
    SMLoc loc = parser.getCurrentLocation();
    APInt bound;
    if (!positive.back())
      return success();
    if (parser.parseInteger(bound))
      return failure();
    if (!bound.isZero())
      return parser.emitError(loc, "expects a curvature > 0");
    return success();
  };
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     parseCurvatureName))
    return failure();
  StringAttr like;
  if (succeeded(parser.parseOptionalKeyword("like"))) {
    if (parser.parseSymbolName(like))
      return failure();
    properties.like = FlatSymbolRefAttr::get(like);
    addInherited(parser.getContext(), like, scope);
  }
  properties.curvatures = builder.getStrArrayAttr(scope.curvatures);
  properties.positive = builder.getDenseBoolArrayAttr(positive);
  Block &block = result.addRegion()->emplaceBlock();
  if (parser.parseLBrace())
    return failure();
  while (failed(parser.parseOptionalRBrace())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword("formula", " or } in geo.manifold"))
      return failure();
    OperationState state(parser.getEncodedSourceLoc(loc),
                         FormulaOp::getOperationName());
    if (FormulaOp::parseWithin(parser, state, scope))
      return failure();
    auto formula = cast<FormulaOp>(Operation::create(state));
    block.push_back(formula);
    // A region whose verifier will complain has no result to look at.
    Operation *yield = formula.getBody().empty() || formula.getBlock().empty()
                           ? nullptr
                           : &formula.getBlock().back();
    if (yield && yield->getNumOperands() == 1)
      scope.formulas[formula.getSymName()] =
          isa<VectorType>(yield->getOperand(0).getType());
  }
  return success();
}

void ManifoldOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getNumCurvatures()) {
    printer << '(';
    llvm::interleaveComma(
        llvm::zip(getCurvatures(), getPositive()), printer, [&](auto pair) {
          printer << cast<StringAttr>(std::get<0>(pair)).getValue()
                  << (std::get<1>(pair) ? " > 0" : "");
        });
    printer << ')';
  }
  if (getLike())
    printer << " like " << getLikeAttr();
  printer << " {";
  printer.increaseIndent();
  for (auto formula : getOps<FormulaOp>()) {
    printer.printNewline();
    printer << "formula";
    formula.print(printer);
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << '}';
}

LogicalResult ManifoldOp::verify() {
  if (getSymVisibility() && *getSymVisibility() != "public") // C4
    return emitOpError("expects to be public, but got ") << *getSymVisibility();
  llvm::SmallDenseSet<Attribute> names;
  for (Attribute name : getCurvatures())
    if (!names.insert(name).second) // C3
      return emitOpError("expects curvatures of different names, but got ")
             << name << " twice";
  if (getPositive().size() != getCurvatures().size())
    return emitOpError("expects one sign per curvature, but got ")
           << getPositive().size() << " for " << getCurvatures().size();
  return success();
}

LogicalResult ManifoldOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    auto formula = dyn_cast<FormulaOp>(op);
    if (!formula) // C1
      return op.emitOpError("expects to stand outside of geo.manifold, which "
                            "holds formulas");
    const Signature *signature = getSignature(formula.getSymName());
    if (!signature)
      continue;
    // C2
    bool fits = formula.getNumArguments() == signature->arguments.size();
    std::string want;
    llvm::raw_string_ostream stream(want);
    stream << '(';
    llvm::interleaveComma(
        llvm::enumerate(signature->arguments), stream, [&](auto pair) {
          StringRef kind = pair.value().role == Role::number ? "number" : "row";
          stream << pair.value().name << ": " << kind;
          fits = fits && formula.getKind(pair.index()) == kind;
        });
    bool wantsRow = signature->result != Role::number;
    stream << ") -> " << (wantsRow ? "row" : "number");
    Operation *yield = formula.getBlock().getTerminator();
    if (yield->getNumOperands() == 1)
      fits =
          fits && wantsRow == isa<VectorType>(yield->getOperand(0).getType());
    if (!fits)
      return formula.emitOpError("expects the standard formula ")
             << formula.getSymName() << want;
  }
  return success();
}
