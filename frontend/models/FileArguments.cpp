// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/FileArguments.h"
#include "frontend/models/ModelFile.h"

using namespace mlir;
using namespace geo;

namespace {

constexpr StringLiteral marks[] = {"geo.param", "geo.state", "geo.input",
                                   "geo.targets"};

class ArgumentReader {
public:
  explicit ArgumentReader(FileLayout &layout) : layout(layout) {}

  LogicalResult readArgument(FileFunction &function, unsigned i,
                             StringRef allowed) {
    unsigned count = 0;
    for (StringRef mark : marks)
      count += static_cast<bool>(function.op.getArgAttr(i, mark));
    if (count != 1)
      return argumentError(function, i)
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
        return argumentError(function, i)
               << "expects targets of type tensor<?xi32>, but got "
               << function.op.getArgumentTypes()[i];
      function.roles.push_back({FileRole::targets});
      return success();
    }
    return argumentError(function, i)
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
    argumentError(function, i)
        << "expects " << mark
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
      return argumentError(function, i)
             << "expects parameter " << name << " of type " << first.type
             << " as before, but got " << p.type;
    if (p.initial && first.initial && !(*p.initial == *first.initial))
      return argumentError(function, i) << "expects one geo.init for parameter "
                                        << name << ", but got two";
    if (p.positive != Positive::no && first.positive != Positive::no &&
        p.positive != first.positive)
      return argumentError(function, i)
             << "expects one geo.positive for parameter " << name
             << ", but got two";
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
    return argumentError(function, i)
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
      return argumentError(function, i)
             << "expects geo.init to be a number, \"zeros\", \"ones\", "
                "\"identity\", \"constant(x)\", \"normal(deviation)\" or "
                "\"uniform(low, high)\", but got "
             << attribute;
    auto tensor = dyn_cast<RankedTensorType>(p.type);
    if (p.initial->kind == Initial::identity &&
        (!tensor || tensor.getRank() != 2 ||
         tensor.getDimSize(0) != tensor.getDimSize(1)))
      return argumentError(function, i)
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
      return argumentError(function, i)
             << "expects geo.positive to be \"softplus\" or \"exp\", but got "
             << attribute;
    if (!p.type.isF64())
      return argumentError(function, i)
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
      return argumentError(function, i)
             << "expects a state to be tensor<?xdxT> with static d, but got "
             << function.op.getArgumentTypes()[i];
    auto known = llvm::find_if(
        layout.states, [&](const FileState &s) { return s.name == name; });
    bool isStep = &function == &layout.step;
    if (isStep == (known != layout.states.end()))
      return argumentError(function, i)
             << (isStep ? "expects states of different names, but got "
                        : "expects a state of @step, but got ")
             << name << (isStep ? " twice" : "");
    if (!isStep) {
      if (known->type != type)
        return argumentError(function, i)
               << "expects state " << name << " of type " << known->type
               << ", but got " << type;
      function.roles.push_back(
          {FileRole::state, size_t(known - layout.states.begin())});
      return success();
    }
    FileState state{name.str(), type, ""};
    if (Attribute from = function.op.getArgAttr(i, "geo.from")) {
      auto text = dyn_cast<StringAttr>(from);
      if (!text)
        return argumentError(function, i)
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
      return argumentError(function, i)
             << "expects geo.decode to name a parameter, but got "
             << (table ? table : StringAttr::get(function.op.getContext(), ""));
    if (layout.decoder)
      return argumentError(function, i)
             << "expects one state with geo.decode, but got two";
    layout.decoder.emplace();
    layout.decoder->state = layout.states.size();
    layout.decoder->tableName = name.str();
    layout.decoder->loc = function.op.getArgument(i).getLoc();
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
    return argumentError(function, i)
           << "expects geo.tau to be a positive number or to name a parameter, "
              "but got "
           << tau;
  }

  FileLayout &layout;
};

} // namespace

InFlightDiagnostic geo::argumentError(const FileFunction &function,
                                      unsigned i) {
  return emitError(func::FuncOp(function.op).getArgument(i).getLoc())
         << "argument " << i << " of @"
         << func::FuncOp(function.op).getSymName() << ": ";
}

LogicalResult geo::readArguments(FileLayout &layout, FileFunction &function,
                                 StringRef allowed) {
  ArgumentReader reader(layout);
  for (unsigned i = 0; i < function.op.getNumArguments(); ++i)
    if (failed(reader.readArgument(function, i, allowed)))
      return failure();
  return success();
}
