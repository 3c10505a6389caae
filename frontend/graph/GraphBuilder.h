// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds functions of the geo dialect from C++.
#ifndef GEOC_FRONTEND_GRAPH_GRAPHBUILDER_H
#define GEOC_FRONTEND_GRAPH_GRAPHBUILDER_H

#include "dialect/Geo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace geo {

using Values = llvm::SmallVector<mlir::Value>;
using Exs = llvm::SmallVector<Ex>;

/// A named argument of a function under construction.
struct Argument {
  std::string name;
  mlir::Type type;
};

/// What the body of a scan yields: new states, and outputs to be stacked.
struct ScanYield {
  Values states, outputs;
};

/// Appends functions to a module. Values are numbers (f64), plain tensors and
/// batches of points; row programs take points as their coordinates.
class GraphBuilder {
public:
  /// `storage` is the element type of floats(): f32 if absent, or f64.
  explicit GraphBuilder(mlir::ModuleOp module, mlir::FloatType storage = {});

  mlir::ImplicitLocOpBuilder &getBuilder() { return b; }

  //===------------------------------------------------------------------===//
  // Types; a negative size is dynamic
  //===------------------------------------------------------------------===//

  mlir::Type numberType() { return b.getF64Type(); }
  /// Of the storage type and `shape`, points if there is a manifold.
  mlir::RankedTensorType floats(llvm::ArrayRef<int64_t> shape,
                                ManifoldInterface manifold = {});
  /// f32 of 0 or 1, whatever the storage.
  mlir::RankedTensorType masks(llvm::ArrayRef<int64_t> shape);
  mlir::RankedTensorType ids(llvm::ArrayRef<int64_t> shape);

  //===------------------------------------------------------------------===//
  // Functions
  //===------------------------------------------------------------------===//

  using Body = llvm::function_ref<Values(mlir::ValueRange)>;
  mlir::func::FuncOp function(llvm::StringRef name,
                              llvm::ArrayRef<Argument> arguments, Body body,
                              bool isPrivate = false);
  /// The results of `callee`, followed by the gradients of its first with
  /// respect to the arguments `wrt`.
  Values gradient(mlir::func::FuncOp callee, mlir::ValueRange arguments,
                  llvm::ArrayRef<int64_t> wrt);

  //===------------------------------------------------------------------===//
  // Numbers
  //===------------------------------------------------------------------===//

  Ex number(double value);
  /// The handle of a number.
  Ex ex(mlir::Value number) { return {b, number}; }
  Ex maximum(Ex x, Ex y);

  //===------------------------------------------------------------------===//
  // Constructs
  //===------------------------------------------------------------------===//

  using RowBody = llvm::function_ref<Exs(llvm::ArrayRef<Ex> rows,
                                         llvm::ArrayRef<Ex> shared)>;
  /// A row program; the last `numSums` values of the body are summed over rows.
  Values rowwise(mlir::ValueRange rows, mlir::ValueRange shared, RowBody body,
                 int64_t numSums = 0);
  /// a b, or a b^T.
  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeB = false);
  mlir::Value gather(mlir::Value table, mlir::Value ids);

  using ScanBody = llvm::function_ref<ScanYield(mlir::ValueRange states,
                                                mlir::ValueRange steps,
                                                mlir::ValueRange shared)>;
  /// Final states, then stacked outputs.
  Values scan(mlir::ValueRange init, mlir::ValueRange inputs,
              mlir::ValueRange shared, int64_t truncate, ScanBody body);

  //===------------------------------------------------------------------===//
  // Shapes
  //===------------------------------------------------------------------===//

  /// [A, B, ...] -> [A * B, ...]
  mlir::Value mergeLeading(mlir::Value x);
  /// [A * B, ...] -> [A, B, ...], with A and B taken from `like`.
  mlir::Value splitLeading(mlir::Value x, mlir::Value like);
  /// [d] -> [1, d]
  mlir::Value asRow(mlir::Value vector);
  /// The coordinates of points, other tensors as they are.
  mlir::Value plain(mlir::Value x);

private:
  mlir::ImplicitLocOpBuilder b;
  mlir::FloatType storage;
};

/// A manifold with the values of its learnable curvatures, in one region.
class Space {
public:
  Space(GraphBuilder &graph, ManifoldInterface manifold,
        mlir::ValueRange curvature = {})
      : g(graph), manifold(manifold),
        curvature(curvature.begin(), curvature.end()) {}
  /// The same space in another region, which has its curvatures as arguments.
  Space with(mlir::ValueRange curvature) const {
    return Space(g, manifold, curvature);
  }

  ManifoldInterface getManifold() const { return manifold; }
  mlir::ValueRange getCurvature() const { return curvature; }
  /// Whether rows may have to be moved back.
  bool hasProjection() const;
  /// Asserts that plain rows are points.
  mlir::Value point(mlir::Value coordinates) const;

  /// See the ops of these names. In flat space vectors and points are the same
  /// coordinates, so the maps are free.
  mlir::Value expmap0(mlir::Value v) const;
  mlir::Value logmap0(mlir::Value x) const;
  mlir::Value expmap(mlir::Value x, mlir::Value v) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value project(mlir::Value coordinates, double fraction) const;
  /// Plain results but for retract(); inner() is one number for each row.
  mlir::Value logmap(mlir::Value x, mlir::Value y) const;
  mlir::Value egrad2rgrad(mlir::Value x, mlir::Value gradient) const;
  mlir::Value retract(mlir::Value x, mlir::Value v) const;
  mlir::Value transport(mlir::Value x, mlir::Value y, mlir::Value v) const;
  mlir::Value inner(mlir::Value x, mlir::Value u, mlir::Value v) const;
  mlir::Value distanceNll(mlir::Value h, mlir::Value e, mlir::Value targets,
                          mlir::Value tau) const;
  mlir::Value distanceLogSoftmax(mlir::Value h, mlir::Value e,
                                 mlir::Value tau) const;

private:
  mlir::Type pointType(mlir::Value like) const;

  GraphBuilder &g;
  ManifoldInterface manifold;
  Values curvature;
};

} // namespace geo

#endif // GEOC_FRONTEND_GRAPH_GRAPHBUILDER_H
