// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_COUNTMODELS_H
#define GEOC_FRONTEND_DATA_COUNTMODELS_H

#include "frontend/data/Batches.h"

namespace geo::data {

constexpr int largestOrder = 5;

/// Perplexity of interpolated Kneser-Ney n-gram models (Chen and Goodman, 1999,
/// equation 4.34, one discount for all orders), the floor that a model of
/// sequences must beat. Order 1 is the (discounted) unigram model.
///
///   p_k(w | u) = max(c_k(u w) - D, 0) / sum_w' c_k(u w')
///              + D |{w': c_k(u w') > 0}| / sum_w' c_k(u w') p_{k-1}(w | u')
///
/// with u' = u less its first word, p_0 = 1 / V, c_k counts in the training
/// text for the highest order and numbers of distinct words to the left below
/// it; where u was never seen, p_k = p_{k-1}. In lines every line starts from
/// k - 1 marks that are not scored, and is not cut; in windows the text is one
/// stream, and its first word is scored too.
struct CountModel {
  int order;
  double perplexity; ///< NaN if there is no word to score
  int64_t scoredWords;
};

/// One entry for each order 1 .. maxOrder (at most largestOrder). Words are
/// below `vocabularySize`, which is at most 2^24.
rt::Expected<std::vector<CountModel>>
countModels(const Lines &train, const Lines &scored, int64_t vocabularySize,
            Protocol protocol, int maxOrder = largestOrder,
            double discount = 0.75);

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_COUNTMODELS_H
