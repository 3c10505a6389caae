// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner products of rows that are sums over both sides of a pair formula.
#ifndef GEOC_PASSES_EXPAND_PAIRSUMS_H
#define GEOC_PASSES_EXPAND_PAIRSUMS_H

#include "passes/expand/PairSplit.h"

namespace geo {

/// Rewrites the geo.dots of `formula` that no Gram is, where their rows are
/// sums of rows of one side each, perhaps scaled: with p, r made of rows, q, s
/// of columns, and any number t
///   sqnorm(p + q) stands as sqnorm(p - (-q)), one difference,
///   dot(p + q, r + s) becomes <p, r> + <p, s> + <r, q> + <q, s>,
///   dot(t (p + q), r) becomes t <p + q, r>.
/// Others are left as they are.
void splitSums(PairFormula &formula);

} // namespace geo

#endif // GEOC_PASSES_EXPAND_PAIRSUMS_H
