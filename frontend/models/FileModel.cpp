// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/FileModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace geo;

/// Moves what the functions use by name into the module of `graph`.
static LogicalResult takeSymbols(GraphBuilder &graph, ModuleOp module) {
  auto into = graph.getBuilder().getBlock()->getParentOp();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (!isa<ManifoldOp, FormulaOp>(op))
      continue;
    StringAttr name = SymbolTable::getSymbolName(&op);
    // Two functions of one module build the same model.
    if (!SymbolTable::lookupSymbolIn(into, name))
      graph.getBuilder().clone(op);
  }
  return success();
}

std::unique_ptr<FileModel> FileModel::create(GraphBuilder &graph,
                                             const RilmConfig &config) {
  std::unique_ptr<FileModel> model(new FileModel(graph, config));
  MLIRContext *context = graph.getBuilder().getContext();
  model->module = parseSourceString<ModuleOp>(
      config.file->text, ParserConfig(context), config.file->name);
  if (!model->module)
    return nullptr;
  // Bodies are taken into regions that hold no calls.
  PassManager inliner(context);
  inliner.addPass(createInlinerPass());
  if (failed(inliner.run(*model->module)))
    return nullptr;
  FailureOr<FileLayout> layout = readLayout(*model->module);
  if (failed(layout) || failed(takeSymbols(graph, *model->module)))
    return nullptr;
  model->layout = std::move(*layout);
  return model;
}

SmallVector<Argument> FileModel::parameterArguments() {
  return llvm::map_to_vector(layout.parameters, [](const FileParameter &p) {
    return Argument{p.name, p.type};
  });
}

SmallVector<Argument> FileModel::stepArguments() {
  SmallVector<Argument> arguments;
  for (const FileState &s : layout.states)
    arguments.push_back({s.name, getPlainType(s.type)});
  arguments.push_back({"ids", g.ids({-1})});
  arguments.push_back({"valid", g.masks({-1})});
  return arguments;
}

Values FileModel::visible(ValueRange parameters) {
  Values values;
  for (auto [value, p] : llvm::zip(parameters, layout.parameters)) {
    bool isStored = p.positive != Positive::no;
    values.push_back(isStored ? valueOf(p.positive, g.ex(value)).get() : value);
  }
  return values;
}

Space FileModel::spaceOf(ManifoldInterface manifold, ValueRange visible) {
  if (!manifold)
    return Space(g,
                 ManifoldAttr::get(g.getBuilder().getContext(), "euclidean"));
  Values curvature;
  for (Attribute c : manifold.getCurvatures())
    if (auto label = dyn_cast<StringAttr>(c))
      curvature.push_back(visible[*layout.findParameter(label)]);
  return Space(g, manifold, curvature);
}

Space FileModel::space(size_t index, ValueRange parameters) {
  return spaceOf(getManifold(layout.parameters[index].type),
                 visible(parameters));
}

Value FileModel::asState(size_t state, Value coordinates) {
  RankedTensorType type = layout.states[state].type;
  if (!getManifold(type))
    return coordinates;
  return PointOp::create(g.getBuilder(), type, coordinates);
}

Values FileModel::call(const FileFunction &function, ValueRange visible,
                       ValueRange states, ValueRange inputs, Value targets) {
  IRMapping mapping;
  Block &block = func::FuncOp(function.op).getBody().front();
  for (auto [role, argument] : llvm::zip(function.roles, block.getArguments()))
    switch (role.kind) {
    case FileRole::parameter:
      mapping.map(argument, visible[role.index]);
      break;
    case FileRole::state:
      mapping.map(argument, states[role.index]);
      break;
    case FileRole::input:
      mapping.map(argument, inputs[role.index]);
      break;
    case FileRole::targets:
      mapping.map(argument, targets);
      break;
    }
  for (Operation &op : block.without_terminator())
    g.getBuilder().clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value v) { return mapping.lookupOrDefault(v); });
}

Values FileModel::words(ValueRange visible) {
  return layout.words ? call(layout.words, visible, {}) : Values();
}

Values FileModel::inputs(ValueRange tables, Value ids) {
  Values made;
  for (int table : layout.inputTables)
    made.push_back(table < 0 ? ids : g.gather(tables[table], ids));
  return made;
}

Values FileModel::initialStates(ValueRange visible, Value like) {
  Values states;
  for (auto [i, s] : llvm::enumerate(layout.states)) {
    Value rows;
    if (!s.from.empty()) {
      rows = repeatRow(visible[*layout.findParameter(s.from)], like);
    } else {
      auto row = VectorType::get(s.type.getShape().drop_front(),
                                 s.type.getElementType());
      rows = g.rowwise(like, {}, [&](auto, auto) {
        ImplicitLocOpBuilder &b = g.getBuilder();
        return Exs{{b, arith::ConstantOp::create(b, b.getZeroAttr(row))}};
      })[0];
    }
    states.push_back(asState(i, rows));
  }
  return states;
}

