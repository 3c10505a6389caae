// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a scan: full and truncated backpropagation through time.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

constexpr int64_t B = 3;

/// A scan in a function @f whose loss weighs every element of the final states
/// and stacks differently. The functions of each cell take what they need of:
struct Cell {
  const char *name;
  /// init(...), one or two states of tensor<?x4xf32>.
  const char *init;
  /// Uses the states, the slices %u (row), %m (number), %i (ids) and the shared
  /// %w (4x4), %e (5x4), %b (row), %c (number); yields the states and one row.
  const char *body;
  int numStates = 1;
};

/// Which results of the scan the loss reads.
enum class Reads { all, statesOnly, outputOnly };

std::string repeat(const std::string &text, int count) {
  std::string all = text;
  for (int i = 1; i < count; ++i)
    all += ", " + text;
  return all;
}

std::string makeSource(const Cell &cell, int truncate, Reads reads) {
  std::string states = repeat("tensor<?x4xf32>", cell.numStates);
  std::string count = std::to_string(cell.numStates);
  std::string source = R"mlir(
func.func @f(%H: tensor<?x4xf32>, %G: tensor<?x4xf32>, %U: tensor<?x?x4xf32>,
             %M: tensor<?x?xf64>, %I: tensor<?x?xi32>, %W: tensor<4x4xf32>,
             %E: tensor<5x4xf32>, %Bias: tensor<4xf32>, %C: f64,
             %K: tensor<?x4xf32>, %L: tensor<?x4xf32>)
    -> (f64, tensor<?x?x4xf32>) {
  %r:)mlir" + std::to_string(cell.numStates + 1) +
                       " = geo.scan init(" + cell.init + R"mlir()
      inputs(%u = %U : tensor<?x?x4xf32>, %m = %M : tensor<?x?xf64>, %i = %I : tensor<?x?xi32>)
      shared(%w = %W : tensor<4x4xf32>, %e = %E : tensor<5x4xf32>,
             %b = %Bias : tensor<4xf32>, %c = %C : f64) truncate )mlir" +
                       std::to_string(truncate) + " {" + cell.body +
                       "  } -> (" + states + ", tensor<?x?x4xf32>)\n";
  // The rows of the loss: %K weighs the batch, %L all steps.
  std::string loss = "  %zero = arith.constant 0.0 : f64\n";
  std::string last = "%zero";
  for (int s = 0; s < cell.numStates && reads != Reads::outputOnly; ++s) {
    std::string i = std::to_string(s);
    loss += "  %l" + i + " = geo.rowwise rows(%a = %r#" + i +
            " : tensor<?x4xf32>, %k = %K : tensor<?x4xf32>) {\n"
            "    %q = math.sin %a : vector<4xf32>\n"
            "    %n = geo.dot %q, %k : vector<4xf32>\n"
            "    geo.yield %n : f64\n  } -> () sums (f64)\n  %s" +
            i + " = arith.addf " + last + ", %l" + i + " : f64\n";
    last = "%s" + i;
  }
  if (reads != Reads::statesOnly) {
    loss += "  %flat = tensor.collapse_shape %r#" + count +
            " [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>\n"
            "  %lo = geo.rowwise rows(%a = %flat : tensor<?x4xf32>, %k = %L : "
            "tensor<?x4xf32>) {\n"
            "    %q = math.sin %a : vector<4xf32>\n"
            "    %n = geo.dot %q, %k : vector<4xf32>\n"
            "    geo.yield %n : f64\n  } -> () sums (f64)\n"
            "  %so = arith.addf " +
            last + ", %lo : f64\n";
    last = "%so";
  }
  return source + loss + "  return " + last + ", %r#" + count +
         " : f64, tensor<?x?x4xf32>\n}\n";
}

