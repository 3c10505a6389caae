// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function of a module with kernels on the simt machine under its check,
// for test/lowering/simt/mutants.py:
//   simt-run FILE FUNCTION ARGUMENT...
// An argument is TYPE=NUMBER, or TYPE:SIZExSIZE:FILL with a fill of `uniform`
// (in [-1, 1]), `mixed` (every other row nearly 1), `nan`, `zero` or `below-N`.
// Prints the findings, one a line after "report ", then each array after "array
// ". Exits 1 if the module does not compile.
#include "frontend/tools/Registration.h"
#include "lowering/Compiler.h"
#include "mlir/Parser/Parser.h"
#include "runtime/simt/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <random>

using namespace mlir;

namespace {

struct Argument {
  std::string type;
  std::vector<int64_t> shape;
  std::vector<char> data;
  std::vector<int64_t> descriptor;
  bool isNumber = false;

  int64_t size() const {
    int64_t count = 1;
    for (int64_t n : shape)
      count *= n;
    return count;
  }
  int64_t bytes() const { return type.back() == '4' ? 8 : 4; }

  void set(int64_t i, double value) {
    char *to = data.data() + i * bytes();
    if (type == "f32")
      *reinterpret_cast<float *>(to) = static_cast<float>(value);
    else if (type == "f64")
      *reinterpret_cast<double *>(to) = value;
    else if (type == "i32")
      *reinterpret_cast<int32_t *>(to) = static_cast<int32_t>(value);
    else
      *reinterpret_cast<int64_t *>(to) = static_cast<int64_t>(value);
  }
  double get(int64_t i) const {
    const char *from = data.data() + i * bytes();
    if (type == "f32")
      return *reinterpret_cast<const float *>(from);
    if (type == "f64")
      return *reinterpret_cast<const double *>(from);
    if (type == "i32")
      return *reinterpret_cast<const int32_t *>(from);
    return static_cast<double>(*reinterpret_cast<const int64_t *>(from));
  }

  void *pack() {
    if (isNumber)
      return data.data();
    auto address = reinterpret_cast<int64_t>(data.data());
    descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), shape.begin(), shape.end());
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    descriptor.insert(descriptor.end(), strides.begin(), strides.end());
    return descriptor.data();
  }
};

bool parse(StringRef text, std::mt19937 &random, Argument &argument) {
  argument.isNumber = text.contains('=');
  auto [type, rest] = text.split(argument.isNumber ? '=' : ':');
  argument.type = type.str();
  if (!llvm::is_contained({"f32", "f64", "i32", "i64"}, type))
    return false;
  if (argument.isNumber) {
    double value;
    argument.data.resize(8);
    if (rest.getAsDouble(value))
      return false;
    argument.set(0, value);
    return true;
  }
  auto [sizes, fill] = rest.split(':');
  SmallVector<StringRef> dims;
  sizes.split(dims, 'x', -1, /*KeepEmpty=*/false);
  for (StringRef dim : dims) {
    int64_t n;
    if (dim.getAsInteger(10, n) || n < 0)
      return false;
    argument.shape.push_back(n);
  }
  argument.data.resize(argument.size() * argument.bytes() + 64);
  int64_t below = 0;
  bool isBelow = fill.consume_front("below-") && !fill.getAsInteger(10, below);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int64_t columns = argument.shape.empty() ? 1 : argument.shape.back();
  for (int64_t i = 0; i < argument.size(); ++i)
    argument.set(i, fill == "mixed" && i / columns % 2
                        ? 1 + 1e-4 * uniform(random)
                    : isBelow        ? static_cast<double>(random() % below)
                    : fill == "nan"  ? std::nan("")
                    : fill == "zero" ? 0
                                     : uniform(random));
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    llvm::errs() << "usage: simt-run FILE FUNCTION ARGUMENT...\n";
    return 2;
  }
  std::mt19937 random(1);
  std::vector<Argument> arguments(argc - 3);
  std::vector<void *> pointers;
  for (int i = 3; i < argc; ++i) {
    if (!parse(argv[i], random, arguments[i - 3])) {
      llvm::errs() << "simt-run: expects TYPE=NUMBER or TYPE:SIZES:FILL, but "
                      "got "
                   << argv[i] << '\n';
      return 2;
    }
    pointers.push_back(arguments[i - 3].pack());
  }
  DialectRegistry registry;
  geo::registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  auto program =
      module ? geo::compileKernels(*module, /*simtCheck=*/true) : nullptr;
  auto entry = program ? program->lookup(argv[2]) : nullptr;
  if (!entry)
    return 1;
  entry(pointers.data());
  for (const auto &report : geo::rt::simt::takeReports())
    llvm::outs() << "report " << report.message() << '\n';
  for (const Argument &argument : arguments) {
    llvm::outs() << "array";
    for (int64_t i = 0; i < argument.size(); ++i)
      llvm::outs() << ' ' << llvm::format("%.9g", argument.get(i));
    llvm::outs() << '\n';
  }
  return 0;
}
