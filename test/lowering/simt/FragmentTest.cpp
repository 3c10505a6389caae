// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma.sync against the tables of the PTX ISA ("Warp-Level Matrix Instructions",
// Matrix Fragments for mma.m16n8k4, k8, k16, m8n8k4): the formulas are written
// here as the ISA words them. Integers, so that every product is exact.
#include "test/lowering/simt/KernelHarness.h"

#include <cstring>
#include <functional>

using namespace geo::test;

namespace {

struct Place {
  int row, col;
};
using Table = std::function<Place(int lane, int i)>;

struct Case {
  const char *name;
  const char *factor, *sum;                       // types
  int m, k, inA, inB, inC;                        // sizes, elements of a lane
  const char *vectorA, *vectorB, *vectorC, *attr; // shapes of nvgpu.mma.sync
  Table a, b, c;
};

int groupID(int lane) { return lane >> 2; }
int inGroup(int lane) { return lane % 4; }

// "row = groupID for ci where i < 2, groupID + 8 for i >= 2;
//  col = (threadID_in_group * 2) + (i & 0x1)".
Place sums(int lane, int i) {
  return {i < 2 ? groupID(lane) : groupID(lane) + 8,
          inGroup(lane) * 2 + (i & 1)};
}

Place a16k8(int lane, int i) {
  return {i < 2 ? groupID(lane) : groupID(lane) + 8,
          inGroup(lane) * 2 + (i & 1)};
}
Place b16k8(int lane, int i) { return {inGroup(lane) * 2 + i, groupID(lane)}; }

// "row = groupID for ai where 0 <= i < 2 || 4 <= i < 6, groupID + 8 otherwise;
//  col = (threadID_in_group * 2) + (i & 0x1) for i < 4, + 8 for i >= 4".
Place a16k16(int lane, int i) {
  bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
  return {upper ? groupID(lane) : groupID(lane) + 8,
          inGroup(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
// "row = (threadID_in_group * 2) + (i & 0x1) for i < 2, + 8 for i >= 2".
Place b16k16(int lane, int i) {
  return {inGroup(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8), groupID(lane)};
}

// tf32, k4: "row = groupID for a0, groupID + 8 for a1; col =
// threadID_in_group".
Place a32k4(int lane, int i) {
  return {i == 0 ? groupID(lane) : groupID(lane) + 8, inGroup(lane)};
}
Place b32k4(int lane, int i) { return {inGroup(lane), groupID(lane)}; }
// tf32, k8: "row = groupID for a0 and a2, groupID + 8 for a1 and a3;
//  col = threadID_in_group for a0 and a1, + 4 for a2 and a3".
Place a32k8(int lane, int i) {
  return {i == 0 || i == 2 ? groupID(lane) : groupID(lane) + 8,
          i < 2 ? inGroup(lane) : inGroup(lane) + 4};
}
Place b32k8(int lane, int i) {
  return {i == 0 ? inGroup(lane) : inGroup(lane) + 4, groupID(lane)};
}

// f64: "row = groupID, col = threadID_in_group" for A, the other way for B,
// "row = groupID, col = (threadID_in_group * 2) + (i & 0x1)" for C.
Place a64(int lane, int i) { return {groupID(lane), inGroup(lane)}; }
Place b64(int lane, int i) { return {inGroup(lane), groupID(lane)}; }
Place c64(int lane, int i) {
  return {groupID(lane), inGroup(lane) * 2 + (i & 1)};
}

const Case cases[] = {
    {"f16k8", "f16", "f32", 16, 8, 4, 2, 4, "2x2", "1x2", "2x2", "", a16k8,
     b16k8, sums},
    {"f16k16", "f16", "f32", 16, 16, 8, 4, 4, "4x2", "2x2", "2x2", "", a16k16,
     b16k16, sums},
    {"f16k16half", "f16", "f16", 16, 16, 8, 4, 4, "4x2", "2x2", "2x2", "",
     a16k16, b16k16, sums},
    {"bf16k8", "bf16", "f32", 16, 8, 4, 2, 4, "2x2", "1x2", "2x2", "", a16k8,
     b16k8, sums},
    {"bf16k16", "bf16", "f32", 16, 16, 8, 4, 4, "4x2", "2x2", "2x2", "", a16k16,
     b16k16, sums},
    {"tf32k4", "f32", "f32", 16, 4, 2, 1, 4, "2x1", "1x1", "2x2",
     ", tf32Enabled", a32k4, b32k4, sums},
    {"tf32k8", "f32", "f32", 16, 8, 4, 2, 4, "4x1", "2x1", "2x2",
     ", tf32Enabled", a32k8, b32k8, sums},
    {"f64k4", "f64", "f64", 8, 4, 1, 1, 2, "1x1", "1x1", "1x2", "", a64, b64,
     c64},
};

/// Stores an integer of few bits as the type `name` at `to`; returns its size.
size_t store(const std::string &name, char *to, int value) {
  if (name == "f16") {
    auto x = static_cast<_Float16>(value);
    std::memcpy(to, &x, 2);
    return 2;
  }
  auto x = static_cast<float>(value);
  if (name == "bf16") {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    auto upper = static_cast<uint16_t>(bits >> 16);
    std::memcpy(to, &upper, 2);
    return 2;
  }
  if (name == "f32") {
    std::memcpy(to, &x, 4);
    return 4;
  }
  double y = value;
  std::memcpy(to, &y, 8);
  return 8;
}

double load(const std::string &name, const char *from) {
  if (name == "f16") {
    _Float16 x;
    std::memcpy(&x, from, 2);
    return static_cast<double>(x);
  }
  if (name == "f32") {
    float x;
    std::memcpy(&x, from, 4);
    return x;
  }
  double x;
  std::memcpy(&x, from, 8);
  return x;
}

/// A buffer of 32 rows of `count` elements, row l the fragment of lane l.
struct Fragments {
  Fragments(const std::string &type, int count) : type(type), count(count) {
    char scratch[8];
    size = store(type, scratch, 0);
    data.resize(32 * count * size + 8);
  }
  void *pack() {
    auto address = reinterpret_cast<int64_t>(data.data());
    descriptor = {address, address, 0, 32, count, count, 1};
    return descriptor.data();
  }
  char *at(int lane, int i) { return data.data() + (lane * count + i) * size; }
  std::string type;
  int64_t count;
  size_t size;
  std::vector<char> data;
  std::vector<int64_t> descriptor;
};
void *pack(Fragments &f) { return f.pack(); }

std::string memref(int count, const std::string &type) {
  return "memref<32x" + std::to_string(count) + "x" + type + ">";
}
std::string vector(const std::string &shape, const std::string &type) {
  return "vector<" + shape + "x" + type + ">";
}

std::string moduleFor(const Case &c, const std::string &product) {
  std::string a = memref(c.inA, c.factor), b = memref(c.inB, c.factor),
              s = memref(c.inC, c.sum);
  auto number = [](int n) { return std::to_string(n); };
  return R"mlir(
gpu.module @kernels {
  gpu.func @mma(%A: )mlir" +
         a + ", %B: " + b + ", %C: " + s + ", %D: " + s + R"mlir() kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %a = vector.load %A[%t, %c0] : )mlir" +
         a + ", " + vector(number(c.inA), c.factor) +
         "\n    %b = vector.load %B[%t, %c0] : " + b + ", " +
         vector(number(c.inB), c.factor) +
         "\n    %c = vector.load %C[%t, %c0] : " + s + ", " +
         vector(number(c.inC), c.sum) + product +
         "\n    vector.store %d, %D[%t, %c0] : " + s + ", " +
         vector(number(c.inC), c.sum) + R"mlir(
    gpu.return
  }
}
func.func @run(%A: )mlir" +
         a + ", %B: " + b + ", %C: " + s + ", %D: " + s + R"mlir() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@mma blocks in (%c1, %c1, %c1)
      threads in (%c32, %c1, %c1) args(%A : )mlir" +
         a + ", %B : " + b + ", %C : " + s + ", %D : " + s + R"mlir()
  return
}
)mlir";
}

std::string nvgpuProduct(const Case &c) {
  std::string va = vector(c.vectorA, c.factor),
              vb = vector(c.vectorB, c.factor), vc = vector(c.vectorC, c.sum);
  auto flat = [](int n, const char *type) {
    return vector(std::to_string(n), type);
  };
  return "\n    %a2 = vector.shape_cast %a : " + flat(c.inA, c.factor) +
         " to " + va +
         "\n    %b2 = vector.shape_cast %b : " + flat(c.inB, c.factor) +
         " to " + vb +
         "\n    %c2 = vector.shape_cast %c : " + flat(c.inC, c.sum) + " to " +
         vc + "\n    %d2 = nvgpu.mma.sync (%a2, %b2, %c2) {mmaShape = [" +
         std::to_string(c.m) + ", 8, " + std::to_string(c.k) + "]" + c.attr +
         "} : (" + va + ", " + vb + ", " + vc + ") -> " + vc +
         "\n    %d = vector.shape_cast %d2 : " + vc + " to " +
         flat(c.inC, c.sum);
}

void expectProduct(const Case &c, const std::string &text) {
  Kernels kernels(text);
  ASSERT_TRUE(kernels) << c.name << '\n' << kernels.errors << text;
  std::mt19937 random(7);
  auto draw = [&](int limit) {
    return static_cast<int>(random() % (2 * limit + 1)) - limit;
  };
  int a[16][16], b[16][8], sum[16][8];
  for (auto &row : a)
    for (int &x : row)
      x = draw(9);
  for (auto &row : b)
    for (int &x : row)
      x = draw(9);
  for (auto &row : sum)
    for (int &x : row)
      x = draw(50);
  Fragments fa(c.factor, c.inA), fb(c.factor, c.inB), fc(c.sum, c.inC),
      fd(c.sum, c.inC);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < c.inA; ++i)
      store(c.factor, fa.at(lane, i), a[c.a(lane, i).row][c.a(lane, i).col]);
    for (int i = 0; i < c.inB; ++i)
      store(c.factor, fb.at(lane, i), b[c.b(lane, i).row][c.b(lane, i).col]);
    for (int i = 0; i < c.inC; ++i)
      store(c.sum, fc.at(lane, i), sum[c.c(lane, i).row][c.c(lane, i).col]);
  }
  kernels("run", fa, fb, fc, fd);
  EXPECT_EQ(takeMessages(), "");
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c.inC; ++i) {
      Place p = c.c(lane, i);
      int want = sum[p.row][p.col];
      for (int q = 0; q < c.k; ++q)
        want += a[p.row][q] * b[q][p.col];
      EXPECT_EQ(load(c.sum, fd.at(lane, i)), want)
          << c.name << " lane " << lane << " element " << i;
    }
}

