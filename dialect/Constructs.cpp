// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.matmul, geo.gather, geo.scatter_add, geo.scan and geo.gradient.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace geo;

LogicalResult MatmulOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getResult().getType());
  for (RankedTensorType t : {a, b, c}) // C1
    if (t.getRank() != 2 || t.getEncoding() ||
        t.getElementType() != a.getElementType())
      return emitOpError("expects plain matrices of one element type, but got ")
             << t;
  int64_t m = a.getDimSize(getTransposeA() ? 1 : 0);
  int64_t ka = a.getDimSize(getTransposeA() ? 0 : 1);
  int64_t kb = b.getDimSize(getTransposeB() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposeB() ? 0 : 1);
  if (!mayEqual(ka, kb)) // C2
    return emitOpError("expects equal contracted sizes, but got ")
           << ka << " and " << kb;
  if (!mayEqual(c.getDimSize(0), m) || !mayEqual(c.getDimSize(1), n)) // C3
    return emitOpError("expects a result of shape ")
           << m << "x" << n << ", but got " << c;
  return success();
}

/// The shapes of gather and scatter_add: a table [V, d], ids [N], rows [N, d].
static LogicalResult verifyTableAccess(Operation *op, Type tableType,
                                       Type idsType, Type rowsType) {
  auto table = cast<RankedTensorType>(tableType);
  auto ids = cast<RankedTensorType>(idsType);
  auto rows = cast<RankedTensorType>(rowsType);
  if (table.getRank() != 2 || ids.getRank() != 1 || rows.getRank() != 2 ||
      table.getDimSize(1) != rows.getDimSize(1) ||
      !mayEqual(ids.getDimSize(0), rows.getDimSize(0)) ||
      table.getElementType() != rows.getElementType())
    return op->emitOpError("expects a table [V, d], ids [N] and rows [N, d] of "
                           "the table's element type, but got ")
           << table << ", " << ids << " and " << rows;
  if (table.getEncoding() != rows.getEncoding())
    return op->emitOpError("expects rows with the table's encoding, but got ")
           << table << " and " << rows;
  return success();
}

LogicalResult GatherOp::verify() { // C1
  return verifyTableAccess(*this, getTable().getType(), getIds().getType(),
                           getResult().getType());
}

LogicalResult ScatterAddOp::verify() {
  if (failed(verifyTableAccess(*this, getResult().getType(), getIds().getType(),
                               getRows().getType()))) // C1
    return failure();
  auto table = cast<RankedTensorType>(getResult().getType());
  if (table.getEncoding())
    return emitOpError("expects a plain result, but got ") << table;
  if (table.isDynamicDim(0) != static_cast<bool>(getSize())) // C2
    return emitOpError("expects `size` iff the result has a dynamic number of "
                       "rows, but got ")
           << table << (getSize() ? " with size" : " without size");
  return success();
}

//===----------------------------------------------------------------------===//
// geo.scan
//===----------------------------------------------------------------------===//

RankedTensorType ScanOp::getSliceType(Type stacked) {
  auto tensor = dyn_cast<RankedTensorType>(stacked);
  if (!tensor || tensor.getRank() == 0)
    return nullptr;
  return RankedTensorType::get(tensor.getShape().drop_front(),
                               tensor.getElementType(), tensor.getEncoding());
}

YieldOp ScanOp::getYield() { return cast<YieldOp>(getBlock().getTerminator()); }

ArrayRef<BlockArgument> ScanOp::getStateArgs() {
  return getBlock().getArguments().take_front(getInit().size());
}
ArrayRef<BlockArgument> ScanOp::getInputArgs() {
  return getBlock().getArguments().slice(getInit().size(), getInputs().size());
}
ArrayRef<BlockArgument> ScanOp::getSharedArgs() {
  return getBlock().getArguments().take_back(getShared().size());
}

void ScanOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                   ValueRange init, ValueRange inputs, ValueRange shared,
                   int64_t truncate, bool reverse) {
  state.addOperands(init);
  state.addOperands(inputs);
  state.addOperands(shared);
  state.addTypes(results);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(init.size()),
                                    static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(shared.size())};
  properties.truncate = builder.getI64IntegerAttr(truncate);
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  auto *block = new Block;
  state.addRegion()->push_back(block);
  for (Value v : init)
    block->addArgument(v.getType(), state.location);
  for (Value v : inputs)
    block->addArgument(getSliceType(v.getType()), state.location);
  for (Value v : shared)
    block->addArgument(v.getType(), state.location);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  OperandGroup init, inputs, shared;
  SMLoc loc = parser.getCurrentLocation();
  auto identity = [](Type t) { return t; };
  if (parseOperandGroup(parser, "init", init, identity) ||
      parseOperandGroup(parser, "inputs", inputs,
                        [](Type t) -> Type { return getSliceType(t); }) ||
      parseOperandGroup(parser, "shared", shared, identity))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  int64_t truncate = 0;
  if (succeeded(parser.parseOptionalKeyword("truncate")) &&
      parser.parseInteger(truncate))
    return failure();
  properties.truncate = parser.getBuilder().getI64IntegerAttr(truncate);
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = parser.getBuilder().getUnitAttr();
  SmallVector<OpAsmParser::Argument> arguments = init.arguments;
  arguments.append(inputs.arguments);
  arguments.append(shared.arguments);
  SmallVector<Type> types;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseArrowTypeList(types))
    return failure();
  result.addTypes(types);
  properties.operandSegmentSizes = {
      static_cast<int32_t>(init.operands.size()),
      static_cast<int32_t>(inputs.operands.size()),
      static_cast<int32_t>(shared.operands.size())};
  return failure(
      parser.resolveOperands(init.operands, init.types, loc, result.operands) ||
      parser.resolveOperands(inputs.operands, inputs.types, loc,
                             result.operands) ||
      parser.resolveOperands(shared.operands, shared.types, loc,
                             result.operands));
}

