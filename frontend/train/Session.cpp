// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Session.h"
#include "frontend/models/Messages.h"
#include "frontend/models/ModelFile.h"
#include "frontend/tools/Registration.h"
#include "frontend/train/StepBuilder.h"
#include "lowering/Compiler.h"
#include "runtime/simt/Report.h"
#include <algorithm>
#include <cmath>
#include <deque>

using namespace mlir;
using namespace geo;
using rt::DType;
using rt::MemRef;
using rt::Tensor;

namespace {

/// The packed arguments of a compiled function.
class Call {
public:
  void add(Tensor &tensor) {
    if (tensor.rank() == 0)
      pointers.push_back(tensor.raw());
    else
      push(MemRef(tensor));
  }
  void add(std::vector<Tensor> &tensors) {
    for (Tensor &t : tensors)
      add(t);
  }
  void add(double &number) { pointers.push_back(&number); }
  void add(void *data, const std::vector<int64_t> &shape) {
    push(MemRef(data, shape));
  }
  void operator()(Executable::Entry entry) { entry(pointers.data()); }

private:
  void push(const MemRef &view) {
    pointers.push_back(views.emplace_back(view).descriptor());
  }

  std::deque<MemRef> views; // addresses stay
  std::vector<void *> pointers;
};

/// The tensors of one set of parameters, zero.
std::vector<Tensor> makeTensors(const RilmConfig &config) {
  std::vector<Tensor> tensors;
  for (const Parameter &p : getParameters(config))
    tensors.emplace_back(storageType(config, p), p.shape);
  return tensors;
}

} // namespace

struct Session::Impl {
  RilmConfig config;
  OptimizerConfig optimizer;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<Executable> executable;
  Executable::Entry train = nullptr, evaluate = nullptr, generate = nullptr,
                    prepareGeneration = nullptr, gradient = nullptr,
                    project = nullptr;
  /// The tensors of prepareGeneration.
  std::vector<std::pair<DType, std::vector<int64_t>>> prepared;
  /// What the next update writes, for the parameters that are trained; swapped
  /// with the state's afterwards.
  ModelState next;

  /// Splits off what generation needs of the parameters alone.
  LogicalResult splitGeneration(ModuleOp module, const CompileOptions &options);
  void addInput(Call &call, const StepInput &in, bool dropout) {
    call.add(in.ids, {in.steps, in.rows});
    call.add(in.valid, {in.steps, in.rows});
    call.add(in.targets, {in.steps, in.rows});
    call.add(in.mask, {in.steps, in.rows});
    call.add(in.startTargets, {in.rows});
    call.add(in.startMask, {in.rows});
    if (dropout)
      call.add(in.dropout, {config.vocabulary, config.dim});
  }
};

static DType toDType(Type element) {
  if (element.isF64())
    return DType::F64;
  return element.isF32()         ? DType::F32
         : element.isInteger(64) ? DType::I64
                                 : DType::I32;
}

LogicalResult Session::Impl::splitGeneration(ModuleOp module,
                                             const CompileOptions &options) {
  constexpr llvm::StringLiteral function = "generate_step";
  if (failed(splitPrepared(module, function,
                           unsigned(getParameters(config).size()), options)))
    return failure();
  auto prepare =
      module.lookupSymbol<func::FuncOp>((function + ".prepare").str());
  for (Type type : prepare.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    prepared.emplace_back(toDType(tensor.getElementType()),
                          tensor.getShape().vec());
  }
  return success();
}

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

const RilmConfig &Session::getConfig() const { return impl->config; }

rt::Expected<Session> Session::create(const RilmConfig &config,
                                      const SessionOptions &options) {
  std::optional<Target> target = parseTarget(options.target);
  if (!target)
    return rt::expects("--target", "cpu, loops or simt",
                       rt::quote(options.target));
  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->optimizer = options.optimizer;
  DialectRegistry registry;
  registerGeoDialects(registry);
  impl->context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  impl->context->loadAllAvailableDialects();
  FirstMessage message(*impl->context);

  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(impl->context.get()));
  GraphBuilder graph(*module, storageType(*module, config));
  // Evaluation and generation have no dropout.
  RilmConfig plainConfig = config;
  plainConfig.dropout = false;
  std::unique_ptr<Model> model = Model::create(graph, config),
                         plain = Model::create(graph, plainConfig);
  if (!model || !plain)
    return rt::Status::error(message.get());
  if (options.parts.train)
    buildTrainStep(graph, *model, options.optimizer);
  if (options.parts.gradient)
    buildGradient(graph, *model);
  if (options.parts.evaluate)
    buildEvalStep(graph, *plain);
  if (options.parts.generate)
    buildGenerateStep(graph, *plain);
  if (options.parts.project)
    buildProjection(graph, *plain);
  CompileOptions compileOptions;
  compileOptions.target = *target;
  compileOptions.checkPoints = options.checkPoints;
  compileOptions.batch = options.batch;
  compileOptions.device.simtCheck = options.simtCheck;
  compileOptions.cacheDirectory = options.cacheDirectory;
  if (options.parts.generate &&
      failed(impl->splitGeneration(*module, compileOptions)))
    return rt::Status::error(message.get());
  impl->executable = compile(*module, compileOptions);
  if (!impl->executable)
    return rt::Status::error(
        config.file ? message.get()
                    : std::string("model ") + name(config.kind) +
                          ": expects to compile for target " + options.target +
                          ", but got: " + message.get());
  impl->train = impl->executable->lookup("train_step");
  impl->evaluate = impl->executable->lookup("eval_step");
  impl->generate = impl->executable->lookup("generate_step");
  impl->prepareGeneration = impl->executable->lookup("generate_step.prepare");
  impl->gradient = impl->executable->lookup("gradient");
  impl->project = impl->executable->lookup("project_points");
  return Session(std::move(impl));
}

