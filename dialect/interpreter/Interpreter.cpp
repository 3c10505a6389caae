// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions, blocks, and the ops on tensors that only move data.
#include "dialect/interpreter/Interpreter.h"
#include "dialect/interpreter/Detail.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;
using namespace geo::interpreter;

Datum Datum::zeros(ArrayRef<int64_t> shape) {
  size_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return Datum(shape, std::vector<long double>(count, 0));
}

Datum Datum::slice(int64_t i) const {
  Datum result = zeros(ArrayRef<int64_t>(shape).drop_front());
  std::copy_n(data.begin() + i * result.size(), result.size(),
              result.data.begin());
  return result;
}

void Datum::setSlice(int64_t i, const Datum &value) {
  std::copy(value.data.begin(), value.data.end(),
            data.begin() + i * value.size());
}

void FrozenValues::pass(Datum &value) {
  if (!replaying)
    values.push_back(value);
  else
    value = values[next++];
}

/// The argument has the shape of its type, and as many elements.
static LogicalResult verifyArgument(func::FuncOp function, unsigned index,
                                    const Datum &argument) {
  Type type = function.getArgumentTypes()[index];
  SmallVector<int64_t> shape;
  if (auto shaped = dyn_cast<ShapedType>(type))
    shape = llvm::to_vector(shaped.getShape());
  bool fits = shape.size() == argument.shape.size();
  int64_t count = 1;
  for (int64_t size : argument.shape)
    count *= size;
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = ShapedType::isDynamic(shape[i]) || shape[i] == argument.shape[i];
  if (fits && count == argument.size())
    return success();
  auto error = function.emitOpError("expects argument ")
               << index << " of type " << type << ", but got shape [";
  llvm::interleaveComma(argument.shape, error);
  return error << "] with " << argument.size() << " elements";
}

Results Interpreter::call(func::FuncOp function, ArrayRef<Datum> arguments) {
  if (function.isExternal())
    return function.emitOpError("expects a function with a body to interpret, "
                                "but got a declaration");
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a body of one block, but got ")
           << function.getBody().getBlocks().size();
  if (arguments.size() != function.getNumArguments())
    return function.emitOpError("expects ")
           << function.getNumArguments() << " arguments, but got "
           << arguments.size();
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (failed(verifyArgument(function, i, arguments[i])))
      return failure();
  constexpr int maxDepth = 64;
  if (depth == maxDepth)
    return function.emitOpError("expects calls to nest at most ")
           << maxDepth << " deep, but got recursion";
  ++depth;
  Results results = run(function.getBody().front(), arguments);
  --depth;
  return results;
}

Results Interpreter::run(Block &block, ArrayRef<Datum> arguments) {
  DenseMap<Value, Datum> values;
  for (auto [argument, datum] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = datum;
  for (Operation &op : block.without_terminator()) {
    SmallVector<const Datum *> operands;
    for (Value v : op.getOperands())
      operands.push_back(&values.find(v)->second);
    Results results = evaluate(&op, operands);
    if (failed(results))
      return failure();
    for (auto [result, datum] : llvm::zip_equal(op.getResults(), *results))
      values[result] = std::move(datum);
  }
  SmallVector<Datum> yielded;
  for (Value v : block.getTerminator()->getOperands())
    yielded.push_back(values.find(v)->second);
  return yielded;
}

/// A reshape keeps the row-major order of elements.
static Results reshape(Operation *op, const Datum &source,
                       ArrayRef<int64_t> shape) {
  Datum result = Datum::zeros(shape);
  if (result.size() != source.size())
    return op->emitOpError("expects ")
           << source.size() << " elements, but got " << result.size();
  result.data = source.data;
  return SmallVector<Datum>{result};
}

static Results collapse(tensor::CollapseShapeOp op, const Datum &source) {
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t dimension : group)
      shape.back() *= source.shape[dimension];
  }
  return reshape(op, source, shape);
}

static Results expand(tensor::ExpandShapeOp op,
                      ArrayRef<const Datum *> operands) {
  SmallVector<int64_t> shape(op.getStaticOutputShape());
  ArrayRef<const Datum *> sizes = operands.drop_front();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size)) {
      size = static_cast<int64_t>(sizes.front()->number());
      sizes = sizes.drop_front();
    }
  return reshape(op, *operands[0], shape);
}

