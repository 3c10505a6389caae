// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Library.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace geo;

namespace {
struct EmbeddedPage {
  StringLiteral name, text;
};
const EmbeddedPage pages[] = {
#include "dialect/BuiltinPages.inc"
};
} // namespace

ManifoldOp PageLibrary::get(MLIRContext *context, StringRef name) {
  const auto *page = llvm::find_if(
      pages, [&](const EmbeddedPage &p) { return p.name == name; });
  if (page == std::end(pages))
    return nullptr;
  std::scoped_lock lock(mutex);
  OwningOpRef<ModuleOp> &module = modules[name];
  if (!module)
    module = parseSourceString<ModuleOp>(page->text, context,
                                         ("geo/" + name + ".mlir").str());
  return module ? module->lookupSymbol<ManifoldOp>(name) : ManifoldOp();
}

ManifoldOp GeoDialect::getBuiltinPage(StringRef name) {
  return library->get(getContext(), name);
}

SmallVector<StringRef> GeoDialect::getBuiltinPageNames() {
  return llvm::map_to_vector(
      pages, [](const EmbeddedPage &p) -> StringRef { return p.name; });
}

std::optional<bool> PageLibrary::yieldsRow(StringRef file, StringRef formula) {
  std::scoped_lock lock(mutex);
  const llvm::StringMap<bool> &known = formulas[file];
  auto it = known.find(formula);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

void PageLibrary::noteFormula(StringRef file, StringRef formula,
                              bool yieldsRow) {
  std::scoped_lock lock(mutex);
  formulas[file][formula] = yieldsRow;
}

std::optional<bool> GeoDialect::yieldsRow(StringRef file, StringRef formula) {
  return library->yieldsRow(file, formula);
}

void GeoDialect::noteFormula(StringRef file, StringRef formula,
                             bool yieldsRow) {
  library->noteFormula(file, formula, yieldsRow);
}
