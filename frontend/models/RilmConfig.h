// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a RiLM model is, for the host side; no MLIR here.
#ifndef GEOC_FRONTEND_MODELS_RILMCONFIG_H
#define GEOC_FRONTEND_MODELS_RILMCONFIG_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace geo {

/// flat: h + phi in R^d; hyp: h (+) exp0(s phi) on a manifold, by default the
/// ball; naive: exp_h(phi) on the ball, with h clipped to its inside.
/// file: what a model file says (RilmConfig::file).
enum class RilmKind { flat, hyp, naive, file };

const char *name(RilmKind kind);
/// One of the built-in kinds.
std::optional<RilmKind> parseRilmKind(std::string_view text);

struct ModelFile;

/// The float type of parameters (but numbers, always f64), states and tables.
enum class Storage { f32, f64 };

const char *name(Storage storage);
std::optional<Storage> parseStorage(std::string_view text);

/// A curvature as a manifold states it, and whether it must stay positive.
struct Curvature {
  double value = 1;
  bool positive = true;
};

struct RilmConfig {
  RilmKind kind = RilmKind::hyp;
  Storage storage = Storage::f32;
  int64_t vocabulary = 2000;
  int64_t dim = 128;
  /// c > 0 of the ball, of sectional curvature -c. With `learnCurvature` it is
  /// the initial value of a parameter.
  double curvature = 1.0;
  bool learnCurvature = false;
  /// hyp: the manifold of states and words, as the geo dialect writes it
  /// (#geo.lorentz<1.0>); empty: the ball of `curvature`. `curvatures` are
  /// those of the text, see readManifold().
  std::string manifold;
  std::vector<Curvature> curvatures;
  double tau = 1.0;
  bool learnTau = false;
  /// The gradient of the state is cut every so many steps; 0: never.
  int64_t truncate = 8;
  /// Take a mask [V, d] that multiplies the words' input terms.
  bool dropout = false;
  /// Score the root against start_targets (where start_mask is not 0); without,
  /// sequences have a first word that is read but not scored.
  bool scoreRoot = true;
  /// The model where `kind` is file; most of the above does not apply then.
  std::shared_ptr<const ModelFile> file;

  /// A built-in model on a manifold with curvatures.
  bool isHyperbolic() const {
    return kind == RilmKind::hyp || kind == RilmKind::naive;
  }
  /// The curvatures of a model with isHyperbolic(), as they begin.
  std::vector<Curvature> getCurvatures() const {
    return manifold.empty() ? std::vector<Curvature>{{curvature, true}}
                            : curvatures;
  }
};

/// How a parameter of a model file begins.
struct Initial {
  /// constant: a; normal: of deviation a; uniform: within [a, b]; identity: a
  /// times the identity matrix.
  enum Kind { constant, normal, uniform, identity } kind = constant;
  double a = 0, b = 0;

  bool operator==(const Initial &o) const {
    return kind == o.kind && a == o.a && b == o.b;
  }
};

/// The map from a stored number to a positive value, if there is one.
enum class Positive { no, exp, softplus };
/// The stored number whose value is `value` > 0, and the value of a stored one.
double inverse(Positive map, double value);
double valueOf(Positive map, double stored);

/// One parameter of the compiled functions. E: [V, d], the words' points;
/// root: [1, d], the state before the first word; Wh, We: [d, d], what acts on
/// state and word; b: [d]. Numbers (f64, no shape): s, the length of a step
/// (hyp); c, or c0, c1, ... of a manifold with several, learnable curvatures,
/// stored by softplus where they must be positive; log_tau, the logarithm of a
/// learnable temperature.
struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  bool isPoint = false;
  /// Rows of a space that is not flat.
  bool isCurved = false;
  /// Of a model file, and of curvatures.
  std::optional<Initial> initial = std::nullopt;
  Positive positive = Positive::no;
  /// A curvature of a built-in model.
  bool isCurvature = false;

  bool isNumber() const { return shape.empty(); }
};

/// The parameters in the order of the functions' arguments.
std::vector<Parameter> getParameters(const RilmConfig &config);

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_RILMCONFIG_H
