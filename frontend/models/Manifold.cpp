// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Manifold.h"
#include "frontend/tools/Registration.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace geo;

ManifoldInterface
geo::withCurvatures(ManifoldInterface manifold,
                    function_ref<Attribute(Attribute)> change) {
  MLIRContext *context = manifold.getContext();
  if (auto page = dyn_cast<ManifoldAttr>(manifold))
    return ManifoldAttr::get(context, page.getPage(),
                             llvm::map_to_vector(page.getValues(), change));
  SmallVector<Attribute> factors;
  SmallVector<int64_t> widths;
  for (const Factor &factor : manifold.getFactors()) {
    factors.push_back(withCurvatures(factor.getManifold(), change));
    widths.push_back(factor.width);
  }
  return ProductAttr::get(context, factors, widths);
}

/// The signs that the pages of `manifold` ask for, in the order of curvatures.
static void addSigns(ManifoldInterface manifold, SmallVectorImpl<bool> &signs) {
  for (const Factor &factor : manifold.getFactors())
    addSigns(factor.getManifold(), signs);
  if (auto page = dyn_cast<ManifoldAttr>(manifold))
    llvm::append_range(signs, manifold.getContext()
                                  ->getOrLoadDialect<GeoDialect>()
                                  ->getBuiltinPage(page.getPageName())
                                  .getPositive());
}

rt::Status geo::readManifold(RilmConfig &config, const std::string &where) {
  if (config.manifold.empty())
    return rt::Status::success();
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    if (message.empty())
      message = d.str();
    return success();
  });
  auto fail = [&](StringRef what) {
    return rt::expects(where, what.str(),
                       rt::quote(config.manifold) +
                           (message.empty() ? "" : " (" + message + ")"));
  };
  auto manifold = dyn_cast_or_null<ManifoldInterface>(
      parseAttribute(config.manifold, &context));
  if (!manifold || needsModule(manifold))
    return fail("a manifold of built-in pages, as #geo.lorentz<1.0>");
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  if (failed(cast<VerifiableTensorEncoding>(manifold).verifyEncoding(
          {ShapedType::kDynamic, config.dim}, Float32Type::get(&context),
          emitError)))
    return fail("a manifold of " + std::to_string(config.dim) + " coordinates");
  for (StringRef formula :
       {"add", "expmap0", "logmap0", "project", "pair_sqdist", "egrad2rgrad"})
    if (!manifold.hasFormula(formula, nullptr))
      return fail("a manifold with the formula " + formula.str());
  SmallVector<bool> signs;
  addSigns(manifold, signs);
  config.curvatures.clear();
  for (auto [c, positive] : llvm::zip(manifold.getCurvatures(), signs)) {
    auto number = dyn_cast<FloatAttr>(c);
    if (!number)
      return fail(
          "curvatures that are numbers (--learn-curvature learns them)");
    config.curvatures.push_back({number.getValueAsDouble(), positive});
  }
  std::string text;
  llvm::raw_string_ostream(text) << Attribute(manifold);
  config.manifold = text;
  return rt::Status::success();
}
