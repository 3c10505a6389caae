// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/ModelFile.h"
#include "frontend/models/FileModel.h"
#include "frontend/models/Messages.h"
#include "frontend/tools/Registration.h"
#include "mlir/Parser/Parser.h"
#include "runtime/AtomicFile.h"

#include <cmath>

using namespace mlir;
using namespace geo;
using rt::Expected;

std::optional<Initial> geo::parseInitial(const std::string &text) {
  StringRef s = StringRef(text).trim();
  double a = 0, b = 0;
  auto isNumber = [](StringRef part, double &into) {
    return !part.trim().getAsDouble(into) && std::isfinite(into);
  };
  if (s == "zeros")
    return Initial{Initial::constant, 0, 0};
  if (s == "ones")
    return Initial{Initial::constant, 1, 0};
  if (s == "identity")
    return Initial{Initial::identity, 1, 0};
  if (!s.consume_back(")"))
    return std::nullopt;
  if (s.consume_front("constant(") && isNumber(s, a))
    return Initial{Initial::constant, a, 0};
  if (s.consume_front("normal(") && isNumber(s, a) && a >= 0)
    return Initial{Initial::normal, a, 0};
  if (s.consume_front("uniform(")) {
    auto [low, high] = s.split(',');
    if (isNumber(low, a) && isNumber(high, b) && a <= b)
      return Initial{Initial::uniform, a, b};
  }
  return std::nullopt;
}

/// The host's side of a layout.
static rt::Status describe(const FileLayout &layout, ModelFile &file) {
  file.storage = layout.storage.isF64() ? Storage::f64 : Storage::f32;
  file.canGenerate = !layout.loss || layout.decode;
  for (const FileParameter &p : layout.parameters) {
    Parameter made{p.name, {}};
    if (auto tensor = dyn_cast<RankedTensorType>(p.type))
      for (int64_t n : tensor.getShape())
        made.shape.push_back(ShapedType::isDynamic(n) ? -1 : n);
    ManifoldInterface manifold = getManifold(p.type);
    made.isPoint = static_cast<bool>(manifold);
    made.isCurved = manifold && manifold.getName() != "euclidean";
    made.positive = p.positive;
    double otherwise = p.positive == Positive::no ? 0 : 1;
    made.initial = p.initial.value_or(Initial{Initial::constant, otherwise, 0});
    if (p.positive != Positive::no &&
        !(made.initial->kind == Initial::constant && made.initial->a > 0))
      return rt::expects(
          file.name + ": parameter " + p.name,
          "a positive number as geo.init of what is kept positive", "another");
    file.parameters.push_back(made);
  }
  for (const FileState &s : layout.states)
    file.states.push_back({s.name, s.type.getDimSize(1), s.from});
  return rt::Status::success();
}

Expected<std::shared_ptr<const ModelFile>>
geo::parseModelFile(const std::string &text, const std::string &name) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  FirstMessage message(context);
  auto file = std::make_shared<ModelFile>();
  file->name = name;
  file->text = text;
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context), name);
  FailureOr<FileLayout> layout = failure();
  if (module)
    layout = readLayout(*module);
  if (failed(layout))
    return rt::Status::error(message.get());
  if (rt::Status s = describe(*layout, *file); !s)
    return s;
  return std::shared_ptr<const ModelFile>(std::move(file));
}

Expected<std::shared_ptr<const ModelFile>>
geo::readModelFile(const std::string &path) {
  auto text = rt::readFile(path);
  if (!text)
    return text.status();
  return parseModelFile(*text, path);
}
