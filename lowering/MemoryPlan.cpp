// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/MemoryPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace geo;

namespace {

/// A size as a formula, and its value if no argument enters it.
struct Size {
  std::string text;
  std::optional<int64_t> value;
  /// It has `threads` in it.
  bool isPerThread = false;
  /// Other than a product, it needs brackets in one.
  bool isLoose = false;

  static Size constant(int64_t x) { return {std::to_string(x), x}; }
  static Size unknown() { return {"?", std::nullopt}; }
  /// Size `index` of argument `argument` of the function.
  static Size dim(unsigned argument, int64_t index) {
    return {("dim(" + Twine(argument) + ", " + Twine(index) + ")").str(),
            std::nullopt};
  }
  bool isConstant() const { return value && !isPerThread; }
};

/// What a number is in terms of arguments and threads.
class Sizes {
public:
  explicit Sizes(int64_t threads) : threads(threads) {}

  Size get(Value v);
  /// Bytes of a buffer whose dynamic sizes are `dynamic`.
  Size getBytes(MemRefType type, llvm::function_ref<Size(unsigned)> dynamic);

private:
  Size combine(Value x, Value y, StringRef symbol, bool isCall,
               llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> f);
  Size getDim(memref::DimOp op);

  int64_t threads;
};

} // namespace

static std::string inBrackets(const Size &s) {
  return s.isLoose ? "(" + s.text + ")" : s.text;
}

static Size
join(const Size &x, const Size &y, StringRef symbol, bool isCall,
     llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> f) {
  std::optional<int64_t> value;
  if (x.value && y.value)
    value = f(*x.value, *y.value);
  if (value && x.isConstant() && y.isConstant())
    return Size::constant(*value);
  std::string text =
      isCall ? (symbol + "(" + x.text + ", " + y.text + ")").str()
             : inBrackets(x) + " " + symbol.str() + " " + inBrackets(y);
  return {text, value, x.isPerThread || y.isPerThread,
          /*isLoose=*/!isCall && symbol != "*"};
}

static std::optional<int64_t> multiply(int64_t x, int64_t y) {
  int64_t product;
  return llvm::MulOverflow(x, y, product) ? std::nullopt
                                          : std::optional(product);
}

Size Sizes::combine(
    Value x, Value y, StringRef symbol, bool isCall,
    llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> f) {
  return join(get(x), get(y), symbol, isCall, f);
}