Values FileModel::move(ValueRange visible, ValueRange states, ValueRange inputs,
                       Value valid) {
  Values next = call(layout.step, visible, states, inputs);
  for (auto [i, value] : llvm::enumerate(next))
    value = asState(i, keepWhereValid(value, states[i], valid));
  return next;
}

Value FileModel::tau(ValueRange visible) {
  const FileDecoder &decoder = *layout.decoder;
  if (decoder.tauName.empty())
    return g.number(decoder.tau).get();
  return visible[*layout.findParameter(decoder.tauName)];
}

/// Plain rows are points of flat space.
static Value asPoints(const Space &space, Value rows) {
  return getManifold(rows.getType()) ? rows : space.point(rows);
}

Value FileModel::nll(ValueRange visible, ValueRange states, Value targets) {
  if (layout.loss)
    return call(layout.loss, visible, states, {}, targets)[0];
  const FileDecoder &d = *layout.decoder;
  Space space = spaceOf(getManifold(layout.states[d.state].type), visible);
  return space.distanceNll(asPoints(space, states[d.state]),
                           asPoints(space, visible[d.table]), targets,
                           tau(visible));
}

Values FileModel::loss(ValueRange parameters, ValueRange batch) {
  Value ids = batch[0], valid = batch[1], targets = batch[2], mask = batch[3],
        startTargets = batch[4], startMask = batch[5];
  Values values = visible(parameters);
  Values start = initialStates(values, startMask);

  // What a step reads: words, rows of tables, and whether it counts.
  Values tables = words(values), read;
  Value merged = g.mergeLeading(ids);
  for (Value v : inputs(tables, merged))
    read.push_back(v == merged ? ids : g.splitLeading(v, ids));
  read.push_back(valid);
  // Only what the body uses: the rest would have a gradient of zeros.
  SmallVector<size_t> used;
  for (size_t i = 0; i < values.size(); ++i)
    if (layout.step.uses(FileRole::parameter, i))
      used.push_back(i);
  Values shared =
      llvm::map_to_vector(used, [&](size_t i) { return values[i]; });
  // Only the states that are decoded are stacked.
  SmallVector<size_t> decoded;
  for (size_t i = 0; i < start.size(); ++i)
    if (layout.loss ? layout.loss.uses(FileRole::state, i)
                    : i == layout.decoder->state)
      decoded.push_back(i);
  if (decoded.empty())
    decoded.push_back(0);
  Values scanned = g.scan(
      start, read, shared, config.truncate, [&](auto h, auto in, auto s) {
        Values seen(values.size());
        for (auto [i, value] : llvm::zip(used, s))
          seen[i] = value;
        ScanYield yield;
        yield.states = move(seen, h, in.drop_back(), in.back());
        for (size_t i : decoded)
          yield.outputs.push_back(yield.states[i]);
        return yield;
      });
  Values stacked(start.size());
  for (auto [k, i] : llvm::enumerate(decoded))
    stacked[i] = g.mergeLeading(scanned[start.size() + k]);
  // @loss may name a state that it does not read.
  for (Value &v : stacked)
    if (!v)
      v = stacked[decoded.front()];

  Values moved = sumScored(nll(values, stacked, g.mergeLeading(targets)),
                           g.mergeLeading(mask));
  Ex sum = g.ex(moved[0]), count = g.ex(moved[1]);
  if (config.scoreRoot) {
    Values first = sumScored(nll(values, start, startTargets), startMask);
    sum = sum + g.ex(first[0]);
    count = count + g.ex(first[1]);
  }
  Ex mean = sum / g.maximum(count, g.number(1));
  return {mean.get(), count.get(), g.number(0).get()};
}

Values FileModel::step(ValueRange parameters, ValueRange arguments) {
  Values values = visible(parameters);
  size_t count = layout.states.size();
  Values states;
  for (size_t i = 0; i < count; ++i)
    states.push_back(asState(i, arguments[i]));
  Values read = inputs(words(values), arguments[count]);
  states = move(values, states, read, arguments[count + 1]);
  Values results =
      llvm::map_to_vector(states, [&](Value v) { return g.plain(v); });
  if (layout.decode) {
    results.push_back(call(layout.decode, values, states)[0]);
    return results;
  }
  const FileDecoder &d = *layout.decoder;
  Space space = spaceOf(getManifold(layout.states[d.state].type), values);
  results.push_back(space.distanceLogSoftmax(asPoints(space, states[d.state]),
                                             asPoints(space, values[d.table]),
                                             tau(values)));
  return results;
}
