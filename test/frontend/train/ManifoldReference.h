// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifolds from their definitions, one row at a time, in doubles: nothing here
// is guarded against rims, small norms or antipodes.
#ifndef GEOC_TEST_FRONTEND_TRAIN_MANIFOLDREFERENCE_H
#define GEOC_TEST_FRONTEND_TRAIN_MANIFOLDREFERENCE_H

#include <cmath>
#include <cstddef>
#include <vector>

namespace geo {

using Row = std::vector<double>;

inline double dot(const Row &x, const Row &y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}
inline Row scale(double r, Row x) {
  for (double &e : x)
    e *= r;
  return x;
}
inline Row sum(Row x, const Row &y) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
  return x;
}

/// What the optimizers need of a manifold with a curvature c > 0.
class ManifoldReference {
public:
  explicit ManifoldReference(double c) : c(c) {}
  virtual ~ManifoldReference() = default;
  virtual double inner(const Row &x, const Row &u, const Row &v) const = 0;
  /// Of the gradient g for the coordinates.
  virtual Row riemannianGradient(const Row &x, const Row &g) const = 0;
  virtual Row expmap(const Row &x, const Row &v) const = 0;
  virtual Row retract(const Row &x, const Row &v) const = 0;
  virtual Row transport(const Row &x, const Row &y, const Row &v) const = 0;
  virtual Row logmapToOrigin(const Row &x) const = 0;
  /// How far x is from lying on the manifold; for the ball negative inside.
  virtual double defect(const Row &x) const = 0;

protected:
  double c;
};

class BallReference : public ManifoldReference {
public:
  using ManifoldReference::ManifoldReference;

  double inner(const Row &x, const Row &u, const Row &v) const override {
    return lambda(x) * lambda(x) * dot(u, v);
  }
  Row riemannianGradient(const Row &x, const Row &g) const override {
    return scale(1 / (lambda(x) * lambda(x)), g);
  }
  Row expmap(const Row &x, const Row &v) const override {
    double n = std::sqrt(c * dot(v, v));
    return n == 0 ? x : add(x, scale(std::tanh(lambda(x) * n / 2) / n, v));
  }
  /// x (+) t v with t v as long as expmap's argument to first order.
  Row retract(const Row &x, const Row &v) const override {
    double half = lambda(x) / 2;
    return add(x, scale(half / std::sqrt(1 + c * half * half * dot(v, v)), v));
  }
  Row transport(const Row &x, const Row &y, const Row &v) const override {
    double n = std::sqrt(c * dot(v, v));
    if (n == 0)
      return v;
    // Gyrations are linear maps of vectors that are short enough to be points.
    Row back = scale(-1, x), w = scale(0.1 / n, v);
    Row turned = add(scale(-1, add(y, back)), add(y, add(back, w)));
    return scale(n / 0.1 * lambda(x) / lambda(y), turned);
  }
  Row logmapToOrigin(const Row &x) const override {
    double n = std::sqrt(c * dot(x, x));
    return n == 0 ? x : scale(-2 / lambda(x) * std::atanh(n) / n, x);
  }
  double defect(const Row &x) const override {
    return std::max(0.0, std::sqrt(c * dot(x, x)) - 1);
  }

private:
  double lambda(const Row &x) const { return 2 / (1 - c * dot(x, x)); }
  Row add(const Row &x, const Row &y) const {
    double xy = dot(x, y), xx = dot(x, x), yy = dot(y, y);
    return scale(1 / (1 + 2 * c * xy + c * c * xx * yy),
                 sum(scale(1 + 2 * c * xy + c * yy, x), scale(1 - c * xx, y)));
  }
};

/// Rows are what is left of the ambient coordinates (x_0, x) without x_0.
class HyperboloidReference : public ManifoldReference {
public:
  using ManifoldReference::ManifoldReference;

  double inner(const Row &x, const Row &u, const Row &v) const override {
    return product(liftTangent(x, u), liftTangent(x, v));
  }
  /// The solution r of inner(x, r, e_i) = g_i for all i, by its inverse metric.
  Row riemannianGradient(const Row &x, const Row &g) const override {
    return sum(g, scale(c * dot(x, g), x));
  }
  Row expmap(const Row &x, const Row &v) const override {
    double n = std::sqrt(c * inner(x, v, v));
    return sum(scale(std::cosh(n), x), scale(n ? std::sinh(n) / n : 1, v));
  }
  Row retract(const Row &x, const Row &v) const override { return sum(x, v); }
  Row transport(const Row &x, const Row &y, const Row &v) const override {
    Row p = lift(x), q = lift(y);
    return sum(v, scale(product(q, liftTangent(x, v)) / (1 / c - product(p, q)),
                        sum(x, y)));
  }
  Row logmapToOrigin(const Row &x) const override {
    // The origin is (1/sqrt(c), 0): log = d / sinh(d sqrt c)... of its part
    // that is tangent at x, in units where c = 1.
    double a = std::sqrt(c) * lift(x)[0], d = std::acosh(a);
    return scale(d == 0 ? -1 : -a * d / std::sqrt(a * a - 1), x);
  }
  double defect(const Row &) const override { return 0; }

private:
  static double product(const Row &u, const Row &v) {
    return dot(u, v) - 2 * u[0] * v[0];
  }
  Row lift(const Row &x) const {
    Row p{std::sqrt(1 / c + dot(x, x))};
    p.insert(p.end(), x.begin(), x.end());
    return p;
  }
  Row liftTangent(const Row &x, const Row &v) const {
    Row w{dot(x, v) / lift(x)[0]};
    w.insert(w.end(), v.begin(), v.end());
    return w;
  }
};

/// Radius 1 / sqrt(c), origin along (1, .., 1).
class SphereReference : public ManifoldReference {
public:
  using ManifoldReference::ManifoldReference;

  double inner(const Row &x, const Row &u, const Row &v) const override {
    return dot(tangent(x, u), tangent(x, v));
  }
  Row riemannianGradient(const Row &x, const Row &g) const override {
    return tangent(x, g);
  }
  Row expmap(const Row &x, const Row &v) const override {
    Row t = tangent(x, v);
    double n = std::sqrt(c * dot(t, t));
    return sum(scale(std::cos(n), place(x)), scale(n ? std::sin(n) / n : 1, t));
  }
  Row retract(const Row &x, const Row &v) const override {
    return place(sum(place(x), tangent(x, v)));
  }
  Row transport(const Row &x, const Row &y, const Row &v) const override {
    Row p = place(x), q = place(y), t = tangent(x, v);
    return sum(t, scale(-dot(q, t) / (1 / c + dot(p, q)), sum(p, q)));
  }
  Row logmapToOrigin(const Row &x) const override {
    Row o = place(Row(x.size(), 1.0)), t = tangent(x, o);
    double angle = std::acos(c * dot(place(x), o));
    return scale(angle / std::sqrt(c * dot(t, t)), t);
  }
  double defect(const Row &x) const override {
    return std::abs(std::sqrt(c * dot(x, x)) - 1);
  }

private:
  Row place(const Row &x) const {
    return scale(1 / std::sqrt(c * dot(x, x)), x);
  }
  static Row tangent(const Row &x, const Row &v) {
    return sum(v, scale(-dot(x, v) / dot(x, x), x));
  }
};

} // namespace geo

#endif // GEOC_TEST_FRONTEND_TRAIN_MANIFOLDREFERENCE_H
