// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/FileArguments.h"

using namespace mlir;
using namespace geo;

bool FileFunction::uses(FileRole::Kind kind, size_t index) const {
  for (auto [role, argument] :
       llvm::zip(roles, func::FuncOp(op).getArguments()))
    if (role.kind == kind && role.index == index && !argument.use_empty())
      return true;
  return false;
}

std::optional<size_t> FileLayout::findParameter(StringRef name) const {
  for (auto [i, p] : llvm::enumerate(parameters))
    if (p.name == name)
      return i;
  return std::nullopt;
}

namespace {

class LayoutReader {
public:
  explicit LayoutReader(ModuleOp module) : module(module) {}

  FailureOr<FileLayout> read() {
    if (failed(find("step", layout.step)) ||
        failed(find("words", layout.words)) ||
        failed(find("loss", layout.loss)) ||
        failed(find("decode", layout.decode)))
      return failure();
    if (!layout.step)
      return module.emitError("expects a function @step, but got none");
    for (auto [function, allowed] :
         {std::pair(&layout.step, "parameter, state and input"),
          std::pair(&layout.words, "parameter"),
          std::pair(&layout.loss, "parameter, state and targets"),
          std::pair(&layout.decode, "parameter and state")})
      if (*function && failed(readArguments(layout, *function, allowed)))
        return failure();
    if (failed(checkStorage()) || failed(checkWords()) ||
        failed(checkInputs()) || failed(checkStates()) || failed(checkLoss()) ||
        failed(checkDecode()) || failed(checkDecoder()) ||
        failed(checkLabels()))
      return failure();
    return std::move(layout);
  }

private:
  LogicalResult find(StringRef name, FileFunction &into) {
    Operation *symbol = module.lookupSymbol(name);
    if (!symbol)
      return success();
    into.op = dyn_cast<func::FuncOp>(symbol);
    if (!into.op)
      return symbol->emitError("expects @")
             << name << " to be a function, but got " << symbol->getName();
    if (!llvm::hasSingleElement(into.op.getBody()))
      return into.op.emitError("expects @")
             << name << " to have one block, but got "
             << into.op.getBody().getBlocks().size();
    return success();
  }

  /// All tensors have one float type.
  LogicalResult checkStorage() {
    auto check = [&](Type type, Location loc) -> LogicalResult {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return success();
      auto element = cast<FloatType>(tensor.getElementType());
      if (!layout.storage)
        layout.storage = element;
      if (layout.storage == element)
        return success();
      return emitError(loc) << "expects parameters and states of one type, "
                            << layout.storage << ", but got " << type;
    };
    if (layout.states.empty())
      return layout.step.op.emitError(
          "expects @step to have an argument with geo.state, but got none");
    for (const FileState &s : layout.states)
      if (failed(check(s.type, layout.step.op.getLoc())))
        return failure();
    for (const FileParameter &p : layout.parameters)
      if (failed(check(p.type, p.loc)))
        return failure();
    return success();
  }

  LogicalResult checkWords() {
    if (!layout.words)
      return success();
    for (auto [i, type] : llvm::enumerate(layout.words.op.getResultTypes())) {
      auto table = dyn_cast<RankedTensorType>(type);
      if (!table || table.getRank() != 2 || !table.isDynamicDim(0) ||
          table.isDynamicDim(1) || table.getElementType() != layout.storage)
        return layout.words.op.emitError("expects result ")
               << i << " of @words to be tensor<?xkx" << layout.storage
               << ">, a row for each word, but got " << type;
    }
    return success();
  }

  LogicalResult checkInputs() {
    ArrayRef<Type> tables =
        layout.words ? layout.words.op.getResultTypes() : ArrayRef<Type>();
    int next = 0;
    for (auto [i, role] : llvm::enumerate(layout.step.roles)) {
      if (role.kind != FileRole::input)
        continue;
      auto type = dyn_cast<RankedTensorType>(layout.inputs[role.index]);
      if (type && type.getRank() == 1 && type.isDynamicDim(0) &&
          type.getElementType().isInteger(32)) {
        layout.inputTables.push_back(-1);
        continue;
      }
      if (next >= int(tables.size()) || tables[next] != type)
        return argumentError(layout.step, i)
               << "expects an input to be tensor<?xi32>, the words, or the "
                  "next result of @words, but got "
               << layout.inputs[role.index];
      layout.inputTables.push_back(next++);
    }
    return success();
  }

