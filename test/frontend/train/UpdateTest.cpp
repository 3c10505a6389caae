// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled updates of points on every manifold against the definitions.
#include "OptimizerReference.h"
#include "frontend/tools/Registration.h"
#include "frontend/train/UpdateBuilder.h"
#include "lowering/Compiler.h"
#include "mlir/AsmParser/AsmParser.h"

#include <random>

#include <gtest/gtest.h>

using namespace mlir;
using namespace geo;
using rt::MemRef;
using rt::Tensor;

namespace {

struct Case {
  const char *name, *manifold;
  std::shared_ptr<ManifoldReference> reference;
};
const Case manifolds[] = {
    {"ball", "#geo.poincare<1.3>", std::make_shared<BallReference>(1.3)},
    {"hyperboloid", "#geo.lorentz<0.7>",
     std::make_shared<HyperboloidReference>(0.7)},
    {"sphere", "#geo.sphere<1.6>", std::make_shared<SphereReference>(1.6)},
    {"stereographic", "#geo.stereographic<0.8>",
     std::make_shared<BallReference>(0.8)},
};

constexpr int64_t rows = 6, dim = 4;

/// @update(x, m, v, g, t, lr, scale) -> (x, m, v), all of doubles.
class CompiledUpdate {
public:
  CompiledUpdate(const char *manifold, const OptimizerConfig &config) {
    DialectRegistry registry;
    registerGeoDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    auto attribute =
        cast<ManifoldInterface>(parseAttribute(manifold, &context));
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    Builder b(&context);
    GraphBuilder g(*module, b.getF64Type());
    Parameter parameter{"E", {rows, dim}, true, true};
    Type plain = g.floats({rows, dim});
    g.function("update",
               {{"x", g.floats({rows, dim}, attribute)},
                {"m", plain},
                {"v", RankedTensorType::get({rows}, b.getF64Type())},
                {"g", plain},
                {"t", g.numberType()},
                {"lr", g.numberType()},
                {"scale", g.numberType()}},
               [&](ValueRange in) {
                 UpdateBuilder builder(g, config, g.ex(in[4]), g.ex(in[5]),
                                       g.ex(in[6]));
                 bool sgd = config.kind == OptimizerKind::rsgd;
                 OptimizedValue old{in[0], in[1], sgd ? Value() : in[2]};
                 Space space(g, attribute);
                 OptimizedValue now = builder.updatePoints(
                     parameter, old, in[3], space,
                     [&](Value x) { return space.project(x, 0.999); });
                 return Values{now.parameter, now.m, sgd ? in[2] : now.v};
               });
    CompileOptions options;
    options.target = Target::loops;
    executable = compile(*module, options);
  }

  explicit operator bool() const { return executable != nullptr; }

  void operator()(Tensor &x, Tensor &m, Tensor &v, Tensor &g, double t,
                  double lr, double scale) {
    Tensor newX = x.clone(), newM = m.clone(), newV = v.clone();
    MemRef views[] = {MemRef(x),    MemRef(m),    MemRef(v),   MemRef(g),
                      MemRef(newX), MemRef(newM), MemRef(newV)};
    void *arguments[] = {views[0].descriptor(),
                         views[1].descriptor(),
                         views[2].descriptor(),
                         views[3].descriptor(),
                         &t,
                         &lr,
                         &scale,
                         views[4].descriptor(),
                         views[5].descriptor(),
                         views[6].descriptor()};
    executable->lookup("update")(arguments);
    x = std::move(newX);
    m = std::move(newM);
    v = std::move(newV);
  }

private:
  std::unique_ptr<Executable> executable;
};

class Update : public testing::TestWithParam<
                   std::tuple<Case, OptimizerKind, Retraction>> {};

TEST_P(Update, FollowsTheDefinitions) {
  auto [test, kind, retraction] = GetParam();
  OptimizerConfig config;
  config.kind = kind;
  config.retraction = retraction;
  config.weightDecay = 0.3;
  config.beta2 = 0.97;
  config.momentum = kind == OptimizerKind::rsgd ? 0.8 : 0;
  CompiledUpdate update(test.manifold, config);
  ASSERT_TRUE(update);

  const ManifoldReference &manifold = *test.reference;
  std::mt19937 random(7);
  auto draw = [&] { return double(random()) / 4294967295.0 - 0.5; };
  Tensor x(rt::DType::F64, {rows, dim}), m(rt::DType::F64, {rows, dim}),
      v(rt::DType::F64, {rows}), g(rt::DType::F64, {rows, dim});
  std::vector<Row> points;
  std::vector<PointState> states(rows, {Row(dim), 0});
  for (int64_t r = 0; r < rows; ++r) {
    Row start(dim);
    for (double &e : start)
      e = 0.6 * draw();
    // Onto the manifold, from wherever it was.
    points.push_back(manifold.expmap(start, Row(dim)));
    std::copy(points[r].begin(), points[r].end(), x.data<double>() + r * dim);
  }
  for (int t = 1; t <= 10; ++t) {
    double lr = 0.3 / t, scale = 1 / (1.0 + t);
    for (int64_t r = 0; r < rows; ++r) {
      Row gradient(dim);
      for (int64_t j = 0; j < dim; ++j) {
        // The last row's gradient is 0 throughout.
        double &e = g.data<double>()[r * dim + j];
        e = r == rows - 1 ? 0 : 3 * draw();
        gradient[j] = scale * e;
      }
      points[r] = movePoint(config, manifold, points[r], gradient, states[r], t,
                            lr, config.weightDecay);
    }
    update(x, m, v, g, t, lr, scale);
    for (int64_t r = 0; r < rows; ++r) {
      Row now(x.data<double>() + r * dim, x.data<double>() + (r + 1) * dim);
      EXPECT_LT(manifold.defect(now), 1e-14);
      for (int64_t j = 0; j < dim; ++j) {
        EXPECT_NEAR(now[j], points[r][j], 1e-12) << r << ", update " << t;
        EXPECT_NEAR(m.data<double>()[r * dim + j], states[r].m[j], 1e-12)
            << r << ", update " << t;
      }
      if (kind == OptimizerKind::radam)
        EXPECT_NEAR(v.data<double>()[r], states[r].v, 1e-12);
    }
  }
}

std::string nameOf(const testing::TestParamInfo<Update::ParamType> &info) {
  auto [test, kind, retraction] = info.param;
  return std::string(test.name) + "_" + name(kind) +
         (retraction == Retraction::exp ? "_exp" : "_retract");
}

INSTANTIATE_TEST_SUITE_P(
    Manifolds, Update,
    testing::Combine(testing::ValuesIn(manifolds),
                     testing::Values(OptimizerKind::rsgd, OptimizerKind::radam),
                     testing::Values(Retraction::exp, Retraction::firstOrder)),
    nameOf);

} // namespace
