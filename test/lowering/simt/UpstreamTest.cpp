// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine against upstream: convert-vector-to-gpu decides which lane holds
// what, and which ldmatrix loads it. Integers, so that every product is exact.
#include "test/lowering/simt/KernelHarness.h"

using namespace geo::test;

namespace {

/// C += A B^T for one tile of a warp, through workgroup memory. With
/// `transposed`, B is given as K x N.
std::string contraction(const std::string &type, int k, bool transposed) {
  std::string text = R"mlir(
gpu.module @kernels {
  gpu.func @f(%ga: memref<16xKxT>, %gb: memref<BSHAPExT>, %c: memref<16x8xf32>)
      workgroup(%a : memref<16xKxT, #gpu.address_space<workgroup>>,
                %b : memref<BSHAPExT, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = arith.constant BROWS : index
    %cols = arith.constant BCOLS : index
    %k = arith.constant K : index
    %t = gpu.thread_id x
    %z = arith.constant 0.0 : T
    %zc = arith.constant 0.0 : f32
    %inA = arith.cmpi ult, %t, %k : index
    scf.if %inA {
      scf.for %i = %c0 to %c16 step %c1 {
        %x = memref.load %ga[%i, %t] : memref<16xKxT>
        memref.store %x, %a[%i, %t]
            : memref<16xKxT, #gpu.address_space<workgroup>>
      }
    }
    %inB = arith.cmpi ult, %t, %cols : index
    scf.if %inB {
      scf.for %i = %c0 to %rows step %c1 {
        %x = memref.load %gb[%i, %t] : memref<BSHAPExT>
        memref.store %x, %b[%i, %t]
            : memref<BSHAPExT, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]}
        : memref<16xKxT, #gpu.address_space<workgroup>>, vector<16xKxT>
    %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]BMAP}
        : memref<BSHAPExT, #gpu.address_space<workgroup>>, vector<8xKxT>
    %C = vector.transfer_read %c[%c0, %c0], %zc {in_bounds = [true, true]}
        : memref<16x8xf32>, vector<16x8xf32>
    %D = vector.contract {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %A, %B, %C
        : vector<16xKxT>, vector<8xKxT> into vector<16x8xf32>
    vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]}
        : vector<16x8xf32>, memref<16x8xf32>
    gpu.return
  }
}
func.func @run(%a: memref<16xKxT>, %b: memref<BSHAPExT>, %c: memref<16x8xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@f blocks in (%c1, %c1, %c1)
      threads in (%c32, %c1, %c1)
      args(%a : memref<16xKxT>, %b : memref<BSHAPExT>, %c : memref<16x8xf32>)
  return
}
)mlir";
  std::string n = std::to_string(k);
  text = replaceAll(text, "BSHAPE", transposed ? "Kx8" : "8xK");
  text = replaceAll(text, "BROWS", transposed ? "K" : "8");
  text = replaceAll(text, "BCOLS", transposed ? "8" : "K");
  text = replaceAll(
      text, "BMAP",
      transposed ? ", permutation_map = affine_map<(i, j) -> (j, i)>" : "");
  text = replaceAll(text, "16xKxT", "16x" + n + "x" + type);
  text = replaceAll(text, "8xKxT", "8x" + n + "x" + type);
  text = replaceAll(text, "Kx8xT", n + "x8x" + type);
  text = replaceAll(text, "constant K ", "constant " + n + " ");
  return replaceAll(text, "0.0 : T\n", "0.0 : " + type + "\n");
}

template <class T> void expectExact(const char *type, int k, bool transposed) {
  for (bool check : {false, true}) {
    Kernels kernels(contraction(type, k, transposed), check,
                    /*distribute=*/true);
    ASSERT_TRUE(kernels) << kernels.errors;
    Array<T> a({16, k}),
        b(transposed ? std::vector<int64_t>{k, 8} : std::vector<int64_t>{8, k});
    Array<float> c({16, 8});
    std::mt19937 random(5);
    auto draw = [&](auto &array, int limit) {
      for (auto &x : array.data)
        x = static_cast<std::decay_t<decltype(x)>>(
            static_cast<int>(random() % (2 * limit + 1)) - limit);
    };
    draw(a, 8);
    draw(b, 8);
    draw(c, 50);
    Array<float> old = c;
    kernels("run", a, b, c);
    EXPECT_EQ(takeMessages(), "") << type << k << transposed;
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        float want = old(i, j);
        for (int q = 0; q < k; ++q)
          want += static_cast<float>(a(i, q)) *
                  static_cast<float>(transposed ? b(q, j) : b(j, q));
        EXPECT_EQ(c(i, j), want) << type << k << ' ' << i << ' ' << j;
      }
  }
}

TEST(UpstreamTest, F16) { expectExact<_Float16>("f16", 16, false); }
TEST(UpstreamTest, F16Transposed) { expectExact<_Float16>("f16", 16, true); }
TEST(UpstreamTest, Tf32) {
  expectExact<float>("f32", 4, false);
  expectExact<float>("f32", 8, false);
}
TEST(UpstreamTest, Tf32Transposed) { expectExact<float>("f32", 8, true); }

} // namespace
