// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.formula: syntax and constraints.
#include "dialect/FormulaParser.h"
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"

using namespace mlir;
using namespace geo;

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
  if (parseWithin(parser, result, FormulaScope()))
    return failure();
  Region &body = *result.regions.front();
  if (body.empty() || body.front().empty() ||
      body.front().back().getNumOperands() != 1)
    return success(); // the verifier will complain
  Type type = body.front().back().getOperand(0).getType();
  auto *dialect = parser.getContext()->getOrLoadDialect<GeoDialect>();
  dialect->noteFormula(getFileName(parser),
                       result.getOrAddProperties<Properties>().sym_name,
                       isa<VectorType>(type));
  return success();
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
