// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans whose rows are split among threads, and scans whose rows cannot be,
// against scalar loops.
#include "test/lowering/Harness.h"

#include "runtime/Threads.h"
#include <cmath>

using namespace geo;
using namespace geo::test;

namespace {

// A number as a state, ids and a row scalar as inputs, a vector that all rows
// see, a transposed product, and an output that is the incoming state.
const char *split = R"mlir(
func.func @f(%h0: tensor<?x19xf32>, %n0: f64, %ids: tensor<?x?xi32>, %A: tensor<?x?xf64>,
             %Bias: tensor<?x19xf32>, %E: tensor<7x19xf32>, %W: tensor<19x19xf32>, %s: f64)
    -> (tensor<?x19xf32>, f64, tensor<?x?x19xf32>, tensor<?x?xf64>) {
  %end, %n, %all, %dots = geo.scan init(%h = %h0 : tensor<?x19xf32>, %k = %n0 : f64)
      inputs(%id = %ids : tensor<?x?xi32>, %a = %A : tensor<?x?xf64>, %bias = %Bias : tensor<?x19xf32>)
      shared(%e = %E : tensor<7x19xf32>, %w = %W : tensor<19x19xf32>, %t = %s : f64) $M {
    %x = geo.gather %e[%id] : tensor<7x19xf32>, tensor<?xi32> -> tensor<?x19xf32>
    %p = geo.matmul %h, %w transpose_b : tensor<?x19xf32>, tensor<19x19xf32> -> tensor<?x19xf32>
    %q = geo.matmul %x, %w : tensor<?x19xf32>, tensor<19x19xf32> -> tensor<?x19xf32>
    %r:2 = geo.rowwise rows(%pr = %p : tensor<?x19xf32>, %qr = %q : tensor<?x19xf32>, %ar = %a : tensor<?xf64>)
        shared(%br = %bias : tensor<19xf32>, %kr = %k : f64, %tr = %t : f64) {
      %u = arith.addf %pr, %qr : vector<19xf32>
      %v = arith.addf %u, %br : vector<19xf32>
      %y = math.tanh %v : vector<19xf32>
      %d = geo.dot %y, %u : vector<19xf32>
      %m = arith.mulf %ar, %tr : f64
      %m2 = arith.addf %m, %kr : f64
      %z = geo.scale %m2, %y : vector<19xf32>
      geo.yield %z, %d : vector<19xf32>, f64
    } -> (tensor<?x19xf32>, tensor<?xf64>)
    %half = arith.constant 0.5 : f64
    %k1 = arith.mulf %k, %half : f64
    geo.yield %r#0, %k1, %h, %r#1 : tensor<?x19xf32>, f64, tensor<?x19xf32>, tensor<?xf64>
  } -> (tensor<?x19xf32>, f64, tensor<?x?x19xf32>, tensor<?x?xf64>)
  return %end, %n, %all, %dots : tensor<?x19xf32>, f64, tensor<?x?x19xf32>, tensor<?x?xf64>
})mlir";

// The state is what the next product sees whole.
const char *whole = R"mlir(
func.func @f(%h0: tensor<9x9xf32>, %U: tensor<?x9x9xf32>) -> (tensor<9x9xf32>, tensor<?x9x9xf32>) {
  %end, %all = geo.scan init(%h = %h0 : tensor<9x9xf32>) inputs(%u = %U : tensor<?x9x9xf32>) {
    %p = geo.matmul %u, %h : tensor<9x9xf32>, tensor<9x9xf32> -> tensor<9x9xf32>
    geo.yield %p, %p : tensor<9x9xf32>, tensor<9x9xf32>
  } -> (tensor<9x9xf32>, tensor<?x9x9xf32>)
  return %end, %all : tensor<9x9xf32>, tensor<?x9x9xf32>
})mlir";

template <class T>
void expectNear(const Array<T> &got, const Array<T> &want, double tolerance) {
  for (size_t i = 0; i < want.data.size(); ++i)
    ASSERT_NEAR(got.data[i], want.data[i], tolerance) << i;
}

/// The targets and threads to compare with loops.
const std::pair<Target, int> runs[] = {
    {Target::cpu, 1}, {Target::cpu, 2}, {Target::cpu, 3}, {Target::simt, 1}};

