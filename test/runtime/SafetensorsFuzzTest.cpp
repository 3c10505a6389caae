// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TempFolder.h"
#include "runtime/AtomicFile.h"
#include "runtime/Safetensors.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

using namespace geo::rt;

namespace {

std::string validFile() {
  TempFolder folder;
  Tensor a(DType::F32, {3, 4}), b(DType::I64, {2}), c(DType::F64, {});
  std::string path = folder / "f";
  EXPECT_TRUE(writeSafetensors(path, {{"E", &a}, {"n", &b}, {"s", &c}},
                               {{"model", "x"}, {"tau", "1.0"}}));
  return *readFile(path);
}

/// A reader that is right gives a usable file or an error of one line.
bool readsOrExplains(const std::string &bytes) {
  auto result = parseSafetensors(bytes, "f");
  if (!result) {
    EXPECT_EQ(result.message().rfind("f: expects ", 0), 0u);
    EXPECT_EQ(result.message().find('\n'), std::string::npos);
    return false;
  }
  size_t total = 0;
  for (auto &[name, tensor] : result->tensors)
    total += tensor.byteSize();
  EXPECT_LE(total, bytes.size());
  return true;
}

} // namespace

// mt19937 itself is the same everywhere (its distributions are not).
TEST(SafetensorsFuzz, Mutations) {
  const std::string valid = validFile();
  ASSERT_TRUE(readsOrExplains(valid));
  std::mt19937 random(20240601);
  const char interesting[] = "{}[]\":,0123456789-.eEntf\\ \x7f\xff";
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = valid;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % (bytes.size() + 1);
      switch (random() % 6) {
      case 0: // any byte
        if (at < bytes.size())
          bytes[at] = char(random());
        break;
      case 1: // a byte that means something in JSON
        if (at < bytes.size())
          bytes[at] = interesting[random() % (sizeof(interesting) - 1)];
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, 1 + random() % 3, interesting[random() % 20]);
        break;
      case 4:
        bytes.erase(at, 1 + random() % 3);
        break;
      case 5: { // a piece of the file elsewhere
        size_t from = random() % (bytes.size() + 1);
        bytes.insert(at, bytes.substr(from, random() % 40));
        break;
      }
      }
      // Header mutations are idle when the length refuses them first.
      if (random() % 2 && bytes.size() >= 8) {
        uint64_t length =
            std::min<uint64_t>(bytes.size() - 8, bytes.find('}', 200) + 3 - 8);
        std::memcpy(bytes.data(), &length, 8);
      }
    }
    refused += !readsOrExplains(bytes);
  }
  EXPECT_GT(refused, 5000);
  EXPECT_LT(refused, 20000);
}

TEST(SafetensorsFuzz, EveryTruncation) {
  const std::string valid = validFile();
  for (size_t size = 0; size < valid.size(); ++size)
    EXPECT_FALSE(readsOrExplains(valid.substr(0, size))) << size;
  EXPECT_FALSE(readsOrExplains(valid + "x"));
}

TEST(SafetensorsFuzz, EveryLength) {
  const std::string valid = validFile();
  uint64_t right;
  std::memcpy(&right, valid.data(), 8);
  for (uint64_t length = 0; length < 2 * valid.size(); ++length) {
    std::string bytes = valid;
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_EQ(readsOrExplains(bytes), length == right) << length;
  }
  for (int bit = 0; bit < 64; ++bit) {
    uint64_t length = right ^ (uint64_t(1) << bit);
    std::string bytes = valid;
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_FALSE(readsOrExplains(bytes)) << length;
  }
}