void ScanOp::print(OpAsmPrinter &printer) {
  printOperandGroup(printer, "init", getStateArgs(), getInit());
  printOperandGroup(printer, "inputs", getInputArgs(), getInputs());
  printOperandGroup(printer, "shared", getSharedArgs(), getShared());
  if (getTruncate())
    printer << " truncate " << getTruncate();
  if (getReverse())
    printer << " reverse";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"operandSegmentSizes", "truncate", "reverse"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printArrowTypeList(getResultTypes());
}

LogicalResult ScanOp::verify() {
  if (failed(verifyYield(*this, getBlock())))
    return failure();
  if (getBlock().getNumArguments() != getNumOperands()) // C1
    return emitOpError("expects one region argument per operand, but got ")
           << getBlock().getNumArguments() << " for " << getNumOperands();
  unsigned states = getNumStates();
  for (auto [i, v] : llvm::enumerate(getOperands())) {
    bool isInput = i >= states && i < states + getInputs().size();
    Type want = isInput ? Type(getSliceType(v.getType())) : v.getType();
    if (!want)
      return emitOpError("expects inputs of rank 1 or more, but got ")
             << v.getType();
    if (getBlock().getArgument(i).getType() != want)
      return emitOpError("expects region argument ")
             << i << " to have type " << want << ", but got "
             << getBlock().getArgument(i).getType();
  }
  if (getInputs().empty()) // C2
    return emitOpError("expects at least one input, but got none");
  int64_t steps =
      cast<RankedTensorType>(getInputs()[0].getType()).getDimSize(0);
  for (Value v : getInputs()) {
    int64_t t = cast<RankedTensorType>(v.getType()).getDimSize(0);
    if (!mayEqual(steps, t))
      return emitOpError("expects inputs of one number of steps, but got ")
             << steps << " and " << t;
  }
  YieldOp yield = getYield(); // C3
  if (yield.getNumOperands() != getNumResults() || getNumResults() < states)
    return emitOpError(
               "expects one yielded value per result, states first, but got ")
           << yield.getNumOperands() << " for " << getNumResults();
  for (auto [i, v] : llvm::enumerate(yield.getValues())) {
    Type want = i < states ? getInit()[i].getType()
                           : Type(getSliceType(getResult(i).getType()));
    if (i >= states) {
      auto stack = dyn_cast<RankedTensorType>(getResult(i).getType());
      if (!want || !mayEqual(steps, stack.getDimSize(0)))
        return emitOpError("expects result ")
               << i << " to stack slices of "
               << (ShapedType::isDynamic(steps) ? "all" : Twine(steps).str())
               << " steps, but got " << getResult(i).getType();
    }
    if (v.getType() != want)
      return emitOpError("expects yielded value ")
             << i << " to have type " << want << ", but got " << v.getType();
    if (i < states && getResult(i).getType() != want)
      return emitOpError("expects result ")
             << i << " to have type " << want << ", but got "
             << getResult(i).getType();
  }
  auto truncate = static_cast<int64_t>(getTruncate());
  if (truncate < 0) // C4
    return emitOpError("expects truncate >= 0, but got ") << truncate;
  return success();
}

//===----------------------------------------------------------------------===//
// geo.gradient
//===----------------------------------------------------------------------===//

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee) // C1
    return emitOpError("expects a function of the module, but got ")
           << getCalleeAttr();
  FunctionType type = callee.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getArgs().getTypes()))
    return emitOpError("expects arguments of types ")
           << type.getInputs() << ", but got " << getArgs().getTypes();
  if (type.getNumResults() == 0 || !type.getResult(0).isF64()) // C2
    return emitOpError("expects a callee whose first result is f64, but got ")
           << type;
  SmallVector<Type> want(type.getResults());
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t i : getWrt()) { // C3
    if (i < 0 || i >= type.getNumInputs())
      return emitOpError("expects wrt to hold argument indices, but got ") << i;
    if (!seen.insert(i).second)
      return emitOpError("expects wrt to hold distinct indices, but got ")
             << i << " twice";
    if (!isa<FloatType>(getElementTypeOrSelf(type.getInput(i))))
      return emitOpError(
                 "expects wrt to name floating-point arguments, but got ")
             << type.getInput(i);
    want.push_back(getPlainType(type.getInput(i)));
  }
  if (TypeRange(want) != getResultTypes()) // C4
    return emitOpError("expects results of types ")
           << want << ", but got " << getResultTypes();
  return success();
}

LogicalResult ReportOutsideOp::verify() {
  auto norm = cast<RankedTensorType>(getNorm().getType());
  if (norm.getRank() == 1 &&
      succeeded(verifyCompatibleShape(norm, getLimit().getType())))
    return success();
  return emitOpError("expects two tensors of numbers of equal length, but got ")
         << norm << " and " << getLimit().getType();
}
