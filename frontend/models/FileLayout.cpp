// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/FileLayout.h"
#include "frontend/models/ModelFile.h"

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

constexpr StringLiteral marks[] = {"geo.param", "geo.state", "geo.input",
                                   "geo.targets"};

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
      if (*function && failed(readArguments(*function, allowed)))
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

  //===------------------------------------------------------------------===//
  // Arguments
  //===------------------------------------------------------------------===//

  LogicalResult readArguments(FileFunction &function, StringRef allowed) {
    for (unsigned i = 0; i < function.op.getNumArguments(); ++i)
      if (failed(readArgument(function, i, allowed)))
        return failure();
    return success();
  }

  static InFlightDiagnostic error(const FileFunction &function, unsigned i) {
    return emitError(func::FuncOp(function.op).getArgument(i).getLoc())
           << "argument " << i << " of @"
           << func::FuncOp(function.op).getSymName() << ": ";
  }

  LogicalResult readArgument(FileFunction &function, unsigned i,
                             StringRef allowed) {
    unsigned count = 0;
    for (StringRef mark : marks)
      count += static_cast<bool>(function.op.getArgAttr(i, mark));
    if (count != 1)
      return error(function, i)
             << "expects one of geo.param = \"NAME\", geo.state = \"NAME\", "
                "geo.input and geo.targets, but got "
             << (count ? "several" : "none");
    auto fits = [&](StringRef mark, StringRef what) {
      return function.op.getArgAttr(i, mark) && allowed.contains(what);
    };
    if (fits("geo.param", "parameter"))
      return readParameter(function, i);
    if (fits("geo.state", "state"))
      return readState(function, i);
    if (fits("geo.input", "input")) {
      function.roles.push_back({FileRole::input, layout.inputs.size()});
      layout.inputs.push_back(function.op.getArgumentTypes()[i]);
      return success();
    }
    if (fits("geo.targets", "targets")) {
      auto type = dyn_cast<RankedTensorType>(function.op.getArgumentTypes()[i]);
      if (!type || type.getRank() != 1 || !type.isDynamicDim(0) ||
          !type.getElementType().isInteger(32))
        return error(function, i)
               << "expects targets of type tensor<?xi32>, but got "
               << function.op.getArgumentTypes()[i];
      function.roles.push_back({FileRole::targets});
      return success();
    }
    return error(function, i)
           << "expects a " << allowed << " only, but got another";
  }

  /// The name after a mark; null after an error.
  StringAttr getName(FileFunction &function, unsigned i, StringRef mark) {
    auto name = function.op.getArgAttrOfType<StringAttr>(i, mark);
    // A name becomes a tensor's in files, beside m.NAME and v.NAME.
    bool good =
        name && !name.empty() && llvm::all_of(name.getValue(), [](char c) {
          return llvm::isAlnum(c) || c == '_' || c == '-';
        });
    if (good)
      return name;
    error(function, i) << "expects " << mark
                       << " = \"NAME\" of letters, digits, _ and -, but got "
                       << function.op.getArgAttr(i, mark);
    return nullptr;
  }

  LogicalResult readParameter(FileFunction &function, unsigned i) {
    StringAttr name = getName(function, i, "geo.param");
    if (!name)
      return failure();
    FileParameter p{name.str(), function.op.getArgumentTypes()[i],
                    function.op.getArgument(i).getLoc(), std::nullopt,
                    Positive::no};
    if (failed(checkParameterType(function, i, p.type)) ||
        failed(readInitial(function, i, p)) ||
        failed(readPositive(function, i, p)))
      return failure();
    std::optional<size_t> known = layout.findParameter(p.name);
    if (!known) {
      function.roles.push_back({FileRole::parameter, layout.parameters.size()});
      layout.parameters.push_back(p);
      return success();
    }
    FileParameter &first = layout.parameters[*known];
    if (first.type != p.type)
      return error(function, i)
             << "expects parameter " << name << " of type " << first.type
             << " as before, but got " << p.type;
    if (p.initial && first.initial && !(*p.initial == *first.initial))
      return error(function, i) << "expects one geo.init for parameter " << name
                                << ", but got two";
    if (p.positive != Positive::no && first.positive != Positive::no &&
        p.positive != first.positive)
      return error(function, i) << "expects one geo.positive for parameter "
                                << name << ", but got two";
    if (p.initial)
      first.initial = p.initial;
    if (p.positive != Positive::no)
      first.positive = p.positive;
    function.roles.push_back({FileRole::parameter, *known});
    return success();
  }

  LogicalResult checkParameterType(FileFunction &function, unsigned i,
                                   Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool good = type.isF64();
    if (tensor)
      good = (tensor.getRank() == 2 ||
              (tensor.getRank() == 1 && !getManifold(type))) &&
             isa<Float32Type, Float64Type>(tensor.getElementType()) &&
             !tensor.isDynamicDim(tensor.getRank() - 1) &&
             tensor.getShape().back() > 0 && tensor.getDimSize(0) != 0;
    if (good)
      return success();
    return error(function, i)
           << "expects a parameter to be f64, tensor<dxT> or tensor<nxdxT> of "
              "T = f32 or f64, with n = ? for the size of the vocabulary, but "
              "got "
           << type;
  }

  LogicalResult readInitial(FileFunction &function, unsigned i,
                            FileParameter &p) {
    Attribute attribute = function.op.getArgAttr(i, "geo.init");
    if (!attribute)
      return success();
    if (auto number = dyn_cast<FloatAttr>(attribute))
      p.initial = Initial{Initial::constant, number.getValueAsDouble(), 0};
    else if (auto text = dyn_cast<StringAttr>(attribute))
      p.initial = parseInitial(text.str());
    if (!p.initial)
      return error(function, i)
             << "expects geo.init to be a number, \"zeros\", \"ones\", "
                "\"identity\", \"constant(x)\", \"normal(deviation)\" or "
                "\"uniform(low, high)\", but got "
             << attribute;
    auto tensor = dyn_cast<RankedTensorType>(p.type);
    if (p.initial->kind == Initial::identity &&
        (!tensor || tensor.getRank() != 2 ||
         tensor.getDimSize(0) != tensor.getDimSize(1)))
      return error(function, i)
             << "expects a square matrix for geo.init = \"identity\", but got "
             << p.type;
    return success();
  }

  LogicalResult readPositive(FileFunction &function, unsigned i,
                             FileParameter &p) {
    Attribute attribute = function.op.getArgAttr(i, "geo.positive");
    if (!attribute)
      return success();
    auto text = dyn_cast<StringAttr>(attribute);
    if (text && text.getValue() == "softplus")
      p.positive = Positive::softplus;
    else if (text && text.getValue() == "exp")
      p.positive = Positive::exp;
    else
      return error(function, i)
             << "expects geo.positive to be \"softplus\" or \"exp\", but got "
             << attribute;
    if (!p.type.isF64())
      return error(function, i)
             << "expects geo.positive on a number (f64), but got " << p.type;
    return success();
  }

  LogicalResult readState(FileFunction &function, unsigned i) {
    StringAttr name = getName(function, i, "geo.state");
    if (!name)
      return failure();
    auto type = dyn_cast<RankedTensorType>(function.op.getArgumentTypes()[i]);
    if (!type || type.getRank() != 2 || !type.isDynamicDim(0) ||
        type.isDynamicDim(1) ||
        !isa<Float32Type, Float64Type>(type.getElementType()))
      return error(function, i)
             << "expects a state to be tensor<?xdxT> with static d, but got "
             << function.op.getArgumentTypes()[i];
    auto known = llvm::find_if(
        layout.states, [&](const FileState &s) { return s.name == name; });
    bool isStep = &function == &layout.step;
    if (isStep == (known != layout.states.end()))
      return error(function, i)
             << (isStep ? "expects states of different names, but got "
                        : "expects a state of @step, but got ")
             << name << (isStep ? " twice" : "");
    if (!isStep) {
      if (known->type != type)
        return error(function, i) << "expects state " << name << " of type "
                                  << known->type << ", but got " << type;
      function.roles.push_back(
          {FileRole::state, size_t(known - layout.states.begin())});
      return success();
    }
    FileState state{name.str(), type, ""};
    if (Attribute from = function.op.getArgAttr(i, "geo.from")) {
      auto text = dyn_cast<StringAttr>(from);
      if (!text)
        return error(function, i)
               << "expects geo.from to name a parameter, but got " << from;
      state.from = text.str();
    }
    if (failed(readDecoder(function, i)))
      return failure();
    function.roles.push_back({FileRole::state, layout.states.size()});
    layout.states.push_back(state);
    return success();
  }

  LogicalResult readDecoder(FileFunction &function, unsigned i) {
    Attribute table = function.op.getArgAttr(i, "geo.decode");
    Attribute tau = function.op.getArgAttr(i, "geo.tau");
    if (!table && !tau)
      return success();
    auto name = dyn_cast_or_null<StringAttr>(table);
    if (!name)
      return error(function, i)
             << "expects geo.decode to name a parameter, but got "
             << (table ? table : StringAttr::get(module.getContext(), ""));
    if (layout.decoder)
      return error(function, i)
             << "expects one state with geo.decode, but got two";
    layout.decoder.emplace();
    layout.decoder->state = layout.states.size();
    decodeName = name.str();
    decoderLoc = function.op.getArgument(i).getLoc();
    if (!tau)
      return success();
    if (auto number = dyn_cast<FloatAttr>(tau);
        number && number.getValueAsDouble() > 0) {
      layout.decoder->tau = number.getValueAsDouble();
      return success();
    }
    if (auto text = dyn_cast<StringAttr>(tau)) {
      layout.decoder->tauName = text.str();
      return success();
    }
    return error(function, i)
           << "expects geo.tau to be a positive number or to name a parameter, "
              "but got "
           << tau;
  }

  //===------------------------------------------------------------------===//
  // The whole
  //===------------------------------------------------------------------===//

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
        return error(layout.step, i)
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
      return emitError(*decoderLoc)
             << "expects geo.decode or a function @loss, but got both";
    if (layout.loss)
      return success();
    if (!layout.decoder)
      return layout.step.op.emitError(
          "expects a state with geo.decode = \"PARAMETER\", or a function "
          "@loss, but got none");
    std::optional<size_t> table = layout.findParameter(decodeName);
    RankedTensorType state = layout.states[layout.decoder->state].type;
    if (!table || layout.parameters[*table].type != state)
      return emitError(*decoderLoc)
             << "expects geo.decode to name a parameter of type " << state
             << ", but got \"" << decodeName << "\""
             << (table ? " of another type" : ", which there is not");
    layout.decoder->table = *table;
    StringRef tau = layout.decoder->tauName;
    if (tau.empty())
      return success();
    std::optional<size_t> number = layout.findParameter(tau);
    if (!number || !layout.parameters[*number].type.isF64())
      return emitError(*decoderLoc)
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
  std::string decodeName;
  std::optional<Location> decoderLoc;
};

} // namespace

FailureOr<FileLayout> geo::readLayout(ModuleOp module) {
  return LayoutReader(module).read();
}
