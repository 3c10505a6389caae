// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/OpLowering.h"
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

static bool isNumber(Type type) { return type.isIntOrIndexOrFloat(); }

static bool isConstruct(Operation *op) {
  return isa<RowwiseOp, PairwiseOp, PairwiseGradOp, MatmulOp, GatherOp,
             ScatterAddOp, ColumnsOp, ConcatColumnsOp, ScanOp>(op);
}

/// Constructs read rows at any distance; reshapes and casts do not.
static bool isReadByRow(Value v) {
  return llvm::all_of(v.getUsers(), [](Operation *user) {
    return isConstruct(user) || user->hasTrait<OpTrait::IsTerminator>() ||
           isa<tensor::DimOp>(user) ||
           (isa<DetachOp>(user) && isReadByRow(user->getResult(0)));
  });
}

bool geo::isView(Operation *op) {
  if (auto columns = dyn_cast<ColumnsOp>(op))
    return columns.getType().getRank() == 2 && isReadByRow(columns);
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             DetachOp>(op);
}

Places geo::findPlaces(Block &block, function_ref<bool(Value)> mayPlace) {
  Places places;
  for (auto concat : block.getOps<ConcatColumnsOp>())
    for (auto [piece, offset] :
         llvm::zip_equal(concat.getPieces(), concat.getOffsets())) {
      Operation *op = piece.getDefiningOp();
      auto type = cast<RankedTensorType>(piece.getType());
      if (op && op->getBlock() == &block && type.getRank() == 2 &&
          isConstruct(op) && !isView(op) && !isa<ConcatColumnsOp>(op) &&
          isReadByRow(piece) && mayPlace(piece))
        places.try_emplace(piece, concat, offset);
    }
  return places;
}

/// An op on numbers, which is kept as it is.
static bool isNumberOp(Operation *op) {
  return (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
          isa<EvenOp>(op)) &&
         llvm::all_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

Type geo::getBufferType(Type type) {
  if (isNumber(type))
    return type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || !isNumber(tensor.getElementType()))
    return nullptr;
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

Value geo::emitAlloc(ImplicitLocOpBuilder &b, Type type,
                     ArrayRef<OpFoldResult> sizes) {
  auto memref = cast<MemRefType>(type);
  SmallVector<Value> dynamic;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (memref.isDynamicDim(i))
      dynamic.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  return memref::AllocOp::create(b, memref, dynamic, b.getI64IntegerAttr(64));
}

//===----------------------------------------------------------------------===//
// What can be lowered
//===----------------------------------------------------------------------===//

/// C5 of geo.scan.
static LogicalResult checkScanBody(ScanOp scan) {
  for (Operation &op : scan.getBlock().without_terminator()) {
    auto rowwise = dyn_cast<RowwiseOp>(op);
    bool allowed = isNumberOp(&op) ||
                   isa<MatmulOp, GatherOp, ColumnsOp, ConcatColumnsOp, DetachOp,
                       tensor::DimOp, arith::ConstantOp>(op) ||
                   (rowwise && rowwise.getNumSums() == 0);
    if (!allowed)
      return op.emitOpError(
          "expects to stand outside of geo.scan, which holds geo.matmul, "
          "geo.rowwise without sums, geo.gather, geo.columns, "
          "geo.concat_columns and number arithmetic");
  }
  return success();
}

LogicalResult OpLowering::check(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!getBufferType(type))
        return op->emitOpError("expects plain tensors and numbers to lower, "
                               "but got ")
               << type;
  if (auto scan = dyn_cast<ScanOp>(op))
    return checkScanBody(scan);
  if (isConstruct(op) || isNumberOp(op) || isa<ReportOutsideOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isa<DenseElementsAttr>(constant.getValue()))
      return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    // MLIR leaves it to run time, where it would be anything.
    std::optional<int64_t> index = dim.getConstantIndex();
    int64_t rank = cast<RankedTensorType>(dim.getSource().getType()).getRank();
    if (index && (*index < 0 || *index >= rank))
      return op->emitOpError("expects an index below ")
             << rank << ", but got " << *index;
  }
  if (isa<DetachOp, tensor::DimOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp, tensor::ExtractOp,
          tensor::SplatOp, tensor::FromElementsOp>(op))
    return success();
  return op->emitOpError("expects to be expanded or inlined before buffers are "
                         "assigned: it has no lowering");
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// `memref` with other leading sizes. A dense buffer is described anew:
/// upstream's expand-strided-metadata (22.1) crashes on a memref.expand_shape
/// with two dynamic sizes in one group.
static Value expandDense(ImplicitLocOpBuilder &b, MemRefType type, Value memref,
                         ArrayRef<ReassociationIndices> groups,
                         ArrayRef<OpFoldResult> sizes) {
  if (!cast<MemRefType>(memref.getType()).getLayout().isIdentity())
    return memref::ExpandShapeOp::create(b, type, memref, groups, sizes);
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = b.getIndexAttr(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    if (i == 0)
      break;
    std::optional<int64_t> a = getConstantIntValue(stride),
                           c = getConstantIntValue(sizes[i]);
    if (a && c)
      stride = b.getIndexAttr(*a * *c);
    else
      stride = arith::MulIOp::create(
                   b, getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                   getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[i]))
                   .getResult();
  }
  return memref::ReinterpretCastOp::create(b, type, memref, b.getIndexAttr(0),
                                           sizes, strides);
}