  LogicalResult checkStates() {
    ArrayRef<Type> results = layout.step.op.getResultTypes();
    bool same = results.size() == layout.states.size();
    for (size_t i = 0; same && i < results.size(); ++i)
      same = results[i] == layout.states[i].type;
    if (!same)
      return layout.step.op.emitError(
                 "expects @step to return its states, in order and of their "
                 "types, but got ")
             << layout.step.op.getFunctionType();
    for (const FileState &s : layout.states) {
      if (s.from.empty())
        continue;
      std::optional<size_t> found = layout.findParameter(s.from);
      auto row =
          RankedTensorType::get({1, s.type.getDimSize(1)},
                                s.type.getElementType(), s.type.getEncoding());
      if (!found || layout.parameters[*found].type != row)
        return layout.step.op.emitError("expects geo.from of state ")
               << s.name << " to name a parameter of type " << row
               << ", but got \"" << s.from << "\""
               << (found ? " of another type" : ", which there is not");
    }
    return success();
  }

  LogicalResult checkLoss() {
    if (!layout.loss)
      return success();
    ArrayRef<Type> results = layout.loss.op.getResultTypes();
    auto type =
        results.size() == 1 ? dyn_cast<RankedTensorType>(results[0]) : nullptr;
    if (!type || type.getRank() != 1 || !type.isDynamicDim(0) ||
        !type.getElementType().isF64())
      return layout.loss.op.emitError(
                 "expects @loss to return one tensor<?xf64>, the negative "
                 "log-likelihood of each target, but got ")
             << layout.loss.op.getFunctionType();
    if (llvm::count_if(layout.loss.roles, [](FileRole r) {
          return r.kind == FileRole::targets;
        }) != 1)
      return layout.loss.op.emitError(
          "expects @loss to have one argument with geo.targets");
    return success();
  }

  LogicalResult checkDecode() {
    if (!layout.decode)
      return success();
    if (!layout.loss)
      return layout.decode.op.emitError(
          "expects @loss beside @decode, but got none");
    ArrayRef<Type> results = layout.decode.op.getResultTypes();
    auto type =
        results.size() == 1 ? dyn_cast<RankedTensorType>(results[0]) : nullptr;
    if (!type || type.getRank() != 2 || !type.isDynamicDim(0) ||
        !type.isDynamicDim(1) || type.getElementType() != layout.storage)
      return layout.decode.op.emitError(
                 "expects @decode to return one tensor<?x?x")
             << layout.storage << ">, the log-probabilities, but got "
             << layout.decode.op.getFunctionType();
    return success();
  }

  LogicalResult checkDecoder() {
    if (layout.loss && layout.decoder)
      return emitError(*layout.decoder->loc)
             << "expects geo.decode or a function @loss, but got both";
    if (layout.loss)
      return success();
    if (!layout.decoder)
      return layout.step.op.emitError(
          "expects a state with geo.decode = \"PARAMETER\", or a function "
          "@loss, but got none");
    std::optional<size_t> table =
        layout.findParameter(layout.decoder->tableName);
    RankedTensorType state = layout.states[layout.decoder->state].type;
    if (!table || layout.parameters[*table].type != state)
      return emitError(*layout.decoder->loc)
             << "expects geo.decode to name a parameter of type " << state
             << ", but got \"" << layout.decoder->tableName << "\""
             << (table ? " of another type" : ", which there is not");
    layout.decoder->table = *table;
    StringRef tau = layout.decoder->tauName;
    if (tau.empty())
      return success();
    std::optional<size_t> number = layout.findParameter(tau);
    if (!number || !layout.parameters[*number].type.isF64())
      return emitError(*layout.decoder->loc)
             << "expects geo.tau to name a parameter of type f64, but got \""
             << tau << "\"";
    return success();
  }

  /// A labelled curvature is the parameter of that name.
  LogicalResult checkLabels() {
    auto check = [&](Type type, Location loc) -> LogicalResult {
      ManifoldInterface manifold = getManifold(type);
      if (!manifold)
        return success();
      for (Attribute c : manifold.getCurvatures()) {
        auto label = dyn_cast<StringAttr>(c);
        if (!label)
          continue;
        std::optional<size_t> found = layout.findParameter(label);
        if (!found || !layout.parameters[*found].type.isF64())
          return emitError(loc)
                 << "expects a parameter of type f64 of the name "
                    "of the curvature "
                 << label << ", but got none";
      }
      return success();
    };
    for (const FileState &s : layout.states)
      if (failed(check(s.type, layout.step.op.getLoc())))
        return failure();
    for (const FileParameter &p : layout.parameters)
      if (failed(check(p.type, p.loc)))
        return failure();
    return success();
  }

  ModuleOp module;
  FileLayout layout;
};

} // namespace

FailureOr<FileLayout> geo::readLayout(ModuleOp module) {
  return LayoutReader(module).read();
}
