// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/CountModels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace geo::data {
namespace {

/// An n-gram's words, the last one in the lowest bits; a start mark is 0, a
/// word its number + 1.
__extension__ using Gram = unsigned __int128;
constexpr int wordBits = 25;
static_assert(wordBits * largestOrder <= 128);

Gram lastWords(Gram gram, int count) {
  return gram & ((Gram(1) << (wordBits * count)) - 1);
}

/// Counts of n-grams of one length, and for each context the sum of its counts
/// and the number of different words that follow it.
class Table {
public:
  explicit Table(std::vector<Gram> occurrences) {
    std::sort(occurrences.begin(), occurrences.end());
    for (Gram gram : occurrences) {
      if (grams.empty() || grams.back() != gram) {
        grams.push_back(gram);
        counts.push_back(0);
      }
      ++counts.back();
    }
    for (size_t i = 0; i < grams.size(); ++i) {
      Gram context = grams[i] >> wordBits;
      if (contexts.empty() || contexts.back() != context) {
        contexts.push_back(context);
        totals.push_back(0);
        kinds.push_back(0);
      }
      totals.back() += counts[i];
      ++kinds.back();
    }
  }

  const std::vector<Gram> &distinct() const { return grams; }
  int64_t count(Gram gram) const {
    size_t at = find(grams, gram);
    return at < grams.size() ? counts[at] : 0;
  }
  /// The total and the number of kinds after a context; {0, 0} if it is new.
  std::pair<int64_t, int64_t> context(Gram context) const {
    size_t at = find(contexts, context);
    if (at == contexts.size())
      return {0, 0};
    return {totals[at], kinds[at]};
  }

private:
  static size_t find(const std::vector<Gram> &sorted, Gram value) {
    auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    return at != sorted.end() && *at == value ? size_t(at - sorted.begin())
                                              : sorted.size();
  }
  std::vector<Gram> grams, contexts;
  std::vector<int64_t> counts, totals, kinds;
};

/// Calls `each` with the last largestOrder words at every word of the text.
template <typename Function>
void forEachGram(const Lines &lines, Protocol protocol, Function each) {
  Gram history = 0;
  for (int64_t i = 0; i < lines.numLines(); ++i) {
    if (protocol == Protocol::Lines)
      history = 0;
    for (int64_t k = 0; k < lines.lineLength(i); ++k) {
      history = lastWords(history << wordBits | Gram(lines.line(i)[k] + 1),
                          largestOrder);
      each(history);
    }
  }
}

class KneserNey {
public:
  KneserNey(const Lines &train, Protocol protocol, int maxOrder,
            int64_t vocabularySize, double discount)
      : uniform(1.0 / double(vocabularySize)), discount(discount) {
    for (int length = 1; length <= maxOrder; ++length) {
      std::vector<Gram> all;
      all.reserve(train.ids.size());
      forEachGram(train, protocol,
                  [&](Gram g) { all.push_back(lastWords(g, length)); });
      plain.emplace_back(std::move(all));
      if (length == 1)
        continue;
      std::vector<Gram> shorter;
      for (Gram gram : plain.back().distinct())
        shorter.push_back(lastWords(gram, length - 1));
      continuations.emplace_back(std::move(shorter));
    }
  }

  double probability(Gram history, int order) const {
    double p = uniform;
    for (int length = 1; length <= order; ++length) {
      const Table &table =
          length == order ? plain[length - 1] : continuations[length - 1];
      Gram gram = lastWords(history, length);
      auto [total, kinds] = table.context(gram >> wordBits);
      if (!total)
        break; // a longer context is as new
      double seen = std::max(double(table.count(gram)) - discount, 0.0);
      p = seen / double(total) + discount * double(kinds) / double(total) * p;
    }
    return p;
  }

private:
  double uniform, discount;
  std::vector<Table> plain, continuations; // [length - 1]
};

} // namespace

rt::Expected<std::vector<CountModel>>
countModels(const Lines &train, const Lines &scored, int64_t vocabularySize,
            Protocol protocol, int maxOrder, double discount) {
  if (maxOrder < 1 || maxOrder > largestOrder)
    return rt::expects("count models",
                       fmt::format("an order from 1 to {}", largestOrder),
                       fmt::format("{}", maxOrder));
  if (vocabularySize < 1 || vocabularySize > int64_t(1) << (wordBits - 1))
    return rt::expects("count models", "a vocabulary of 1 to 2^24 words",
                       fmt::format("{}", vocabularySize));
  KneserNey model(train, protocol, maxOrder, vocabularySize, discount);
  std::vector<CountModel> result;
  for (int order = 1; order <= maxOrder; ++order) {
    double sum = 0;
    forEachGram(scored, protocol, [&](Gram history) {
      sum += std::log(model.probability(history, order));
    });
    int64_t words = scored.numWords();
    result.push_back({order, std::exp(-sum / double(words)), words});
  }
  return result;
}

} // namespace geo::data
