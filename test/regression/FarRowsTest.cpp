// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows more than 2^31 elements into a tensor. Its memory is never touched but
// for the rows that are read.
#include "test/lowering/Harness.h"

#include <sys/mman.h>

using namespace geo;
using namespace geo::test;

namespace {

constexpr int64_t dim = 512, rows = (int64_t(1) << 22) + 8;

/// rows x dim zeros of f32, 8 GB of addresses.
class Far {
public:
  Far() {
    void *mapped =
        mmap(nullptr, rows * dim * sizeof(float), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED)
      data = static_cast<float *>(mapped);
  }
  ~Far() {
    if (data)
      munmap(data, rows * dim * sizeof(float));
  }
  Far(const Far &) = delete;
  void *pack() {
    auto address = reinterpret_cast<int64_t>(data);
    descriptor = {address, address, 0, rows, dim, dim, 1};
    return descriptor.data();
  }
  float *data = nullptr;

private:
  std::vector<int64_t> descriptor;
};
void *pack(Far &far) { return far.pack(); }

class FarRows : public testing::TestWithParam<Target> {};

INSTANTIATE_TEST_SUITE_P(Targets, FarRows,
                         testing::Values(Target::loops, Target::cpu),
                         [](const auto &info) {
                           return info.param == Target::cpu ? "cpu" : "loops";
                         });

TEST_P(FarRows, AreRead) {
  Far far;
  if (!far.data)
    GTEST_SKIP() << "expects 8 GB of address space";
  // An index that wraps at 32 bits meets zeros.
  auto last = static_cast<int32_t>(rows - 1);
  for (int64_t j = 0; j < dim; ++j)
    far.data[last * dim + j] = static_cast<float>(j + 1);
  Program program(R"mlir(
func.func @gather(%E: tensor<?x512xf32>, %ids: tensor<?xi32>) -> tensor<?x512xf32> {
  %g = geo.gather %E[%ids] : tensor<?x512xf32>, tensor<?xi32> -> tensor<?x512xf32>
  return %g : tensor<?x512xf32>
}
func.func @largest(%E: tensor<?x512xf32>) -> tensor<?xf64> {
  %r = geo.rowwise rows(%x = %E : tensor<?x512xf32>) {
    %y = vector.reduction <maximumf>, %x : vector<512xf32> into f32
    %z = arith.extf %y : f32 to f64
    geo.yield %z : f64
  } -> (tensor<?xf64>)
  return %r : tensor<?xf64>
})mlir",
                  GetParam());
  ASSERT_TRUE(program) << program.errors;
  Array<int32_t> ids({3}, last);
  ids(1) = 0;
  Array<float> read({3, dim}, NAN);
  program("gather", far, ids, read);
  for (int64_t j = 0; j < dim; ++j) {
    ASSERT_EQ(read(0, j), j + 1);
    ASSERT_EQ(read(1, j), 0);
    ASSERT_EQ(read(2, j), j + 1);
  }
  if (GetParam() == Target::loops)
    return; // seconds, one element at a time
  Array<double> largest({rows}, NAN);
  program("largest", far, largest);
  for (int64_t i = 0; i < rows; ++i)
    ASSERT_EQ(largest(i), i == last ? dim : 0) << i;
}

} // namespace
