// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a line through a compiled module.
#include "frontend/tools/geo-numerics.h"

using namespace geo;
using namespace geo::numerics;
using namespace mlir;

namespace {
/// `array` as a tensor; `leading` prepends a dimension of 1.
rt::Tensor makeTensor(rt::DType type, const Array &array, bool leading) {
  std::vector<int64_t> shape = array.shape;
  if (leading)
    shape.insert(shape.begin(), 1);
  rt::Tensor tensor(type, shape);
  for (size_t i = 0; i < array.values.size(); ++i)
    if (type == rt::DType::F32)
      tensor.data<float>()[i] = float(array.values[i]);
    else
      tensor.data<double>()[i] = array.values[i];
  return tensor;
}

/// A tensor of `like`'s shape whose contents mark what no program wrote.
rt::Tensor makeResult(rt::DType type, const Array &like, bool leading) {
  Array unwritten = like;
  llvm::fill(unwritten.values, std::nan(""));
  return makeTensor(type, unwritten, leading);
}

Array readTensor(const rt::Tensor &tensor, const Array &like) {
  Array array = like;
  for (size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = tensor.dtype() == rt::DType::F32
                          ? tensor.data<float>()[i]
                          : tensor.data<double>()[i];
  return array;
}

/// An input of the module: how it is stored, and whether one row of a batch.
struct Slot {
  std::string name;
  rt::DType type;
  bool leading;
};
} // namespace

LogicalResult geo::numerics::runLine(const Key &key, const Line &line,
                                     Program &program, Outcome &outcome) {
  std::vector<rt::Tensor> arguments;
  std::vector<Slot> gradients;
  for (const InputSpec &input : key.op->inputs) {
    std::string name = input.name.str();
    switch (input.kind) {
    case InputKind::constant:
      continue;
    case InputKind::target: {
      rt::Tensor ids(rt::DType::I32, {1});
      ids.data<int32_t>()[0] = int32_t(line.ints.at(name));
      arguments.push_back(std::move(ids));
      continue;
    }
    case InputKind::number:
      gradients.push_back({name, rt::DType::F64, false});
      break;
    case InputKind::point:
    case InputKind::vector:
      gradients.push_back({name, key.rowType(), true});
      break;
    case InputKind::table:
      gradients.push_back({name, key.rowType(), false});
      break;
    }
    const Slot &slot = gradients.back();
    arguments.push_back(makeTensor(slot.type, line.in.at(name), slot.leading));
  }
  if (key.manifold->hasCurvature) {
    arguments.push_back(rt::Tensor::scalar(line.c));
    gradients.push_back({"c", rt::DType::F64, false});
  }
  rt::DType resultType =
      key.op->result == ResultKind::numbers ? rt::DType::F64 : key.rowType();
  std::vector<rt::Tensor> results;
  results.push_back(makeResult(resultType, line.out, true));
  if (failed(program.call("value", arguments, results)))
    return failure();
  outcome.out = readTensor(results[0], line.out);

  arguments.push_back(makeTensor(resultType, line.ct, true));
  results.clear();
  results.push_back(rt::Tensor::scalar(std::nan("")));
  auto shapeOf = [&](const Slot &slot) {
    auto it = line.vjp.find(slot.name);
    return it == line.vjp.end() ? Array{{}, {0}} : it->second;
  };
  for (const Slot &slot : gradients)
    results.push_back(makeResult(slot.type, shapeOf(slot), slot.leading));
  if (failed(program.call("vjp", arguments, results)))
    return failure();
  for (auto [slot, result] :
       llvm::zip(gradients, llvm::ArrayRef(results).drop_front()))
    outcome.vjp[slot.name] = readTensor(result, shapeOf(slot));
  for (auto &[name, reference] : line.vjp) {
    auto [it, isNew] = outcome.vjp.try_emplace(name, reference);
    if (isNew)
      llvm::fill(it->second.values, 0.0);
  }
  return success();
}
