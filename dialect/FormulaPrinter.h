// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas as infix text, for documentation.
#ifndef GEOC_DIALECT_FORMULAPRINTER_H
#define GEOC_DIALECT_FORMULAPRINTER_H

#include "dialect/Geo.h"
#include <string>

namespace geo {

/// The values `results`, which ops on rows and numbers made of values with
/// `names`, as one line each: `name = expression`. A value that is used more
/// than once gets a line and a name t1, t2, ... of its own. Parentheses stand
/// where precedence needs them; <x, y> is an inner product, f' and f'' are
/// derivatives of an even function in the squared norm.
std::string
printExpressions(llvm::ArrayRef<mlir::Value> results,
                 llvm::ArrayRef<std::string> resultNames,
                 const llvm::DenseMap<mlir::Value, std::string> &names);

/// The page of a manifold that needs no module: every standard formula that it
/// has. Rows have two coordinates.
std::string printFormulas(ManifoldInterface manifold);

} // namespace geo

#endif // GEOC_DIALECT_FORMULAPRINTER_H
