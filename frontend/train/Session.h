// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's compiled functions, called on host tensors; no MLIR here.
#ifndef GEOC_FRONTEND_TRAIN_SESSION_H
#define GEOC_FRONTEND_TRAIN_SESSION_H

#include "frontend/train/Optimizer.h"
#include "lowering/Compiler.h"
#include "runtime/PointReport.h"
#include "runtime/Tensor.h"

#include <memory>

namespace geo {

/// Parameters in the order of getParameters(), the optimizer's state in that of
/// getSlots(), and the number of updates so far. Numbers are F64 tensors of
/// rank 0.
struct ModelState {
  std::vector<rt::Tensor> parameters, slots;
  int64_t updates = 0;
};

/// The dense row-major operands of a loss, see Rilm::batchArguments().
struct StepInput {
  int64_t steps = 0, rows = 0;
  int32_t *ids = nullptr;
  float *valid = nullptr;
  int32_t *targets = nullptr;
  float *mask = nullptr;
  int32_t *startTargets = nullptr;
  float *startMask = nullptr;
  /// [V, d] of the storage type; only for a training step with dropout.
  void *dropout = nullptr;
};

struct StepResult {
  double loss = 0;          ///< mean over the scored words; 0 if there is none
  double scored = 0;        ///< words
  double clippedStates = 0; ///< naive: states clipped to the ball's inside
  double gradientNorm = 0;  ///< before clipping
  double clippedPoints = 0; ///< rows of E and root that were projected
  /// Rows outside of their manifold, where the session looks for them.
  std::optional<rt::PointReport> outside;
  /// Of a training step: what kernels on the simt target did wrong; empty:
  /// nothing. Of all else, runtime/simt/Report.h has it.
  std::string finding;
};

/// What a session can do; each costs compile time.
struct SessionParts {
  bool train = false, evaluate = false, generate = false, gradient = false;
  bool project = false; ///< initial points onto their manifold
};

struct SessionOptions {
  std::string target = "cpu"; ///< or "loops"
  SessionParts parts;
  OptimizerConfig optimizer; ///< of the training step
  bool checkPoints = true;   ///< see CompileOptions
  bool simtCheck = false;    ///< see DeviceOptions
  BatchOptions batch;        ///< see CompileOptions
  /// Folder of the object cache; empty: none.
  std::string cacheDirectory;
};

class Session {
public:
  /// Errors: an unknown target, a model that does not compile (with the
  /// compiler's message).
  static rt::Expected<Session> create(const RilmConfig &config,
                                      const SessionOptions &options);
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  const RilmConfig &getConfig() const;
  /// One update of `state`, the loss being the one before it. A loss that is
  /// not finite leaves `state` as it was.
  StepResult train(ModelState &state, const StepInput &input, double lr,
                   double clip);
  /// What is not finite after train() returned such a loss or gradient norm:
  /// "parameter E", "the gradient of Wh", or "the loss".
  std::string findNonFinite(const ModelState &state) const;
  StepResult evaluate(ModelState &state, const StepInput &input);
  /// The loss, and the gradients of all parameters.
  StepResult gradient(ModelState &state, const StepInput &input,
                      std::vector<rt::Tensor> &gradients);
  /// Puts points onto their manifold.
  void project(ModelState &state);
  /// What generation needs of the parameters alone, to compute once for all
  /// words.
  std::vector<rt::Tensor> prepareGeneration(ModelState &state);
  /// Moves states [1, d] by the word ids [1] (not where valid [1] is 0), and
  /// gives the log-probabilities [1, V] of the next. `prepared` is what
  /// prepareGeneration gave for these parameters.
  void generate(ModelState &state, std::vector<rt::Tensor> &prepared,
                std::vector<rt::Tensor> &states, rt::Tensor &ids,
                rt::Tensor &valid, rt::Tensor &logProbabilities);

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The states [1, d] before the first word.
std::vector<rt::Tensor> initialStates(const RilmConfig &config,
                                      const ModelState &state);

/// The geo IR of a model's training step, as text. Errors: a model file that
/// does not parse.
rt::Expected<std::string>
exportTrainStep(const RilmConfig &config,
                const OptimizerConfig &optimizer = {});

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_SESSION_H
