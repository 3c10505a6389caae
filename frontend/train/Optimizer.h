// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How parameters are updated, for the host side; no MLIR here. The formulas are
// in docs/training.md.
#ifndef GEOC_FRONTEND_TRAIN_OPTIMIZER_H
#define GEOC_FRONTEND_TRAIN_OPTIMIZER_H

#include "frontend/models/RilmConfig.h"
#include "runtime/Tensor.h"

#include <map>

#include <nlohmann/json_fwd.hpp>

namespace geo {

/// adam: Adam on the coordinates, then projection; rsgd: Riemannian stochastic
/// gradient descent; radam: Riemannian Adam.
enum class OptimizerKind { adam, rsgd, radam };
/// How rsgd and radam move a point along a tangent vector: by the exponential
/// map, or by the manifold's retraction of first order.
enum class Retraction { exp, firstOrder };

const char *name(OptimizerKind kind);
const char *name(Retraction retraction);

/// What one parameter has of its own.
struct ParameterSettings {
  /// Instead of the common ones; the schedule scales both rates alike.
  std::optional<double> lr, weightDecay;
  bool frozen = false;
};

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::adam;
  Retraction retraction = Retraction::exp;
  double lr = 3e-3;    ///< before the schedule
  double momentum = 0; ///< of rsgd; in 0 .. below 1
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8; ///< of adam and radam
  /// Decoupled from the gradient; of points and matrices only, unless
  /// `parameters` says otherwise.
  double weightDecay = 0;
  /// By getSettingsName().
  std::map<std::string, ParameterSettings> parameters;
};

/// The name that a parameter has in settings and checkpoints: Wh and We are W.
std::string getSettingsName(const Parameter &parameter);

/// What holds for one parameter: the rate as a multiple of the common one.
struct ResolvedSettings {
  double lrFactor = 1, weightDecay = 0;
  bool frozen = false;
};
ResolvedSettings resolve(const OptimizerConfig &config,
                         const Parameter &parameter);

/// The type of a model's tensors: of its states and tables, and of parameter
/// `p` in the host's tensors and in files.
rt::DType storageType(const RilmConfig &config);
rt::DType storageType(const RilmConfig &config, const Parameter &p);

/// One tensor of an optimizer's state: m, a moment of the gradient (the
/// momentum of rsgd), tangent to its point; or v, a second moment of the
/// coordinates, or under radam the squared norm (F64 [rows]) of points in a
/// curved space.
struct Slot {
  std::string prefix; ///< "m." or "v."
  size_t parameter;   ///< in getParameters()
  rt::DType type;
  std::vector<int64_t> shape;
};

/// The state of an optimizer: first all m, then all v, in the order of the
/// parameters; frozen ones have none.
std::vector<Slot> getSlots(const RilmConfig &model,
                           const OptimizerConfig &config);
/// An optimizer's state before the first update: zeros.
std::vector<rt::Tensor> makeSlots(const RilmConfig &model,
                                  const OptimizerConfig &config);

/// The parameters that are not frozen, in order.
std::vector<size_t> getTrained(const RilmConfig &model,
                               const OptimizerConfig &config);

/// Ranges, names of parameters, and that something is left to train.
rt::Status check(const RilmConfig &model, const OptimizerConfig &config);

/// An object of options by their flags, and back. `where` is what errors name.
nlohmann::ordered_json toJson(const OptimizerConfig &config);
rt::Expected<OptimizerConfig> parseOptimizer(const nlohmann::ordered_json &json,
                                             std::string_view where);

/// One --param: "NAME:lr=0.01,weight-decay=0,frozen".
rt::Status parseParameterFlag(std::string_view text, OptimizerConfig &config);
/// The file of --param-file, {"NAME": {"lr": 0.01, "weight-decay": 0,
/// "frozen": true}, ...}.
rt::Status readParameterFile(const std::string &path, OptimizerConfig &config);

enum class ScheduleKind { constant, cosine, step };

/// What the rate is multiplied by. `warmup` updates rise to 1 in equal steps;
/// then it is 1, falls along a half cosine to 0 at the end of the run, or is
/// multiplied by `stepFactor` after every `stepEvery` epochs.
struct Schedule {
  ScheduleKind kind = ScheduleKind::cosine;
  int64_t warmup = 0;
  int64_t stepEvery = 1;
  double stepFactor = 0.5;

  /// For the update after `updates`; `progress` in 0 .. 1 is how far a run of
  /// `total` updates is, which may be further than its updates tell (a time
  /// limit).
  double factor(int64_t updates, int64_t total, int64_t epoch,
                double progress) const;
};
const char *name(ScheduleKind kind);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_OPTIMIZER_H