Size Sizes::getDim(memref::DimOp op) {
  auto index = getConstantIntValue(OpFoldResult(op.getIndex()));
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  if (!index || !argument ||
      !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return Size::unknown();
  return Size::dim(argument.getArgNumber(), *index);
}

Size Sizes::get(Value v) {
  if (auto x = getConstantIntValue(OpFoldResult(v)))
    return Size::constant(*x);
  Operation *op = v.getDefiningOp();
  if (!op)
    return isa<scf::ParallelOp>(v.getParentBlock()->getParentOp())
               ? Size{"thread", std::nullopt}
               : Size::unknown();
  return llvm::TypeSwitch<Operation *, Size>(op)
      .Case([&](func::CallOp call) {
        return call.getCallee() == "geo_rt_num_threads"
                   ? Size{"threads", threads, true}
                   : Size::unknown();
      })
      .Case([&](memref::DimOp dim) { return getDim(dim); })
      .Case([&](arith::IndexCastOp cast) { return get(cast.getIn()); })
      .Case([&](arith::AddIOp add) {
        return combine(
            add.getLhs(), add.getRhs(), "+", false,
            [](int64_t x, int64_t y) { return std::optional(x + y); });
      })
      .Case([&](arith::SubIOp sub) {
        return combine(
            sub.getLhs(), sub.getRhs(), "-", false,
            [](int64_t x, int64_t y) { return std::optional(x - y); });
      })
      .Case([&](arith::MulIOp mul) {
        return combine(mul.getLhs(), mul.getRhs(), "*", false, multiply);
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto div) {
        return combine(div.getLhs(), div.getRhs(), "/", false,
                       [](int64_t x, int64_t y) {
                         return y == 0 ? std::nullopt : std::optional(x / y);
                       });
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto rem) {
        return combine(rem.getLhs(), rem.getRhs(), "%", false,
                       [](int64_t x, int64_t y) {
                         return y == 0 ? std::nullopt : std::optional(x % y);
                       });
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto div) {
        return combine(div.getLhs(), div.getRhs(), "ceildiv", true,
                       [](int64_t x, int64_t y) {
                         return y <= 0 ? std::nullopt
                                       : std::optional(llvm::divideCeil(x, y));
                       });
      })
      .Case<arith::MinUIOp, arith::MinSIOp>([&](auto min) {
        return combine(
            min.getLhs(), min.getRhs(), "min", true,
            [](int64_t x, int64_t y) { return std::optional(std::min(x, y)); });
      })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([&](auto max) {
        return combine(
            max.getLhs(), max.getRhs(), "max", true,
            [](int64_t x, int64_t y) { return std::optional(std::max(x, y)); });
      })
      .Default([](Operation *) { return Size::unknown(); });
}

Size Sizes::getBytes(MemRefType type,
                     llvm::function_ref<Size(unsigned)> dynamic) {
  Type element = type.getElementType();
  int64_t bits =
      element.isIndex() ? 64 : int64_t(element.getIntOrFloatBitWidth());
  // Constants in front, as one.
  Size total = Size::constant(llvm::divideCeil(bits, 8));
  for (int64_t d : type.getShape())
    if (!ShapedType::isDynamic(d))
      total = join(total, Size::constant(d), "*", false, multiply);
  for (unsigned i = 0; i < type.getNumDynamicDims(); ++i)
    total = join(total, dynamic(i), "*", false, multiply);
  return total;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {

struct Buffer {
  MemRefType type;
  Size bytes;
  int64_t first, last;
  bool isPerThread;
  Location location;
};

struct FunctionPlan {
  FunctionPlan(func::FuncOp function, int64_t threads);
  void print(llvm::json::OStream &json);

private:
  void addBuffer(memref::AllocOp op);
  std::optional<int64_t> getPeak();

  func::FuncOp function;
  int64_t threads;
  Sizes sizes;
  DenseMap<Operation *, int64_t> numbers;
  std::vector<Buffer> buffers;
};

} // namespace

FunctionPlan::FunctionPlan(func::FuncOp function, int64_t threads)
    : function(function), threads(threads), sizes(threads) {
  int64_t count = 0;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { numbers[op] = count++; });
  function.walk([&](memref::AllocOp op) { addBuffer(op); });
  llvm::sort(buffers, [](const Buffer &x, const Buffer &y) {
    return x.first < y.first;
  });
}

void FunctionPlan::addBuffer(memref::AllocOp op) {
  Operation *last = op->getBlock()->getTerminator();
  for (Operation *user : op->getUsers())
    if (isa<memref::DeallocOp>(user))
      last = user;
  Size bytes = sizes.getBytes(op.getType(), [&](unsigned i) {
    return sizes.get(op.getDynamicSizes()[i]);
  });
  buffers.push_back({op.getType(), bytes, numbers[op], numbers[last],
                     op->getParentOfType<scf::ParallelOp>() != nullptr,
                     op.getLoc()});
}

std::optional<int64_t> FunctionPlan::getPeak() {
  // What lives changes at allocations only upwards.
  int64_t peak = 0;
  for (const Buffer &at : buffers) {
    int64_t sum = 0;
    for (const Buffer &b : buffers) {
      if (at.first < b.first || b.last < at.first)
        continue;
      if (!b.bytes.value)
        return std::nullopt;
      sum += *b.bytes.value * (b.isPerThread ? threads : 1);
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

static void printBytes(llvm::json::OStream &json, const Size &bytes) {
  if (bytes.value)
    json.attribute("bytes", *bytes.value);
  else
    json.attribute("bytes", nullptr);
  if (!bytes.isConstant())
    json.attribute("formula", bytes.text);
}

/// Where the op came from in the user's file, if anywhere.
static std::string describe(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  return file ? (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
                 ":" + Twine(file.getColumn()))
                    .str()
              : "";
}

template <class T> static std::string print(T x) {
  std::string text;
  llvm::raw_string_ostream(text) << x;
  return text;
}

void FunctionPlan::print(llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("name", function.getName());
    json.attribute("ops", int64_t(numbers.size()));
    if (auto peak = getPeak())
      json.attribute("peak_bytes", *peak);
    else
      json.attribute("peak_bytes", nullptr);
    json.attributeArray("arguments", [&] {
      for (BlockArgument argument : function.getArguments()) {
        auto type = dyn_cast<MemRefType>(argument.getType());
        if (!type)
          continue;
        SmallVector<int64_t> dims;
        for (auto [i, d] : llvm::enumerate(type.getShape()))
          if (ShapedType::isDynamic(d))
            dims.push_back(int64_t(i));
        json.object([&] {
          json.attribute("number", argument.getArgNumber());
          json.attribute("type", ::print(type));
          printBytes(json, sizes.getBytes(type, [&](unsigned i) {
            return Size::dim(argument.getArgNumber(), dims[i]);
          }));
        });
      }
    });
    json.attributeArray("buffers", [&] {
      for (const Buffer &buffer : buffers)
        json.object([&] {
          json.attribute("type", ::print(buffer.type));
          printBytes(json, buffer.bytes);
          json.attribute("first", buffer.first);
          json.attribute("last", buffer.last);
          json.attribute("per_thread", buffer.isPerThread);
          json.attribute("location", describe(buffer.location));
        });
    });
  });
}

void geo::printMemoryPlan(ModuleOp module, int64_t threads,
                          llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("threads", threads);
    json.attributeArray("functions", [&] {
      for (auto function : module.getOps<func::FuncOp>())
        if (!function.isExternal())
          FunctionPlan(function, threads).print(json);
    });
  });
  stream << '\n';
}
