// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/check/Programs.h"
#include "frontend/graph/GraphBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace geo;
using namespace geo::check;

using L = long double;

/// Expands the module, and derives @objective_gradient by `wrt`.
static LogicalResult prepare(ModuleOp module, ArrayRef<int64_t> wrt) {
  PassManager pm(module.getContext());
  pm.addPass(createInlinerPass());
  pm.addPass(createGeoCheckPoints());
  pm.addPass(createGeoExpand());
  GeoDifferentiateOptions options;
  options.function = "objective";
  options.wrt.assign(wrt.begin(), wrt.end());
  pm.addPass(createGeoDifferentiate(options));
  return pm.run(module);
}

/// The pages and formulas of a module, without functions.
static OwningOpRef<ModuleOp> cloneFormulas(ModuleOp module) {
  OwningOpRef<ModuleOp> clone = module.clone();
  for (auto function :
       llvm::make_early_inc_range(clone->getOps<func::FuncOp>()))
    function.erase();
  return clone;
}

/// The sum of weight * value, rows or numbers.
static Ex weigh(GraphBuilder &g, Value value, Value weight) {
  return g.ex(g.rowwise(
      {value, weight}, {},
      [](auto rows, auto) {
        return Exs{rows[0].isRow() ? dot(rows[0], rows[1]) : rows[0] * rows[1]};
      },
      /*numSums=*/1)[0]);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

FailureOr<FormulaProgram> FormulaProgram::create(ModuleOp module,
                                                 FormulaOp formula,
                                                 ManifoldOp page, bool narrow) {
  FormulaProgram made;
  MLIRContext *context = module.getContext();
  Type f64 = Float64Type::get(context);
  FloatType storage = narrow ? FloatType(Float32Type::get(context))
                             : FloatType(Float64Type::get(context));
  auto rows = RankedTensorType::get({1, sampleLength}, storage);
  auto numbers = RankedTensorType::get({1}, f64);
  unsigned numCurvatures = page ? page.getNumCurvatures() : 0;
  bool yieldsRow = isa<VectorType>(formula.getResult().getType());
  made.ct = yieldsRow
                ? Datum({1, sampleLength}, {0.9L, -0.4L, 0.7L, 1.1L, -0.6L})
                : Datum({1}, {0.8L});

  SmallVector<Argument> arguments;
  for (unsigned i = 0; i < formula.getNumArguments(); ++i)
    arguments.push_back(
        {"", formula.getKind(i) == "number" ? Type(numbers) : Type(rows)});
  for (unsigned i = 0; i < numCurvatures; ++i)
    arguments.push_back({"", f64});
  SmallVector<int64_t> wrt =
      llvm::to_vector(llvm::seq<int64_t>(arguments.size()));
  arguments.push_back({"", yieldsRow ? Type(rows) : Type(numbers)});

  auto callee = [&](StringRef name) {
    auto leaf = FlatSymbolRefAttr::get(context, name);
    return page ? SymbolRefAttr::get(context, page.getSymName(), {leaf})
                : SymbolRefAttr(leaf);
  };
  auto build = [&](bool dropsVjp) -> OwningOpRef<ModuleOp> {
    OwningOpRef<ModuleOp> clone = cloneFormulas(module);
    // An inherited formula keeps its own: its page is checked for itself.
    if (dropsVjp && (!page || formula->getParentOp() == page)) {
      Operation *parent =
          page ? clone->lookupSymbol(page.getSymName()) : clone->getOperation();
      cast<FormulaOp>(SymbolTable::lookupSymbolIn(parent, formula.getSymName()))
          .getVjp()
          .getBlocks()
          .clear();
    }
    GraphBuilder g(*clone, storage);
    g.function("objective", arguments, [&](ValueRange in) -> Values {
      Value y = ApplyOp::create(g.getBuilder(), in.back().getType(),
                                callee(formula.getSymName()), in.drop_back());
      return {weigh(g, y, in.back()).get()};
    });
    made.hasDomain = page;
    for (StringRef name : {"domain_norm", "domain_limit"}) {
      FormulaOp found = page ? lookupFormula(page, name) : FormulaOp();
      made.hasDomain = made.hasDomain && found && isComplete(found, page);
    }
    if (made.hasDomain) {
      SmallVector<Argument> domain{{"", rows}};
      domain.append(numCurvatures, {"", f64});
      g.function("domain", domain, [&](ValueRange in) -> Values {
        Values results;
        for (StringRef name : {"domain_norm", "domain_limit"})
          results.push_back(
              ApplyOp::create(g.getBuilder(), numbers, callee(name), in));
        return results;
      });
    }
    if (failed(prepare(*clone, wrt)))
      return nullptr;
    return clone;
  };
  made.derivedModule = build(/*dropsVjp=*/true);
  if (made.derivedModule && formula.hasOwnVjp()) {
    made.ownModule = build(/*dropsVjp=*/false);
    if (!made.ownModule)
      return failure();
  }
  if (!made.derivedModule)
    return failure();
  return made;
}

Datum FormulaProgram::toDomain(const Datum &row, ArrayRef<double> curvatures,
                               L fraction) {
  if (!hasDomain)
    return row;
  SmallVector<Datum> arguments{row};
  for (double c : curvatures)
    arguments.push_back(Datum(L(c)));
  auto bounds = interpret(lookup(derivedModule, "domain"), arguments);
  if (failed(bounds))
    return row;
  L norm = (*bounds)[0].number(), limit = (*bounds)[1].number();
  // As good as no bound.
  if (!(norm > 0) || !(limit < 1e12L))
    return row;
  Datum scaled = row;
  for (L &x : scaled.data)
    x *= fraction * limit / norm;
  return scaled;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool isFloats(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return type.isF64() || (tensor && isa<FloatType>(tensor.getElementType()));
}

/// What the objective can weigh: numbers, and rows with static length.
static bool isResult(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type.isF64();
  if (tensor.getRank() == 1)
    return tensor.getElementType().isF64();
  return tensor.getRank() == 2 && isFloats(type) && !tensor.isDynamicDim(1);
}

FailureOr<std::optional<FunctionProgram>>
FunctionProgram::create(ModuleOp module, func::FuncOp function) {
  std::optional<FunctionProgram> none;
  bool hasGradient = false;
  function.walk([&](GradientOp) { hasGradient = true; });
  auto isArgument = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return isFloats(type) || (tensor && tensor.getElementType().isInteger(32));
  };
  if (hasGradient || function.isExternal() ||
      !llvm::hasSingleElement(function.getBody()) ||
      !llvm::all_of(function.getArgumentTypes(), isArgument) ||
      !llvm::any_of(function.getArgumentTypes(), isFloats) ||
      !llvm::any_of(function.getResultTypes(), isResult))
    return none;
  FunctionProgram made;
  made.module = module.clone();
  // Names of the file may be ours.
  std::string name = function.getSymName().str();
  auto callee = made.module->lookupSymbol<func::FuncOp>(name);
  GraphBuilder g(*made.module,
                 cast<FloatType>(Float64Type::get(module.getContext())));
  SmallVector<Argument> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    arguments.push_back({"", type});
    if (isFloats(type))
      made.floats.push_back(i);
  }
  if (made.module->lookupSymbol("objective"))
    return none;
  g.function("objective", arguments, [&](ValueRange in) -> Values {
    auto call = func::CallOp::create(g.getBuilder(), callee, in);
    Ex sum = g.number(0);
    L weight = 1;
    for (Value v : call.getResults()) {
      weight = -0.7L * weight;
      if (!isResult(v.getType()))
        continue;
      if (v.getType().isF64()) {
        sum = sum + double(weight) * g.ex(v);
        continue;
      }
      // Elements of a row differ in weight.
      Value total = g.rowwise(
          v, {},
          [&](auto rows, auto) {
            Ex x = rows[0];
            return Exs{x.isRow() ? sqnorm(x + double(weight))
                                 : double(weight) * x * x};
          },
          /*numSums=*/1)[0];
      sum = sum + g.ex(total);
    }
    return {sum.get()};
  });
  if (failed(prepare(*made.module, made.floats)))
    return failure();
  return std::optional<FunctionProgram>(std::move(made));
}

SmallVector<Datum> FunctionProgram::makeArguments(int seed) {
  std::mt19937_64 random(seed + 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  SmallVector<Datum> arguments;
  for (Type type : primal().getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      arguments.push_back(Datum(L(0.6 + 0.3 * uniform(random))));
      continue;
    }
    SmallVector<int64_t> shape;
    for (int64_t n : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(n) ? 3 : n);
    Datum values = Datum::zeros(shape);
    for (auto [i, x] : llvm::enumerate(values.data))
      x = isFloats(type) ? L(0.3 * uniform(random)) : L(i % 2);
    arguments.push_back(values);
  }
  return arguments;
}