const Cell cells[] = {
    // The plain cell: a table, a weight, a bias, a number.
    {"Rnn", "%h = %H : tensor<?x4xf32>", R"mlir(
    %x = geo.gather %e[%i] : tensor<5x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
    %xu = geo.rowwise rows(%a = %x : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>) shared(%s = %c : f64) {
      %y = geo.scale %s, %a : vector<4xf32>
      %z = arith.addf %y, %d : vector<4xf32>
      geo.yield %z : vector<4xf32>
    } -> (tensor<?x4xf32>)
    %p = geo.matmul %xu, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %q = geo.matmul %h, %w transpose_b : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n = geo.rowwise rows(%a = %p : tensor<?x4xf32>, %d = %q : tensor<?x4xf32>) shared(%s = %b : tensor<4xf32>) {
      %y = arith.addf %a, %d : vector<4xf32>
      %z = arith.addf %y, %s : vector<4xf32>
      %t = math.tanh %z : vector<4xf32>
      geo.yield %t : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %n : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
    // A masked step keeps its state; the output is the state that came in.
    {"Masked", "%h = %H : tensor<?x4xf32>", R"mlir(
    %q = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n = geo.rowwise rows(%a = %q : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>,
                          %o = %h : tensor<?x4xf32>, %on = %m : tensor<?xf64>) {
      %half = arith.constant 0.5 : f64
      %y = arith.addf %a, %d : vector<4xf32>
      %t = math.tanh %y : vector<4xf32>
      %keep = arith.cmpf ogt, %on, %half : f64
      %z = arith.select %keep, %t, %o : vector<4xf32>
      geo.yield %z : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %h : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
    // Two states that feed each other; the output reads both.
    {"TwoStates", "%h = %H : tensor<?x4xf32>, %g = %G : tensor<?x4xf32>",
     R"mlir(
    %q = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n:2 = geo.rowwise rows(%a = %q : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>, %o = %g : tensor<?x4xf32>,
                            %k = %m : tensor<?xf64>) shared(%s = %c : f64) {
      %y = arith.addf %a, %d : vector<4xf32>
      %t = math.tanh %y : vector<4xf32>
      %f = geo.scale %s, %o : vector<4xf32>
      %z = arith.addf %f, %t : vector<4xf32>
      %r = math.tanh %z : vector<4xf32>
      %v = geo.scale %k, %r : vector<4xf32>
      geo.yield %v, %z : vector<4xf32>, vector<4xf32>
    } -> (tensor<?x4xf32>, tensor<?x4xf32>)
    %out = geo.rowwise rows(%a = %n#0 : tensor<?x4xf32>, %d = %g : tensor<?x4xf32>) {
      %y = arith.mulf %a, %d : vector<4xf32>
      geo.yield %y : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n#0, %n#1, %out : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
)mlir",
     2},
    // The states swap places, and the output is an input as it came.
    {"Swapped", "%h = %H : tensor<?x4xf32>, %g = %G : tensor<?x4xf32>",
     R"mlir(
    %n = geo.rowwise rows(%a = %h : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>) {
      %y = arith.mulf %a, %d : vector<4xf32>
      geo.yield %y : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %g, %n, %u : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
)mlir",
     2},
    // The new state does not depend on the old one.
    {"Forgetful", "%h = %H : tensor<?x4xf32>", R"mlir(
    %p = geo.matmul %u, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %out = geo.rowwise rows(%a = %h : tensor<?x4xf32>, %d = %p : tensor<?x4xf32>) {
      %y = arith.mulf %a, %d : vector<4xf32>
      geo.yield %y : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %p, %out : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
    // The state that never changes; only the output uses it.
    {"Constant", "%h = %H : tensor<?x4xf32>", R"mlir(
    %q = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    geo.yield %h, %q : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
    // A detached path beside a differentiable one.
    {"Detached", "%h = %H : tensor<?x4xf32>", R"mlir(
    %o = geo.detach %h : tensor<?x4xf32>
    %q = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %v = geo.matmul %o, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n = geo.rowwise rows(%a = %q : tensor<?x4xf32>, %d = %v : tensor<?x4xf32>, %x = %u : tensor<?x4xf32>) {
      %g = geo.detach %x : vector<4xf32>
      %y = arith.mulf %a, %d : vector<4xf32>
      %z = arith.addf %y, %g : vector<4xf32>
      %t = math.tanh %z : vector<4xf32>
      geo.yield %t : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %q : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
    // Numbers and rows that programs share with states, more than once;
    // functions
    // inside of a program; a row operand that no state feeds.
    {"Shared", "%h = %H : tensor<?x4xf32>", R"mlir(
    %q = geo.matmul %h, %w transpose_b : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %k, %o = geo.rowwise rows(%a = %q : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>, %mm = %m : tensor<?xf64>) shared(%s = %b : tensor<4xf32>, %t = %c : f64) {
      %y = arith.addf %a, %d : vector<4xf32>
      %z = arith.mulf %y, %s : vector<4xf32>
      %f = math.tanh %z : vector<4xf32>
      %g = geo.scale %t, %f : vector<4xf32>
      %p = math.exp %f : vector<4xf32>
      %l = geo.scale %mm, %p : vector<4xf32>
      %r = arith.addf %g, %l : vector<4xf32>
      %j = geo.dot %r, %g : vector<4xf32>
      geo.yield %r, %j : vector<4xf32>, f64
    } -> (tensor<?x4xf32>, tensor<?xf64>)
    %n = geo.rowwise rows(%a = %k : tensor<?x4xf32>, %j = %o : tensor<?xf64>) shared(%s = %b : tensor<4xf32>, %t = %c : f64) {
      %x = arith.mulf %j, %t : f64
      %y = geo.scale %x, %s : vector<4xf32>
      %z = arith.addf %a, %y : vector<4xf32>
      %v = math.tanh %z : vector<4xf32>
      geo.yield %v : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %k : tensor<?x4xf32>, tensor<?x4xf32>
)mlir"},
};

struct ScanCase {
  Cell cell;
  int steps, truncate;
  Reads reads;
};

class ScanGradientTest : public ::testing::TestWithParam<ScanCase> {};

llvm::SmallVector<Datum> makeArguments(int64_t steps, Datum mask) {
  return {spread({B, 4}, -1, 1, 1),
          spread({B, 4}, -1, 1, 2),
          spread({steps, B, 4}, -1, 1, 3),
          std::move(mask),
          makeIds({steps, B}, 5),
          spread({4, 4}, -1, 1, 5),
          spread({5, 4}, -1, 1, 6),
          spread({4}, -1, 1, 7),
          Datum(0.7L),
          spread({B, 4}, .5, 2, 8),
          spread({steps * B, 4}, .5, 2, 9)};
}

TEST_P(ScanGradientTest, MatchesFiniteDifferences) {
  const ScanCase &scan = GetParam();
  std::string source = makeSource(scan.cell, scan.truncate, scan.reads);
  SCOPED_TRACE(source);
  auto arguments = makeArguments(scan.steps, spread({scan.steps, B}, 0, 1, 4));
  bool compiles =
      scan.steps == 5 && scan.truncate != 1 && scan.reads == Reads::all;
  EXPECT_TRUE(compiles ? checkAll(source, arguments)
                       : checkGradient(source, arguments));
}

std::vector<ScanCase> makeCases() {
  std::vector<ScanCase> cases;
  for (const Cell &cell : cells)
    for (int steps : {1, 3, 5})
      for (int truncate : {0, 1, 3})
        for (Reads reads : {Reads::all, Reads::statesOnly, Reads::outputOnly})
          cases.push_back({cell, steps, truncate, reads});
  return cases;
}

std::string printName(const ::testing::TestParamInfo<ScanCase> &info) {
  const ScanCase &scan = info.param;
  const char *reads[] = {"All", "States", "Output"};
  return std::string(scan.cell.name) + std::to_string(scan.steps) +
         "StepsTruncate" + std::to_string(scan.truncate) +
         reads[static_cast<int>(scan.reads)];
}

INSTANTIATE_TEST_SUITE_P(Cells, ScanGradientTest,
                         ::testing::ValuesIn(makeCases()), printName);

TEST(ScanGradient, FullyMaskedBatch) {
  // Row 1 of the batch is masked in all steps, then all rows are.
  for (bool all : {false, true}) {
    Datum mask = spread({5, B}, .6, 1, 4);
    for (int64_t i = 0; i < mask.size(); ++i)
      if (all || i % B == 1)
        mask.data[i] = 0;
    EXPECT_TRUE(
        checkAll(makeSource(cells[1], 2, Reads::all), makeArguments(5, mask)));
  }
}

TEST(ScanGradient, TruncationChangesTheGradient) {
  // So the comparisons above do check where it cuts.
  GradientOptions options;
  options.freezes = false;
  auto arguments = makeArguments(5, spread({5, B}, 0, 1, 4));
  EXPECT_TRUE(
      checkGradient(makeSource(cells[0], 0, Reads::all), arguments, options));
  EXPECT_FALSE(
      checkGradient(makeSource(cells[0], 3, Reads::all), arguments, options));
}

TEST(ScanGradient, NumberStatesAndChainedScans) {
  // A state of one number per row; the stack of the first scan feeds a second.
  EXPECT_TRUE(
      checkGradient(R"mlir(
func.func @f(%H: tensor<?x4xf32>, %S: tensor<?xf64>, %U: tensor<?x?x4xf32>,
             %W: tensor<4x4xf32>) -> f64 {
  %end, %all = geo.scan init(%h = %H : tensor<?x4xf32>) inputs(%u = %U : tensor<?x?x4xf32>)
      shared(%w = %W : tensor<4x4xf32>) {
    %q = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n = geo.rowwise rows(%a = %q : tensor<?x4xf32>, %d = %u : tensor<?x4xf32>) {
      %y = arith.addf %a, %d : vector<4xf32>
      %t = math.tanh %y : vector<4xf32>
      geo.yield %t : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %n : tensor<?x4xf32>, tensor<?x4xf32>
  } -> (tensor<?x4xf32>, tensor<?x?x4xf32>)
  %sum, %stack = geo.scan init(%s = %S : tensor<?xf64>) inputs(%x = %all : tensor<?x?x4xf32>)
      truncate 2 {
    %n = geo.rowwise rows(%a = %s : tensor<?xf64>, %d = %x : tensor<?x4xf32>) {
      %y = geo.dot %d, %d : vector<4xf32>
      %z = arith.mulf %a, %y : f64
      %t = math.sin %z : f64
      geo.yield %t : f64
    } -> (tensor<?xf64>)
    geo.yield %n, %n : tensor<?xf64>, tensor<?xf64>
  } -> (tensor<?xf64>, tensor<?x?xf64>)
  %flat = tensor.collapse_shape %stack [[0, 1]] : tensor<?x?xf64> into tensor<?xf64>
  %l = geo.rowwise rows(%a = %flat : tensor<?xf64>) {
    %y = arith.mulf %a, %a : f64
    geo.yield %y : f64
  } -> () sums (f64)
  %m = geo.rowwise rows(%a = %sum : tensor<?xf64>, %d = %end : tensor<?x4xf32>, %o = %H : tensor<?x4xf32>) {
    %y = geo.dot %d, %o : vector<4xf32>
    %z = arith.mulf %a, %y : f64
    geo.yield %z : f64
  } -> () sums (f64)
  %loss = arith.addf %l, %m : f64
  return %loss : f64
}
)mlir",
                    {spread({B, 4}, -1, 1, 1), spread({B}, .2, 1, 2),
                     spread({5, B, 4}, -1, 1, 3), spread({4, 4}, -1, 1, 4)}));
}

} // namespace
