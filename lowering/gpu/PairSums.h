// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// log-sum-exp of a row, in parts that are combined in a fixed order.
#ifndef GEOC_LOWERING_GPU_PAIRSUMS_H
#define GEOC_LOWERING_GPU_PAIRSUMS_H

#include "lowering/cpu/Gen.h"

namespace geo::device {

/// The largest of some logits, and the sum over the others of e^(z - max): what
/// is small beside 1 keeps its digits. A number each, or a vector of lanes; the
/// sum in f64.
struct LogSum {
  mlir::Value max, sum;
};

/// Of no logit: a finite maximum below every one that counts.
LogSum emitEmptySum(cpu::Gen &g, mlir::Type type);
/// With logits `z`, lane by lane; those of -infinity do not count.
LogSum emitAdd(cpu::Gen &g, LogSum sum, mlir::Value z);
/// Of two numbers.
LogSum emitMerge(cpu::Gen &g, LogSum a, LogSum b);
/// All lanes as one, in f64.
LogSum emitMergeLanes(cpu::Gen &g, LogSum sum);
/// True if a logit was counted.
mlir::Value isAnyCounted(cpu::Gen &g, LogSum sum);

/// e^x and log(1 + x) of numbers in f64, by arithmetic alone.
mlir::Value emitExp(cpu::Gen &g, mlir::Value x);
mlir::Value emitLog1p(cpu::Gen &g, mlir::Value x);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_PAIRSUMS_H