static Value emitColumnView(ImplicitLocOpBuilder &b, Value memref,
                            int64_t offset, int64_t width) {
  SmallVector<OpFoldResult> sizes = getMemRefSizes(b, memref);
  sizes[1] = b.getIndexAttr(width);
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0),
                                       b.getIndexAttr(offset)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, memref, offsets, sizes, strides);
}

/// A call of the runtime with the site's text and the two dense buffers.
static void emitReport(ImplicitLocOpBuilder &b, ReportOutsideOp op, Value norm,
                       Value limit) {
  auto module = op->getParentOfType<ModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  constexpr StringLiteral callee = "geo_rt_report_outside";
  Type i64 = b.getI64Type();
  declareRuntime(b, module, callee, {pointer, pointer, pointer, i64}, {});
  std::string text = op.getSite().str();
  text.push_back(0);
  std::string name = "site";
  for (unsigned i = 0; module.lookupSymbol(name); ++i)
    name = "site_" + std::to_string(i);
  Value site = LLVM::createGlobalString(b.getLoc(), b, name, text,
                                        LLVM::Linkage::Internal);
  auto data = [&](Value memref) -> Value {
    Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
    Value address = arith::IndexCastOp::create(b, i64, index);
    return LLVM::IntToPtrOp::create(b, pointer, address);
  };
  Value count = arith::IndexCastOp::create(b, i64, dimOf(b, norm, 0));
  func::CallOp::create(b, callee, TypeRange(),
                       ValueRange{site, data(norm), data(limit), count});
}

/// A constant buffer of the module.
static Value emitGlobal(ImplicitLocOpBuilder &b, Operation *anchor,
                        DenseElementsAttr value) {
  auto type = cast<MemRefType>(getBufferType(value.getType()));
  auto module = anchor->getParentOfType<ModuleOp>();
  auto global = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    return memref::GlobalOp::create(b, "constant", b.getStringAttr("private"),
                                    type, value, /*constant=*/true,
                                    b.getI64IntegerAttr(64));
  }();
  global->remove();
  SymbolTable(module).insert(global, module.getBody()->begin());
  return memref::GetGlobalOp::create(b, type, global.getSymName());
}

LogicalResult OpLowering::lower(ImplicitLocOpBuilder &b, Operation *op) {
  if (isConstruct(op) && !isView(op))
    return lowerConstruct(b, op);
  if (isNumberOp(op)) {
    IRMapping mapping;
    for (Value v : op->getOperands())
      mapping.map(v, values.lookup(v));
    Operation *clone = b.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
      values[from] = to;
    return success();
  }
  if (auto report = dyn_cast<ReportOutsideOp>(op)) {
    emitReport(b, report, values.lookup(report.getNorm()),
               values.lookup(report.getLimit()));
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<Value> buffer = emitter.emitConstant(
        b, constant, [&] { return getBuffer(b, op->getResult(0)); });
    if (failed(buffer))
      return failure();
    values[constant] =
        *buffer ? *buffer
                : emitGlobal(b, b.getInsertionBlock()->getParentOp(),
                             cast<DenseElementsAttr>(constant.getValue()));
    return success();
  }
  lowerTensorOp(b, op);
  return success();
}

