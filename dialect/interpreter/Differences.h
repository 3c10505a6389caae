// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients by differences of the interpreter's long doubles.
#ifndef GEOC_DIALECT_INTERPRETER_DIFFERENCES_H
#define GEOC_DIALECT_INTERPRETER_DIFFERENCES_H

#include "dialect/interpreter/Interpreter.h"

namespace geo {

/// The gradient of the first result of `function`, a number, by the argument
/// `wrt`: differences of fourth order with the given step, element by element.
/// With `freezes`, what gradients take as constant (geo.detach, the states that
/// enter truncated segments) keeps its value.
llvm::FailureOr<Datum> finiteDifferenceGradient(mlir::func::FuncOp function,
                                                llvm::ArrayRef<Datum> arguments,
                                                unsigned wrt, long double step,
                                                bool freezes = true);

/// One element of that gradient, with the step chosen so that a step ten times
/// as long tells the same to `tolerance` (relative to `scale` or the value,
/// whichever is larger). Absent where no step does: at a kink, a singularity,
/// or where differences have no digits left.
llvm::FailureOr<std::optional<long double>>
adaptiveDifference(mlir::func::FuncOp function, llvm::ArrayRef<Datum> arguments,
                   unsigned wrt, int64_t element, long double tolerance,
                   long double scale);

} // namespace geo

#endif // GEOC_DIALECT_INTERPRETER_DIFFERENCES_H
