// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode: the cotangents of values, and the rules that propagate them.
#ifndef GEOC_PASSES_DIFFERENTIATE_ADJOINT_H
#define GEOC_PASSES_DIFFERENTIATE_ADJOINT_H

#include "dialect/Geo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace geo {

/// The values that depend on given ones through differentiable operations.
class Activity {
public:
  /// Marks `v` active by itself.
  void seed(mlir::Value v) { active.insert(v); }
  /// Marks what depends on active values, over the operations of `block` in
  /// order. Integers, indices and detached values are never active.
  void propagate(mlir::Block &block);
  bool contains(mlir::Value v) const { return active.contains(v); }

private:
  llvm::DenseSet<mlir::Value> active;
};

/// Cotangents of the values of one block, and the reverse walk over it. Keys
/// are the values of the original code; cotangents and the values that `primal`
/// maps to are usable at the builder's insertion point.
class Adjoint {
public:
  using WantsFn = std::function<bool(mlir::Value)>;

  /// Cotangents reach a value only if `wants` holds for it.
  Adjoint(mlir::ImplicitLocOpBuilder &builder, mlir::IRMapping &primal,
          WantsFn wants)
      : b(builder), primal(primal), wants(std::move(wants)) {}

  /// Adds a contribution to the cotangent of `original`, if it is wanted.
  void add(mlir::Value original, mlir::Value cotangent);
  /// The sum of the contributions so far, or null if there is none.
  mlir::Value get(mlir::Value original);

  /// Propagates the cotangents of the results of `op` to its operands.
  /// Operations without wanted operands, and results without cotangents, are
  /// skipped; an operation without a rule is an error.
  mlir::LogicalResult propagate(mlir::Operation *op);
  /// Over all operations of `block`, last to first.
  mlir::LogicalResult propagate(mlir::Block &block);

  mlir::ImplicitLocOpBuilder &getBuilder() { return b; }
  mlir::Value getPrimal(mlir::Value original) {
    return primal.lookupOrDefault(original);
  }
  mlir::IRMapping &getPrimalMap() { return primal; }
  bool isWanted(mlir::Value original) const { return wants(original); }

  /// Shared operands of row programs for which this holds get, instead of a
  /// sum over rows, the contribution of each row: a batch of numbers or rows.
  WantsFn wantsByRow = [](mlir::Value) { return false; };

private:
  /// The rule of an op on numbers and rows (ProgramRules.cpp); returns whether
  /// there is one.
  bool propagateProgramOp(mlir::Operation *op, mlir::Value cotangent);
  mlir::LogicalResult propagateRowwise(RowwiseOp op);
  mlir::LogicalResult propagatePairwise(PairwiseOp op);
  mlir::LogicalResult propagateMatmul(MatmulOp op);
  mlir::LogicalResult propagateGather(GatherOp op);
  mlir::LogicalResult propagateScatterAdd(ScatterAddOp op);
  mlir::LogicalResult propagateColumns(ColumnsOp op);
  mlir::LogicalResult propagateConcatColumns(ConcatColumnsOp op);
  mlir::LogicalResult propagateReshape(mlir::Operation *op);
  /// ScanRule.cpp
  mlir::LogicalResult propagateScan(ScanOp op);

  mlir::ImplicitLocOpBuilder &b;
  mlir::IRMapping &primal;
  WantsFn wants;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> terms;
};

/// Makes functions of rows that their own derivatives read results of the row
/// programs in the scans of `function`, where they are none: a program whose
/// result a function is does not compute it again in its adjoint.
void exposeFunctions(mlir::func::FuncOp function);

/// a + b of two tensors (rank 1 to 3), numbers or rows of one type.
mlir::Value addValues(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      mlir::Value y);
/// Zeros of the shape of `like`: a tensor (rank 1 to 3) or a number.
mlir::Value makeZeros(mlir::ImplicitLocOpBuilder &b, mlir::Value like);
/// A tensor [T, B, ...] as [T * B, ...].
mlir::Value flattenSteps(mlir::ImplicitLocOpBuilder &b, mlir::Value stacked);
/// The reverse of flattenSteps, with T and B taken from `like` [T, B, ...].
mlir::Value unflattenSteps(mlir::ImplicitLocOpBuilder &b, mlir::Value flat,
                           mlir::Value like);

} // namespace geo

#endif // GEOC_PASSES_DIFFERENTIATE_ADJOINT_H
