// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact reading of functions made of the constructs: every number is a long
// double and nothing is rounded to its IR type. It is the oracle of code
// generation and of derived gradients, so it is written to be obviously right,
// not to be fast.
#ifndef GEOC_DIALECT_INTERPRETER_INTERPRETER_H
#define GEOC_DIALECT_INTERPRETER_INTERPRETER_H

#include "dialect/Formula.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace geo {

/// The value of one SSA value: a number, an index, a truth value (0 or 1) or an
/// id as one element of rank 0; a row (rank 1) or a tensor in row-major order.
/// A long double holds every i64, so integers are stored in the same way.
struct Datum {
  llvm::SmallVector<int64_t, 3> shape;
  std::vector<long double> data;

  Datum() = default;
  Datum(long double number) : data{number} {}
  Datum(llvm::ArrayRef<int64_t> shape, std::vector<long double> data)
      : shape(shape), data(std::move(data)) {}
  static Datum zeros(llvm::ArrayRef<int64_t> shape);

  int64_t size() const { return static_cast<int64_t>(data.size()); }
  long double number() const { return data.front(); }
  /// The slice `i` along the leading dimension.
  Datum slice(int64_t i) const;
  void setSlice(int64_t i, const Datum &value);
};

/// What gradients take as constant: the operands of geo.detach, and the states
/// that enter each truncated segment of a scan. A first run records them in the
/// order of evaluation; later runs, after `startReplay`, get them back whatever
/// their arguments, so that their differences see what the gradient means.
class FrozenValues {
public:
  void startReplay() {
    replaying = true;
    next = 0;
  }
  /// Records `value`, or replaces it by the recorded one.
  void pass(Datum &value);

private:
  std::vector<Datum> values;
  size_t next = 0;
  bool replaying = false;
};

/// Runs `function` on `arguments`, whose shapes match its argument types. The
/// function may hold geo.rowwise, pairwise, pairwise_grad, matmul, gather,
/// scatter_add, columns, concat_columns, scan and detach on plain tensors, ops
/// of arith and math, reshapes, tensor.dim and func.call; any other op is an
/// error. Ids outside their table are an error, too.
llvm::FailureOr<llvm::SmallVector<Datum>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Datum> arguments,
          FrozenValues *frozen = nullptr);

/// The derivative of `order` 0, 1 or 2 in z of an even function (see geo.even),
/// to about 1e-17 relative.
long double evaluateEven(EvenFn fn, long double z, int order);

} // namespace geo

#endif // GEOC_DIALECT_INTERPRETER_INTERPRETER_H
