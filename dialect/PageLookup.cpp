// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which formula a name means, in a page and in a module.
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

/// The page `name` of the module of `scope`, or the built-in one.
static ManifoldOp lookupPage(StringRef name, Operation *scope) {
  if (auto module = scope ? scope->getParentOfType<ModuleOp>() : ModuleOp())
    if (auto page = dyn_cast_or_null<ManifoldOp>(module.lookupSymbol(name)))
      return page;
  if (!scope)
    return nullptr;
  return scope->getContext()->getOrLoadDialect<GeoDialect>()->getBuiltinPage(
      name);
}

LogicalResult geo::verifyLike(ManifoldOp page) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (ManifoldOp next = page;
       std::optional<StringRef> like = next.getLike();) {
    if (!seen.insert(next).second)
      return page.emitOpError("expects pages that are like each other to end, "
                              "but got a circle");
    next = lookupPage(*like, next);
    if (!next)
      return page.emitOpError("expects to be like a page of the module or a "
                              "built-in one, but got @")
             << *like;
  }
  return success();
}

FormulaOp geo::lookupFormula(ManifoldOp page, StringRef name) {
  // A chain of `like` that closes on itself ends, too.
  llvm::SmallPtrSet<Operation *, 4> seen;
  ManifoldOp defaults = lookupPage("any", page);
  while (page && seen.insert(page).second) {
    if (FormulaOp formula = page.getFormula(name))
      return formula;
    std::optional<StringRef> like = page.getLike();
    page = like ? lookupPage(*like, page) : defaults;
  }
  return nullptr;
}

FormulaOp geo::resolveFormula(SymbolRefAttr callee, Operation *scope,
                              ManifoldOp &page) {
  StringRef root = callee.getRootReference();
  if (callee.getNestedReferences().empty()) {
    auto module = scope->getParentOfType<ModuleOp>();
    return dyn_cast_or_null<FormulaOp>(module.lookupSymbol(root));
  }
  page = lookupPage(root, scope);
  return page ? lookupFormula(page, callee.getLeafReference()) : FormulaOp();
}

FormulaOp geo::resolveCall(CallOp call, ManifoldOp &page) {
  SymbolRefAttr callee = call.getCallee();
  if (!callee.getNestedReferences().empty())
    return resolveFormula(callee, call, page);
  if (page)
    if (FormulaOp formula = lookupFormula(page, callee.getRootReference()))
      return formula;
  page = nullptr;
  return resolveFormula(callee, call, page);
}

bool geo::isComplete(FormulaOp formula, ManifoldOp page) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<std::pair<FormulaOp, ManifoldOp>> work{{formula, page}};
  while (!work.empty()) {
    auto [next, within] = work.pop_back_val();
    if (!next)
      return false;
    if (!seen.insert(next).second)
      continue;
    next.walk([&, page = within](CallOp call) {
      ManifoldOp callPage = page;
      FormulaOp callee = resolveCall(call, callPage);
      work.emplace_back(callee, callPage);
    });
  }
  return true;
}

//===----------------------------------------------------------------------===//
// #geo.manifold
//===----------------------------------------------------------------------===//

static ManifoldOp getPageOf(ManifoldAttr manifold, Operation *scope) {
  if (manifold.isBuiltin())
    return manifold.getContext()
        ->getOrLoadDialect<GeoDialect>()
        ->getBuiltinPage(manifold.getPageName());
  auto module = scope ? scope->getParentOfType<ModuleOp>() : ModuleOp();
  if (!module)
    return nullptr;
  return dyn_cast_or_null<ManifoldOp>(
      module.lookupSymbol(manifold.getPageName()));
}

bool ManifoldAttr::hasFormula(StringRef formula, Operation *scope) const {
  ManifoldOp page = getPageOf(*this, scope);
  FormulaOp found = page ? lookupFormula(page, formula) : FormulaOp();
  return found && isComplete(found, page);
}

Ex ManifoldAttr::emit(StringRef formula, ArrayRef<Ex> args,
                      ArrayRef<Ex> curvatures, Operation *scope) const {
  ManifoldOp page = getPageOf(*this, scope);
  FormulaOp found = page ? lookupFormula(page, formula) : FormulaOp();
  if (!found)
    return {};
  return instantiate(found, page, args, curvatures);
}

StringRef geo::getPairDistance(ManifoldInterface manifold, FloatType math,
                               Operation *scope) {
  auto attr = dyn_cast<ManifoldAttr>(manifold);
  ManifoldOp page = attr ? getPageOf(attr, scope) : ManifoldOp();
  if (page && math.isF32()) {
    FormulaOp any = lookupFormula(page, "pair_sqdist");
    FormulaOp own = lookupFormula(page, "pair_sqdist_f32");
    if (any && own && any->getParentOp() == own->getParentOp())
      return "pair_sqdist_f32";
  }
  return "pair_sqdist";
}

bool geo::needsModule(ManifoldInterface manifold) {
  if (auto page = dyn_cast<ManifoldAttr>(manifold))
    return !page.isBuiltin();
  return llvm::any_of(manifold.getFactors(), [](const Factor &factor) {
    return needsModule(factor.getManifold());
  });
}

LogicalResult geo::verifyManifold(ManifoldInterface manifold,
                                  Operation *scope) {
  for (const Factor &factor : manifold.getFactors())
    if (failed(verifyManifold(factor.getManifold(), scope)))
      return failure();
  auto attr = dyn_cast<ManifoldAttr>(manifold);
  if (!attr || attr.isBuiltin())
    return success(); // checked with the attribute
  ManifoldOp page = getPageOf(attr, scope);
  if (!page)
    return scope->emitOpError("expects a geo.manifold of the module, but got ")
           << manifold;
  return verifyCurvatures([&] { return scope->emitOpError(); }, page,
                          attr.getValues());
}
