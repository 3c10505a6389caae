// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fusion passes say about their candidates, through MLIR's remark engine:
// `geoc --remarks=fusion`, `geo-opt --remarks-filter=fusion`. Costs nothing
// where nobody asked.
#ifndef GEOC_PASSES_REMARKS_H
#define GEOC_PASSES_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace geo {

/// The category of all of them.
constexpr llvm::StringLiteral fusionRemarks = "fusion";

namespace detail {
inline mlir::remark::RemarkOpts getRemarkOpts(mlir::Operation *op,
                                              llvm::StringRef pass) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  return mlir::remark::RemarkOpts::name(pass)
      .category(fusionRemarks)
      .function(function ? function.getName() : "");
}
} // namespace detail

/// `pass`, without "geo-", rewrote `op`: say into what, with `<< "text"` or
/// `<< mlir::remark::add("format {0}", value)`. `pass` must be a literal. Call
/// it before `op` is erased.
inline mlir::remark::detail::InFlightRemark remarkFused(mlir::Operation *op,
                                                        llvm::StringRef pass) {
  return mlir::remark::passed(op->getLoc(), detail::getRemarkOpts(op, pass));
}

/// `op` was a candidate of `pass`, and stays as it is: say why.
inline mlir::remark::detail::InFlightRemark
remarkNotFused(mlir::Operation *op, llvm::StringRef pass) {
  return mlir::remark::missed(op->getLoc(), detail::getRemarkOpts(op, pass));
}

} // namespace geo

#endif // GEOC_PASSES_REMARKS_H
