// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/BufferLowering.h"
#include "lowering/LoopUtils.h"
#include "lowering/OpLowering.h"
#include "lowering/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace geo;

namespace {

/// Lowers one function into a new one.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp from, ConstructEmitter &emitter)
      : from(from), b(from.getLoc(), from), emitter(emitter), ops(emitter) {}

  LogicalResult run();

private:
  void createFunction();
  /// Lets `value` be computed straight into `out`, where that is possible.
  bool assignOut(Value value, Value out);
  void findLastUses();
  /// Frees buffers after `op`, at position `index`.
  void release(Operation *op, unsigned index);
  void emitReturn(func::ReturnOp op);

  func::FuncOp from;
  func::FuncOp to;
  ImplicitLocOpBuilder b;
  ConstructEmitter &emitter;
  OpLowering ops;
  SmallVector<Value> outs;
  SmallVector<bool> inPlace;
  /// Buffers of results: outs, or what was allocated and must be freed.
  DenseMap<Value, Value> outOf;
  llvm::MapVector<Value, Value> allocated;
  /// The op result whose buffer a tensor value shares.
  DenseMap<Value, Value> rootOf;
  DenseMap<Value, unsigned> lastUse;
};

} // namespace

/// The tensor that `value` is a view of, or null.
static Value getViewSource(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isView(op) ? op->getOperand(0) : Value();
}

void FunctionLowering::createFunction() {
  SmallVector<Type> types;
  FunctionType type = from.getFunctionType();
  for (Type t : type.getInputs())
    types.push_back(getBufferType(t));
  for (Type t : type.getResults())
    types.push_back(isa<TensorType>(t) ? getBufferType(t)
                                       : Type(MemRefType::get({}, t)));
  to = func::FuncOp::create(b, from.getName(), b.getFunctionType(types, {}));
  to.setVisibility(from.getVisibility());
  Block *block = to.addEntryBlock();
  // The caller's result buffers alias nothing, and arguments are only read.
  for (auto [i, t] : llvm::enumerate(types))
    if (isa<MemRefType>(t))
      to.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  b.setInsertionPointToStart(block);
  unsigned inputs = type.getNumInputs();
  for (auto [old, argument] :
       llvm::zip(from.getArguments(), block->getArguments())) {
    ops.values[old] = argument;
    if (isa<TensorType>(old.getType()))
      ops.sizes.set(old, getMemRefSizes(b, argument));
  }
  llvm::append_range(outs, block->getArguments().drop_front(inputs));
  for (auto [i, t] : llvm::enumerate(type.getResults()))
    if (!isa<TensorType>(t))
      to.setArgAttr(inputs + i, numberResultAttr, b.getUnitAttr());
}

bool FunctionLowering::assignOut(Value value, Value out) {
  Operation *op = value.getDefiningOp();
  if (!isa<TensorType>(value.getType()) || !op || outOf.count(value) ||
      isa<arith::ConstantOp>(op))
    return false;
  Value source = getViewSource(value);
  if (!source) {
    outOf[value] = out;
    return true;
  }
  Value view;
  if (isa<DetachOp>(op))
    view = out;
  else if (isa<tensor::CastOp>(op))
    view = memref::CastOp::create(
        b, cast<MemRefType>(getBufferType(source.getType())), out);
  else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    view = memref::CollapseShapeOp::create(b, out,
                                           expand.getReassociationIndices());
  return view && view.getType() == getBufferType(source.getType()) &&
         assignOut(source, view);
}

void FunctionLowering::findLastUses() {
  for (auto [index, op] : llvm::enumerate(from.front())) {
    for (Value v : op.getOperands())
      if (Value root = rootOf.lookup(v))
        lastUse[root] = index;
    for (Value v : op.getResults())
      if (isa<TensorType>(v.getType())) {
        Value source = getViewSource(v);
        Value root = source ? rootOf.lookup(source) : v;
        if (auto place = ops.places.find(v); place != ops.places.end())
          root = place->second.first;
        rootOf[v] = root;
        if (root)
          lastUse[root] = index;
      }
  }
}

