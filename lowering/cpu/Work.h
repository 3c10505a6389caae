// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the code being emitted runs: at function level on all threads, or on
// one thread's rows inside a scan.
#ifndef GEOC_LOWERING_CPU_WORK_H
#define GEOC_LOWERING_CPU_WORK_H

#include "dialect/Geo.h"
#include "lowering/cpu/CpuTarget.h"
#include "lowering/cpu/Gen.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace geo::cpu {

/// A scan under construction.
struct ScanFrame {
  /// Buffers of a thread are allocated before this op (the time loop).
  mlir::Operation *timeLoop;
  /// Buffers that all threads share are made before this op (the threads).
  mlir::Operation *threads;
  /// Rows that the thread owns, or null if rows are not split. A buffer of
  /// static size has more: the whole batch's.
  Value rows;
  /// Buffers that hold the same values at every step.
  llvm::DenseSet<Value> invariant;
  /// Packed forms of such buffers, and whether of the transpose.
  llvm::DenseMap<std::pair<Value, unsigned>, Value> packed;
  /// To free after the time loop, and after the threads.
  Values threadBuffers, sharedBuffers;
};

class Work {
public:
  Work(const CpuTarget &target) : target(target) {}
  const CpuTarget target;
  ScanFrame *scan = nullptr;

  /// At function level, the module.
  static mlir::ModuleOp getModule(Gen &g);

  /// The number of threads as an index, at function level.
  Value getThreadCount(Gen &g);

  /// Function level: body(tid, count) on every thread. Inside a scan:
  /// body(0, 1) here.
  void onThreads(Gen &g, llvm::function_ref<void(Value tid, Value count)> body);

  /// Runs `body` for one thread at function level and frees its buffers.
  void withBuffers(Gen &g, llvm::function_ref<void()> body);

  /// A buffer private to this thread: what `make` allocates, at a place where
  /// no loop repeats it. It is freed with the thread's part.
  Value makeBuffer(Gen &g, llvm::function_ref<Value()> make);

  /// Rows of `memref` to work on.
  Value getRows(Gen &g, Value memref) {
    return scan && scan->rows ? scan->rows : g.dim(memref, 0);
  }

  /// The part of [0, total) of thread `tid`: {lower, upper}, where inner bounds
  /// are multiples of `unit`.
  static std::pair<Value, Value> getPart(Gen &g, Value total, int64_t unit,
                                         Value tid, Value count);

private:
  Values *threadBuffers = nullptr;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_WORK_H