class CpuScan : public testing::TestWithParam<const char *> {
protected:
  void TearDown() override { rt::setNumThreads(0); }
};
INSTANTIATE_TEST_SUITE_P(Modes, CpuScan,
                         testing::Values("", "reverse", "truncate 2 reverse"));

TEST_P(CpuScan, SplitsRows) {
  std::string text = split;
  text.replace(text.find("$M"), 2, GetParam());
  Program loops(text, Target::loops), cpu(text, Target::cpu),
      simt(text, Target::simt);
  ASSERT_TRUE(loops) << loops.errors;
  ASSERT_TRUE(cpu) << cpu.errors;
  ASSERT_TRUE(simt) << simt.errors;
  for (int64_t batch : {1, 2, 30})
    for (int64_t steps : {0, 1, 5}) {
      Array<float> h({batch, 19}), bias({steps, 19}), E({7, 19}), W({19, 19});
      Array<int32_t> ids({steps, batch});
      Array<double> A({steps, batch});
      fill(h, -1, 1, 1);
      fill(bias, -1, 1, 2);
      fill(E, -1, 1, 3);
      fill(W, -0.3, 0.3, 4);
      fill(A, -1, 1, 5);
      for (size_t i = 0; i < ids.data.size(); ++i)
        ids.data[i] = i % 7;
      double n = 0.75, s = 0.9;
      Array<float> end({batch, 19}, NAN), all({steps, batch, 19}, NAN);
      Array<double> dots({steps, batch}, NAN);
      double number = NAN;
      loops("f", h, n, ids, A, bias, E, W, s, end, number, all, dots);
      for (auto [target, threads] : runs) {
        Program &program = target == Target::cpu ? cpu : simt;
        rt::setNumThreads(threads);
        Array<float> end2({batch, 19}, NAN), all2({steps, batch, 19}, NAN);
        Array<double> dots2({steps, batch}, NAN);
        double number2 = NAN;
        program("f", h, n, ids, A, bias, E, W, s, end2, number2, all2, dots2);
        expectNear(end2, end, 1e-5);
        expectNear(all2, all, 1e-5);
        expectNear(dots2, dots, 1e-5);
        EXPECT_EQ(number2, number);
      }
    }
}

