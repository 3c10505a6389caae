// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target `loops`: scalar loops with sums in f64. Slow and obviously right: the
// oracle of the other targets.
#ifndef GEOC_LOWERING_LOOPS_LOOPSEMITTER_H
#define GEOC_LOWERING_LOOPS_LOOPSEMITTER_H

#include "lowering/ConstructEmitter.h"

namespace geo {

class LoopsEmitter : public ConstructEmitter {
public:
  mlir::LogicalResult emitRowwise(mlir::ImplicitLocOpBuilder &b, RowwiseOp op,
                                  mlir::ValueRange operands,
                                  mlir::ValueRange outs) override;
  mlir::LogicalResult emitPairwise(mlir::ImplicitLocOpBuilder &b, PairwiseOp op,
                                   mlir::ValueRange operands,
                                   mlir::ValueRange outs) override;
  mlir::LogicalResult emitPairwiseGrad(mlir::ImplicitLocOpBuilder &b,
                                       PairwiseGradOp op,
                                       mlir::ValueRange operands,
                                       mlir::ValueRange outs) override;
  mlir::LogicalResult emitMatmul(mlir::ImplicitLocOpBuilder &b, MatmulOp op,
                                 mlir::ValueRange operands,
                                 mlir::Value out) override;
  mlir::LogicalResult emitGather(mlir::ImplicitLocOpBuilder &b, GatherOp op,
                                 mlir::ValueRange operands,
                                 mlir::Value out) override;
  mlir::LogicalResult emitScatterAdd(mlir::ImplicitLocOpBuilder &b,
                                     ScatterAddOp op, mlir::ValueRange operands,
                                     mlir::Value out) override;
  mlir::LogicalResult emitColumns(mlir::ImplicitLocOpBuilder &b, ColumnsOp op,
                                  mlir::Value x, mlir::Value out) override;
  mlir::LogicalResult emitConcatColumns(mlir::ImplicitLocOpBuilder &b,
                                        ConcatColumnsOp op,
                                        mlir::ValueRange pieces,
                                        mlir::Value out) override;
  mlir::LogicalResult emitScan(mlir::ImplicitLocOpBuilder &b, ScanOp op,
                               mlir::ValueRange operands, mlir::ValueRange outs,
                               StepFn emitStep) override;
};

} // namespace geo

#endif // GEOC_LOWERING_LOOPS_LOOPSEMITTER_H