void FunctionLowering::release(Operation *op, unsigned index) {
  auto free = [&](Value v) {
    Value root = rootOf.lookup(v);
    if (!root || lastUse.lookup(root) != index)
      return;
    auto it = allocated.find(root);
    if (it == allocated.end())
      return;
    memref::DeallocOp::create(b, it->second);
    allocated.erase(it);
  };
  llvm::for_each(op->getOperands(), free);
  llvm::for_each(op->getResults(), free);
}

void FunctionLowering::emitReturn(func::ReturnOp op) {
  for (auto [v, out, isInPlace] : llvm::zip(op.getOperands(), outs, inPlace)) {
    Value value = ops.values.lookup(v);
    if (!isa<TensorType>(v.getType()))
      emitStore(b, value, out);
    else if (!isInPlace)
      emitter.emitCopy(b, value, out);
  }
}

LogicalResult FunctionLowering::run() {
  createFunction();
  auto end = cast<func::ReturnOp>(from.front().getTerminator());
  for (auto [v, out] : llvm::zip(end.getOperands(), outs))
    inPlace.push_back(assignOut(v, out));
  ops.places =
      findPlaces(from.front(), [&](Value v) { return !outOf.count(v); });
  findLastUses();
  ops.bufferOf = [&](ImplicitLocOpBuilder &b, OpResult result) {
    if (Value out = outOf.lookup(result))
      return out;
    return allocated[result] = emitAlloc(b, getBufferType(result.getType()),
                                         ops.sizes.get(b, result));
  };
  for (auto [index, op] : llvm::enumerate(from.front().without_terminator())) {
    b.setLoc(op.getLoc());
    if (failed(ops.lower(b, &op)))
      return failure();
    release(&op, index);
  }
  b.setLoc(end.getLoc());
  emitReturn(end);
  for (auto [root, buffer] : allocated)
    memref::DeallocOp::create(b, buffer);
  func::ReturnOp::create(b);
  from.erase();
  return success();
}

/// Erases ops without uses, last first.
static void eraseDeadOps(func::FuncOp f) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(f.front().getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Writes the element of a row of one element as its sum again, which is what
/// the canonicalizer found: emitters then see one op less.
static void restoreSums(func::FuncOp f) {
  f.walk([](RowwiseOp rowwise) {
    for (auto extract : llvm::make_early_inc_range(
             rowwise.getBlock().getOps<vector::ExtractOp>())) {
      OpBuilder b(extract);
      Value sum = vector::ReductionOp::create(
          b, extract.getLoc(), vector::CombiningKind::ADD, extract.getSource());
      extract.getResult().replaceAllUsesWith(sum);
      extract.erase();
    }
  });
}

static LogicalResult check(func::FuncOp f) {
  if (!f.getBody().hasOneBlock())
    return f.emitOpError("expects one block, but got ")
           << f.getBody().getBlocks().size();
  for (TypeRange types :
       {TypeRange(f.getArgumentTypes()), TypeRange(f.getResultTypes())})
    for (Type type : types)
      if (!getBufferType(type))
        return f.emitOpError("expects plain tensors and numbers in its type, "
                             "but got ")
               << type;
  for (Operation &op : f.front().without_terminator())
    if (failed(OpLowering::check(&op)))
      return failure();
  return success();
}

LogicalResult geo::lowerToBuffers(ModuleOp module, ConstructEmitter &emitter) {
  SmallVector<func::FuncOp> functions;
  for (auto f : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (f.isDeclaration())
      continue;
    eraseDeadOps(f);
    restoreSums(f);
    functions.push_back(f);
  }
  for (func::FuncOp f : functions)
    if (failed(check(f)))
      return failure();
  for (func::FuncOp f : functions)
    if (failed(FunctionLowering(f, emitter).run()))
      return failure();
  return success();
}
