// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.rowwise: syntax, constraints, and the ops of its region.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"

using namespace mlir;
using namespace geo;

static bool isStorage(Type type) { return type.isF32() || type.isF64(); }

Type RowwiseOp::getRowType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || !isStorage(tensor.getElementType()))
    return nullptr;
  if (tensor.getRank() == 1)
    return tensor.getElementType();
  if (tensor.getRank() != 2 || tensor.isDynamicDim(1))
    return nullptr;
  return VectorType::get({tensor.getDimSize(1)}, tensor.getElementType());
}

Type RowwiseOp::getSharedType(Type type) {
  if (isStorage(type))
    return type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || tensor.getRank() != 1 ||
      tensor.isDynamicDim(0) || !isStorage(tensor.getElementType()))
    return nullptr;
  return VectorType::get({tensor.getDimSize(0)}, tensor.getElementType());
}

bool RowwiseOp::isAllowed(Operation *op) {
  return isProgramOp(op, /*scalarsOnly=*/false);
}

YieldOp RowwiseOp::getYield() {
  return cast<YieldOp>(getBlock().getTerminator());
}

int64_t RowwiseOp::getRowLength() {
  int64_t length = 0;
  auto look = [&](Value v) {
    if (auto row = dyn_cast<VectorType>(v.getType()))
      length = row.getDimSize(0);
  };
  llvm::for_each(getBlock().getArguments(), look);
  for (Operation &op : getBlock())
    llvm::for_each(op.getResults(), look);
  return length;
}

void RowwiseOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange results, ValueRange rows, ValueRange shared,
                      int64_t numSums) {
  state.addOperands(rows);
  state.addOperands(shared);
  state.addTypes(results);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(rows.size()),
                                    static_cast<int32_t>(shared.size())};
  properties.num_sums = builder.getI64IntegerAttr(numSums);
  auto *block = new Block;
  state.addRegion()->push_back(block);
  for (Value v : rows)
    block->addArgument(getRowType(v.getType()), state.location);
  for (Value v : shared)
    block->addArgument(getSharedType(v.getType()), state.location);
}

ParseResult RowwiseOp::parse(OpAsmParser &parser, OperationState &result) {
  OperandGroup rows, shared;
  SMLoc loc = parser.getCurrentLocation();
  if (parseOperandGroup(parser, "rows", rows, getRowType) ||
      parseOperandGroup(parser, "shared", shared, getSharedType) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments = rows.arguments;
  arguments.append(shared.arguments);
  if (parser.parseRegion(*result.addRegion(), arguments) || parser.parseArrow())
    return failure();
  SmallVector<Type> types, sums;
  auto parseTypes = [&](SmallVectorImpl<Type> &into) {
    return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&] {
      return parser.parseType(into.emplace_back());
    });
  };
  if (parseTypes(types))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("sums")) && parseTypes(sums))
    return failure();
  result.addTypes(types);
  result.addTypes(sums);
  auto &properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {
      static_cast<int32_t>(rows.operands.size()),
      static_cast<int32_t>(shared.operands.size())};
  properties.num_sums = parser.getBuilder().getI64IntegerAttr(sums.size());
  return failure(
      parser.resolveOperands(rows.operands, rows.types, loc, result.operands) ||
      parser.resolveOperands(shared.operands, shared.types, loc,
                             result.operands));
}

void RowwiseOp::print(OpAsmPrinter &printer) {
  ArrayRef<BlockArgument> arguments = getBlock().getArguments();
  printOperandGroup(printer, "rows", arguments.take_front(getRows().size()),
                    getRows());
  printOperandGroup(printer, "shared", arguments.drop_front(getRows().size()),
                    getShared());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"operandSegmentSizes", "num_sums"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  unsigned split = getNumRowResults();
  printer << " -> (" << getResults().take_front(split).getTypes() << ')';
  if (getNumSums())
    printer << " sums (" << getResults().drop_front(split).getTypes() << ')';
}