// A batch that the types tell is split all the same.
TEST(CpuScanStatic, SplitsRows) {
  std::string text = split;
  for (const auto &[from, to] :
       {std::pair<std::string, std::string>{"$M", ""},
        {"tensor<?x19xf32>", "tensor<5x19xf32>"},
        {"%Bias: tensor<5x19xf32>", "%Bias: tensor<?x19xf32>"},
        {"%Bias : tensor<5x19xf32>", "%Bias : tensor<?x19xf32>"},
        {"tensor<?xi32>", "tensor<5xi32>"},
        {"tensor<?xf64>", "tensor<5xf64>"},
        {"tensor<?x?x", "tensor<?x5x"}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
  Program loops(text, Target::loops), cpu(text, Target::cpu),
      simt(text, Target::simt);
  ASSERT_TRUE(loops) << loops.errors;
  ASSERT_TRUE(cpu) << cpu.errors;
  ASSERT_TRUE(simt) << simt.errors;
  Array<float> h({5, 19}), bias({3, 19}), E({7, 19}), W({19, 19});
  Array<int32_t> ids({3, 5}, 2);
  Array<double> A({3, 5});
  fill(h, -1, 1, 1);
  fill(bias, -1, 1, 2);
  fill(E, -1, 1, 3);
  fill(W, -0.3, 0.3, 4);
  fill(A, -1, 1, 5);
  double n = 0.75, s = 0.9, number = NAN, number2 = NAN;
  Array<float> end({5, 19}, NAN), all({3, 5, 19}, NAN), end2 = end, all2 = all;
  Array<double> dots({3, 5}, NAN), dots2 = dots;
  loops("f", h, n, ids, A, bias, E, W, s, end, number, all, dots);
  for (auto [target, threads] : runs) {
    Program &program = target == Target::cpu ? cpu : simt;
    rt::setNumThreads(threads);
    program("f", h, n, ids, A, bias, E, W, s, end2, number2, all2, dots2);
    expectNear(end2, end, 1e-5);
    expectNear(all2, all, 1e-5);
    expectNear(dots2, dots, 1e-5);
    EXPECT_EQ(number2, number);
  }
  rt::setNumThreads(0);
}

// The state is two blocks, of which each has its own update; one is computed in
// its place, the other by numbers that become a column.
const char *blocks = R"mlir(
func.func @f(%h0: tensor<?x21xf32>, %U: tensor<?x?x21xf32>, %W: tensor<20x24xf32>)
    -> (tensor<?x21xf32>, tensor<?x?x23xf32>) {
  %end, %all = geo.scan init(%h = %h0 : tensor<?x21xf32>) inputs(%u = %U : tensor<?x?x21xf32>)
      shared(%w = %W : tensor<20x24xf32>) {
    %a = geo.columns %h[0] : tensor<?x21xf32> -> tensor<?x20xf32>
    %t = geo.columns %h[20] : tensor<?x21xf32> -> tensor<?xf64>
    %b = geo.columns %u[1] : tensor<?x21xf32> -> tensor<?x20xf32>
    %v = geo.columns %w[3] : tensor<20x24xf32> -> tensor<20x20xf32>
    %p = geo.matmul %a, %v : tensor<?x20xf32>, tensor<20x20xf32> -> tensor<?x20xf32>
    %r:2 = geo.rowwise rows(%x = %p : tensor<?x20xf32>, %y = %b : tensor<?x20xf32>, %s = %t : tensor<?xf64>) {
      %q = arith.addf %x, %y : vector<20xf32>
      %z = math.tanh %q : vector<20xf32>
      %d = geo.dot %z, %y : vector<20xf32>
      %e = arith.addf %d, %s : f64
      geo.yield %z, %e : vector<20xf32>, f64
    } -> (tensor<?x20xf32>, tensor<?xf64>)
    %next = geo.concat_columns %r#0, %r#1 at [0, 20] : tensor<?x20xf32>, tensor<?xf64> -> tensor<?x21xf32>
    %out = geo.concat_columns %t, %r#0 at [1, 3] : tensor<?xf64>, tensor<?x20xf32> -> tensor<?x23xf32>
    geo.yield %next, %out : tensor<?x21xf32>, tensor<?x23xf32>
  } -> (tensor<?x21xf32>, tensor<?x?x23xf32>)
  return %end, %all : tensor<?x21xf32>, tensor<?x?x23xf32>
})mlir";

TEST(CpuScanBlocks, SplitRows) {
  Program loops(blocks, Target::loops), cpu(blocks, Target::cpu),
      simt(blocks, Target::simt);
  ASSERT_TRUE(loops) << loops.errors;
  ASSERT_TRUE(cpu) << cpu.errors;
  ASSERT_TRUE(simt) << simt.errors;
  for (int64_t batch : {1, 2, 30})
    for (int64_t steps : {0, 1, 5}) {
      Array<float> h({batch, 21}), U({steps, batch, 21}), W({20, 24}),
          end({batch, 21}, NAN), all({steps, batch, 23}, NAN);
      fill(h, -1, 1, 1);
      fill(U, -1, 1, 2);
      fill(W, -0.3, 0.3, 3);
      loops("f", h, U, W, end, all);
      for (auto [target, threads] : runs) {
        Program &program = target == Target::cpu ? cpu : simt;
        rt::setNumThreads(threads);
        Array<float> end2({batch, 21}, NAN), all2({steps, batch, 23}, NAN);
        program("f", h, U, W, end2, all2);
        expectNear(end2, end, 1e-5);
        expectNear(all2, all, 1e-5);
      }
    }
  rt::setNumThreads(0);
}

TEST(CpuScanWhole, KeepsDependentRowsTogether) {
  Program loops(whole, Target::loops), cpu(whole, Target::cpu),
      simt(whole, Target::simt);
  ASSERT_TRUE(loops) << loops.errors;
  ASSERT_TRUE(cpu) << cpu.errors;
  ASSERT_TRUE(simt) << simt.errors;
  Array<float> h({9, 9}), U({4, 9, 9}), end({9, 9}), all({4, 9, 9}),
      end2({9, 9}, NAN), all2({4, 9, 9}, NAN);
  fill(h, -1, 1, 1);
  fill(U, -0.5, 0.5, 2);
  loops("f", h, U, end, all);
  for (Program *program : {&cpu, &simt}) {
    rt::setNumThreads(3);
    (*program)("f", h, U, end2, all2);
    rt::setNumThreads(0);
    expectNear(end2, end, 1e-6);
    expectNear(all2, all, 1e-6);
  }
}

} // namespace