static Results dim(tensor::DimOp op, const Datum &source, const Datum &index) {
  auto i = static_cast<int64_t>(index.number());
  if (i < 0 || i >= static_cast<int64_t>(source.shape.size()))
    return op.emitOpError("expects a dimension below ")
           << source.shape.size() << ", but got " << i;
  return SmallVector<Datum>{Datum(source.shape[i])};
}

static Results splat(tensor::SplatOp op, ArrayRef<const Datum *> operands) {
  SmallVector<int64_t> shape(op.getType().getShape());
  ArrayRef<const Datum *> sizes = operands.drop_front();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size)) {
      size = static_cast<int64_t>(sizes.front()->number());
      sizes = sizes.drop_front();
    }
  Datum result = Datum::zeros(shape);
  llvm::fill(result.data, operands[0]->number());
  return SmallVector<Datum>{result};
}

Results Interpreter::evaluate(Operation *op, Operands operands) {
  if (std::optional<Datum> number = evaluateNumberOp(op, operands))
    return SmallVector<Datum>{std::move(*number)};
  return TypeSwitch<Operation *, Results>(op)
      .Case([&](RowwiseOp o) { return rowwise(o, operands); })
      .Case([&](PairwiseOp o) { return pairwise(o, operands); })
      .Case([&](PairwiseGradOp o) { return pairwiseGrad(o, operands); })
      .Case([&](ScanOp o) { return scan(o, operands); })
      .Case([&](MatmulOp o) { return matmul(o, *operands[0], *operands[1]); })
      .Case([&](GatherOp o) { return gather(o, *operands[0], *operands[1]); })
      .Case([&](ScatterAddOp o) {
        return scatterAdd(o, *operands[0], *operands[1],
                          o.getSize() ? operands[2] : nullptr);
      })
      .Case([&](ColumnsOp o) { return columns(o, *operands[0]); })
      .Case([&](ConcatColumnsOp o) { return concatColumns(o, operands); })
      .Case([&](WithVjpOp o) -> Results {
        SmallVector<Datum> arguments;
        for (const Datum *operand : operands)
          arguments.push_back(*operand);
        return run(o.getBody().front(), arguments);
      })
      .Case([&](ReportOutsideOp o) -> Results {
        for (int64_t i = 0; i < operands[0]->size(); ++i)
          if (!(operands[0]->data[i] < operands[1]->data[i]))
            return o.emitOpError("expects points inside of their manifold, but "
                                 "got row ")
                   << i << " of norm "
                   << static_cast<double>(operands[0]->data[i]) << ", limit "
                   << static_cast<double>(operands[1]->data[i]);
        return SmallVector<Datum>();
      })
      .Case([&](DetachOp) -> Results {
        Datum value = *operands[0];
        if (frozen)
          frozen->pass(value);
        return SmallVector<Datum>{value};
      })
      .Case(
          [&](tensor::CollapseShapeOp o) { return collapse(o, *operands[0]); })
      .Case([&](tensor::ExpandShapeOp o) { return expand(o, operands); })
      .Case([&](tensor::DimOp o) { return dim(o, *operands[0], *operands[1]); })
      .Case([&](tensor::CastOp) -> Results {
        return SmallVector<Datum>{*operands[0]};
      })
      .Case([&](tensor::SplatOp o) { return splat(o, operands); })
      .Case([&](func::CallOp o) -> Results {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            o, o.getCalleeAttr());
        if (!callee)
          return o.emitOpError("expects a function of the module, but got ")
                 << o.getCalleeAttr();
        SmallVector<Datum> arguments;
        for (const Datum *operand : operands)
          arguments.push_back(*operand);
        return call(callee, arguments);
      })
      .Default([](Operation *unknown) -> Results {
        return unknown->emitOpError(
            "expects to stand outside of interpreted functions: it has no "
            "exact reading");
      });
}

FailureOr<SmallVector<Datum>> geo::interpret(func::FuncOp function,
                                             ArrayRef<Datum> arguments,
                                             FrozenValues *frozen) {
  return Interpreter(frozen).call(function, arguments);
}