TEST(FragmentTest, ProductsFollowTheTablesOfTheIsa) {
  for (const Case &c : cases)
    expectProduct(c, moduleFor(c, nvgpuProduct(c)));
}

TEST(FragmentTest, ProductsOfRegistersFollowThem) {
  for (const Case &c : cases) {
    if (std::string(c.name) != "bf16k16")
      continue;
    std::string product = R"mlir(
    %ar = vector.bitcast %a : vector<8xbf16> to vector<4xi32>
    %br = vector.bitcast %b : vector<4xbf16> to vector<2xi32>)mlir";
    auto extract = [&](const char *to, const char *from, int i,
                       const char *type) {
      product += std::string("\n    %") + to + std::to_string(i) +
                 " = vector.extract %" + from + "[" + std::to_string(i) +
                 "] : " + type;
    };
    for (int i = 0; i < 4; ++i) {
      extract("a", "ar", i, "i32 from vector<4xi32>");
      extract("c", "c", i, "f32 from vector<4xf32>");
    }
    for (int i = 0; i < 2; ++i)
      extract("b", "br", i, "i32 from vector<2xi32>");
    product += R"mlir(
    %r = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0_, %c1, %c2, %c3]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>,
         multiplicandBPtxType = #nvvm.mma_type<bf16>,
         shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>)mlir";
    // %c0 is the index.
    product.replace(product.find("%c0 = vector.extract"), 3, "%c0_");
    for (int i = 0; i < 4; ++i)
      product += "\n    %d" + std::to_string(i) + " = llvm.extractvalue %r[" +
                 std::to_string(i) + "] : !llvm.struct<(f32, f32, f32, f32)>";
    product += "\n    %d = vector.from_elements %d0, %d1, %d2, %d3 : "
               "vector<4xf32>";
    expectProduct(c, moduleFor(c, product));
  }
}

TEST(FragmentTest, Tf32DropsTheLowBits) {
  const Case &c = cases[6];
  Kernels kernels(moduleFor(c, nvgpuProduct(c)));
  ASSERT_TRUE(kernels) << kernels.errors;
  Fragments fa("f32", 4), fb("f32", 2), fc("f32", 4), fd("f32", 4);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      float x = i == 0 ? 1.0f + 0x1p-10f + 0x1.fp-11f : 0.0f;
      std::memcpy(fa.at(lane, i), &x, 4);
      store("f32", fc.at(lane, i), 0);
    }
    for (int i = 0; i < 2; ++i)
      store("f32", fb.at(lane, i), lane % 4 == 0 && i == 0 ? 1 : 0);
  }
  kernels("run", fa, fb, fc, fd);
  EXPECT_EQ(load("f32", fd.at(0, 0)), 1.0 + 0x1p-10);
}

} // namespace
