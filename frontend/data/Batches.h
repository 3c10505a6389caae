// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_BATCHES_H
#define GEOC_FRONTEND_DATA_BATCHES_H

#include "frontend/data/Corpus.h"
#include "runtime/Tensor.h"

namespace geo::data {

/// How a text becomes sequences, each read from the start state on.
enum class Protocol {
  /// Each line by itself, cut every `context` words into separate sequences;
  /// every word is scored, a sequence's first from the start state. Line ends
  /// are no words.
  Lines,
  /// The stream without line ends in windows of context + 1 words, window i
  /// being words i * context .. i * context + context: neighbours share one
  /// word, which the second does not score. (words - 1) / context windows, the
  /// rest of the stream is dropped.
  Windows,
};

/// "lines" or "windows", and back.
const char *name(Protocol protocol);
rt::Expected<Protocol> parseProtocol(std::string_view text);

struct BatchOptions {
  Protocol protocol = Protocol::Lines;
  int64_t context = 64;
  int64_t batch = 128;
  /// The number of steps is padded to a multiple of this (a truncation length).
  int64_t multiple = 1;
  /// Shuffle by (seed, epoch). Without, batches go from short to long
  /// sequences.
  bool shuffle = false;
  uint64_t seed = 0;
};

/// Time-major. The model's output at step t is made from the state before it
/// reads ids[t], and is scored against targets[t], which is the same word
/// (unless the lines bring targets of their own), where mask[t] is 1. In
/// windows step 0 is read but not scored. Padding has id, target and mask 0.
struct Batch {
  rt::Tensor ids;     ///< I32 [steps, rows]
  rt::Tensor targets; ///< I32 [steps, rows]
  rt::Tensor mask;    ///< F32 [steps, rows], 0 or 1
  int64_t steps = 0, rows = 0;
  int64_t scored = 0; ///< number of ones in mask
};

/// All batches of one pass over a text. A batch has `batch` rows but for one,
/// which may have fewer.
class Batches {
public:
  /// Errors: context, batch or multiple below 1; a text too short for one
  /// window; targets of the lines' own with the protocol Lines, whose first
  /// words would have none. `where` names the text.
  static rt::Expected<Batches> create(const Lines &lines,
                                      const BatchOptions &options,
                                      std::string_view where);

  /// With shuffle: the order of this epoch, the same for the same seed and
  /// epoch whatever came before. Sequences of similar length share a batch.
  void startEpoch(uint64_t epoch);

  int64_t size() const { return int64_t(groups.size()); }
  Batch get(int64_t i) const;

  int64_t numSequences() const { return int64_t(sequences.size()); }
  /// Words scored by all batches together.
  int64_t scoredWords() const;
  /// Steps times rows of all batches: what is computed, padding included.
  int64_t cells() const;

private:
  struct Sequence {
    int64_t begin, length; // in ids
  };
  struct Group {
    int64_t first, count; // in sequences
  };
  explicit Batches(BatchOptions options) : options(options) {}
  void makeGroups();
  int64_t stepsOf(const Group &group) const;

  BatchOptions options;
  std::vector<int32_t> ids, targets; // targets: see Lines
  std::vector<Sequence> natural;     // in the text's order
  std::vector<Sequence> sequences;
  std::vector<Group> groups;
};

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_BATCHES_H