StepResult Session::train(ModelState &state, const StepInput &input, double lr,
                          double clip) {
  assert(impl->train && "session without a training step");
  ModelState &next = impl->next;
  std::vector<size_t> trained = getTrained(impl->config, impl->optimizer);
  if (next.parameters.empty()) {
    std::vector<Tensor> all = makeTensors(impl->config);
    for (size_t i : trained)
      next.parameters.push_back(std::move(all[i]));
    next.slots = makeSlots(impl->config, impl->optimizer);
  }
  double t = double(state.updates + 1);
  StepResult r;
  Call call;
  call.add(state.parameters);
  call.add(state.slots);
  call.add(t);
  call.add(lr);
  call.add(clip);
  impl->addInput(call, input, impl->config.dropout);
  for (double *number : {&r.loss, &r.scored, &r.clippedStates, &r.gradientNorm,
                         &r.clippedPoints})
    call.add(*number);
  call.add(next.parameters);
  call.add(next.slots);
  call(impl->train);
  r.outside = rt::takePointReport();
  if (auto reports = rt::simt::takeReports(); !reports.empty())
    r.finding = reports.front().message();
  if (!std::isfinite(r.loss) || !std::isfinite(r.gradientNorm))
    return r;
  for (auto [k, i] : llvm::enumerate(trained))
    std::swap(state.parameters[i], next.parameters[k]);
  std::swap(state.slots, next.slots);
  ++state.updates;
  return r;
}

static bool isFinite(const Tensor &t) {
  auto all = [&](const auto *data) {
    return std::all_of(data, data + t.numElements(),
                       [](auto x) { return std::isfinite(x); });
  };
  return t.dtype() == DType::F64 ? all(t.data<double>()) : all(t.data<float>());
}

std::string Session::findNonFinite(const ModelState &state) const {
  std::vector<Parameter> list = getParameters(impl->config);
  for (size_t i = 0; i < list.size(); ++i)
    if (!isFinite(state.parameters[i]))
      return "parameter " + list[i].name;
  // A gradient that is not finite makes what it updates so.
  std::vector<size_t> trained = getTrained(impl->config, impl->optimizer);
  for (auto [k, i] : llvm::enumerate(trained))
    if (!isFinite(impl->next.parameters[k]))
      return "the gradient of " + list[i].name;
  return "the loss";
}

StepResult Session::evaluate(ModelState &state, const StepInput &input) {
  assert(impl->evaluate && "session without evaluation");
  StepResult r;
  Call call;
  call.add(state.parameters);
  impl->addInput(call, input, /*dropout=*/false);
  for (double *number : {&r.loss, &r.scored, &r.clippedStates})
    call.add(*number);
  call(impl->evaluate);
  r.outside = rt::takePointReport();
  return r;
}

StepResult Session::gradient(ModelState &state, const StepInput &input,
                             std::vector<Tensor> &gradients) {
  assert(impl->gradient && "session without gradients");
  gradients = makeTensors(impl->config);
  StepResult r;
  Call call;
  call.add(state.parameters);
  impl->addInput(call, input, impl->config.dropout);
  for (double *number : {&r.loss, &r.scored, &r.clippedStates})
    call.add(*number);
  call.add(gradients);
  call(impl->gradient);
  return r;
}

void Session::project(ModelState &state) {
  assert(impl->project && "session without a projection");
  std::vector<Tensor> points = makeTensors(impl->config);
  Call call;
  call.add(state.parameters);
  call.add(points);
  call(impl->project);
  std::swap(state.parameters, points);
}

std::vector<Tensor> geo::initialStates(const RilmConfig &config,
                                       const ModelState &state) {
  if (!config.file) {
    std::vector<Tensor> root;
    root.push_back(state.parameters[1].clone());
    return root;
  }
  std::vector<Tensor> states;
  std::vector<Parameter> list = getParameters(config);
  for (const ModelFile::State &s : config.file->states) {
    states.emplace_back(storageType(config), std::vector<int64_t>{1, s.dim});
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == s.from)
        states.back() = state.parameters[i].clone();
  }
  return states;
}

std::vector<Tensor> Session::prepareGeneration(ModelState &state) {
  assert(impl->prepareGeneration && "session without generation");
  std::vector<Tensor> prepared;
  for (const auto &[dtype, shape] : impl->prepared)
    prepared.emplace_back(dtype, shape);
  Call call;
  call.add(state.parameters);
  call.add(prepared);
  call(impl->prepareGeneration);
  return prepared;
}

void Session::generate(ModelState &state, std::vector<Tensor> &prepared,
                       std::vector<Tensor> &states, Tensor &ids, Tensor &valid,
                       Tensor &logProbabilities) {
  assert(impl->generate && "session without generation");
  std::vector<Tensor> moved;
  for (const Tensor &t : states)
    moved.emplace_back(t.dtype(), t.shape());
  Call call;
  call.add(state.parameters);
  call.add(states);
  call.add(ids);
  call.add(valid);
  call.add(prepared);
  call.add(moved);
  call.add(logProbabilities);
  call(impl->generate);
  std::swap(states, moved);
}