/// C1, C2: operands and region arguments.
static LogicalResult verifyOperands(RowwiseOp op) {
  Block &block = op.getBlock();
  if (block.getNumArguments() != op->getNumOperands())
    return op.emitOpError("expects one region argument per operand, but got ")
           << block.getNumArguments() << " for " << op->getNumOperands();
  if (op.getRows().empty())
    return op.emitOpError("expects at least one row operand, but got none");
  int64_t rows = ShapedType::kDynamic;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    bool isRow = i < op.getRows().size();
    Type want = isRow ? RowwiseOp::getRowType(v.getType())
                      : RowwiseOp::getSharedType(v.getType());
    if (!want)
      return op.emitOpError("expects a ")
             << (isRow ? "row operand of type tensor<RxdxT> or tensor<RxT>"
                       : "shared operand of type tensor<dxT> or T")
             << " with static d and T f32 or f64, but got " << v.getType();
    if (block.getArgument(i).getType() != want)
      return op.emitOpError("expects region argument ")
             << i << " to have type " << want << ", but got "
             << block.getArgument(i).getType();
    if (!isRow)
      continue;
    int64_t r = cast<RankedTensorType>(v.getType()).getDimSize(0);
    if (ShapedType::isDynamic(r))
      continue;
    if (!ShapedType::isDynamic(rows) && rows != r)
      return op.emitOpError(
                 "expects row operands of one number of rows, but got ")
             << rows << " and " << r;
    rows = r;
  }
  return success();
}

LogicalResult RowwiseOp::verify() {
  if (failed(verifyBody(*this, getBlock())) || failed(verifyOperands(*this)))
    return failure();
  // C3, C4
  int64_t length = getRowLength();
  auto hasLength = [&](Value v) {
    auto row = dyn_cast<VectorType>(v.getType());
    return !row || (row.getRank() == 1 && row.getDimSize(0) == length);
  };
  for (BlockArgument argument : getBlock().getArguments())
    if (!hasLength(argument))
      return emitOpError("expects one row length, but got ")
             << argument.getType() << " and rows of " << length;
  for (Operation &op : getBlock()) {
    if (!isAllowed(&op))
      return op.emitOpError(
          "expects to stand outside of geo.rowwise: it has no "
          "derivative rule and lowering there");
    for (Value v : op.getResults())
      if (!hasLength(v))
        return op.emitOpError("expects one row length, but got ")
               << v.getType() << " and rows of " << length;
  }
  // C5, C6
  int64_t sums = getNumSums();
  if (sums < 0 || sums > static_cast<int64_t>(getNumResults()))
    return emitOpError("expects num_sums between 0 and the number of results, ")
           << "but got " << sums << " of " << getNumResults();
  if (getYield().getNumOperands() != getNumResults())
    return emitOpError("expects one yielded value per result, but got ")
           << getYield().getNumOperands() << " for " << getNumResults();
  for (auto [i, v] : llvm::enumerate(getYield().getValues())) {
    Type type = getResult(i).getType();
    bool isSum = i >= getNumRowResults();
    Type want = isSum ? getSharedType(type) : getRowType(type);
    if (!want)
      return emitOpError("expects result ")
             << i << " to be "
             << (isSum ? "tensor<dxT> or f64" : "tensor<RxdxT> or tensor<RxT>")
             << ", but got " << type;
    if (v.getType() != want)
      return emitOpError("expects yielded value ")
             << i << " to have type " << want << ", but got " << v.getType();
    if (isSum && type.isF32())
      return emitOpError("expects sums to be tensor<dxT> or f64, but got f32");
  }
  return success();
}

LogicalResult EvenOp::verify() {
  auto order = static_cast<int64_t>(getOrder());
  if (order < 0 || order > 2) // C1
    return emitOpError("expects order 0, 1 or 2, but got ") << order;
  return success();
}