void OpLowering::lowerTensorOp(ImplicitLocOpBuilder &b, Operation *op) {
  auto operand = [&](unsigned i) { return values.lookup(op->getOperand(i)); };
  Value result = op->getResult(0);
  Value &out = values[result];
  Type type = getBufferType(result.getType());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](DetachOp) { out = operand(0); })
      .Case([&](ColumnsOp columns) {
        out = emitColumnView(b, operand(0), columns.getOffset(),
                             columns.getWidth());
      })
      .Case([&](tensor::DimOp dim) {
        if (auto index = dim.getConstantIndex())
          out = dimOf(b, operand(0), *index);
        else
          out = memref::DimOp::create(b, operand(0), operand(1));
      })
      .Case([&](tensor::CastOp) {
        out = memref::CastOp::create(b, cast<MemRefType>(type), operand(0));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        out = memref::CollapseShapeOp::create(
            b, operand(0), collapse.getReassociationIndices());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        out =
            expandDense(b, cast<MemRefType>(type), operand(0),
                        expand.getReassociationIndices(), sizes.get(b, result));
      })
      .Case([&](tensor::ExtractOp extract) {
        SmallVector<Value> indices = llvm::map_to_vector(
            extract.getIndices(), [&](Value v) { return values.lookup(v); });
        out = emitLoad(b, operand(0), indices);
      })
      .Case([&](tensor::SplatOp) {
        Value number = operand(0);
        Value buffer = getBuffer(b, cast<OpResult>(result));
        emitter.emitFill(b, buffer, number);
        values[result] = buffer;
      })
      .Case([&](tensor::FromElementsOp elements) {
        Value buffer = getBuffer(b, cast<OpResult>(result));
        SmallVector<Value> numbers = llvm::map_to_vector(
            elements.getElements(), [&](Value v) { return values.lookup(v); });
        emitter.emitElements(b, numbers, buffer);
        values[result] = buffer;
      });
}

Value OpLowering::getBuffer(ImplicitLocOpBuilder &b, OpResult result) {
  if (Value whole = wholes.lookup(result))
    return whole;
  auto place = places.find(result);
  if (place == places.end())
    return bufferOf(b, result);
  auto [concat, offset] = place->second;
  Value &whole = wholes[concat];
  if (!whole) {
    // The sizes of its other pieces may not be known yet.
    Sizes rows = sizes.get(b, result);
    rows[1] = b.getIndexAttr(concat.getType().getDimSize(1));
    sizes.set(concat, rows);
    whole = bufferOf(b, cast<OpResult>(concat.getResult()));
  }
  return emitColumnView(b, whole, offset, ConcatColumnsOp::getWidth(result));
}

LogicalResult OpLowering::lowerConstruct(ImplicitLocOpBuilder &b,
                                         Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value v) { return values.lookup(v); });
  if (auto concat = dyn_cast<ConcatColumnsOp>(op))
    for (auto [piece, operand] : llvm::zip_equal(concat.getPieces(), operands))
      if (auto place = places.find(piece);
          place != places.end() && place->second.first == concat)
        operand = nullptr; // is there
  SmallVector<Value> outs;
  for (OpResult result : op->getResults()) {
    if (isa<TensorType>(result.getType()))
      outs.push_back(getBuffer(b, result));
    else
      outs.push_back(emitStackBuffer(b, {}, result.getType()));
  }
  LogicalResult emitted =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](RowwiseOp o) {
            return emitter.emitRowwise(b, o, operands, outs);
          })
          .Case([&](PairwiseOp o) {
            return emitter.emitPairwise(b, o, operands, outs);
          })
          .Case([&](PairwiseGradOp o) {
            return emitter.emitPairwiseGrad(b, o, operands, outs);
          })
          .Case([&](MatmulOp o) {
            return emitter.emitMatmul(b, o, operands, outs[0]);
          })
          .Case([&](GatherOp o) {
            return emitter.emitGather(b, o, operands, outs[0]);
          })
          .Case([&](ScatterAddOp o) {
            return emitter.emitScatterAdd(b, o, operands, outs[0]);
          })
          .Case([&](ColumnsOp o) {
            return emitter.emitColumns(b, o, operands[0], outs[0]);
          })
          .Case([&](ConcatColumnsOp o) {
            return emitter.emitConcatColumns(b, o, operands, outs[0]);
          })
          .Case([&](ScanOp o) { return lowerScan(b, o, operands, outs); });
  if (failed(emitted))
    return failure();
  for (auto [result, out] : llvm::zip(op->getResults(), outs))
    values[result] = isa<TensorType>(result.getType()) ? out : emitLoad(b, out);
  return success();
}
