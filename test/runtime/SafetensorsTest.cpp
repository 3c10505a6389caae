// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Safetensors.h"

#include "TempFolder.h"
#include "runtime/AtomicFile.h"

#include <cstring>

#include <gtest/gtest.h>

using namespace geo::rt;

namespace {

/// A file's bytes from its header and the number of data bytes.
std::string fileOf(const std::string &header, size_t dataBytes) {
  uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(dataBytes, '\1');
}

std::string errorOf(const std::string &header, size_t dataBytes) {
  auto result = parseSafetensors(fileOf(header, dataBytes), "f");
  EXPECT_FALSE(result) << header;
  EXPECT_EQ(result.message().find('\n'), std::string::npos);
  EXPECT_LT(result.message().size(), 300u);
  return result.message();
}

} // namespace

TEST(Safetensors, RoundTrip) {
  TempFolder folder;
  Tensor a(DType::F32, {2, 3}), b(DType::F64, {3}), c(DType::I32, {5}),
      d = Tensor::scalar(int64_t(-7)), e(DType::F32, {0, 4});
  for (int i = 0; i < 6; ++i)
    a.data<float>()[i] = 0.5f * i;
  b.data<double>()[2] = 1e300;
  c.data<int32_t>()[4] = -3;
  std::string path = folder / "m.safetensors";
  std::map<std::string, std::string> metadata = {
      {"model", "m"}, {"text", "\"quotes\"\n\xc3\xa9"}};
  ASSERT_TRUE(writeSafetensors(
      path, {{"a", &a}, {"b", &b}, {"c", &c}, {"d", &d}, {"e", &e}}, metadata));
  EXPECT_EQ(folder.count(), 1u);

  auto read = readSafetensors(path);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->metadata, metadata);
  EXPECT_EQ(read->tensors.size(), 5u);
  for (auto [name, want] : {std::pair<const char *, Tensor *>{"a", &a},
                            {"b", &b},
                            {"c", &c},
                            {"d", &d},
                            {"e", &e}}) {
    const Tensor *got = read->find(name);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(got->dtype(), want->dtype());
    EXPECT_EQ(got->shape(), want->shape());
    EXPECT_TRUE(want->byteSize() == 0 ||
                !std::memcmp(got->raw(), want->raw(), want->byteSize()));
  }
  EXPECT_EQ(read->find("z"), nullptr);
  EXPECT_EQ(*read->findMetadata("model"), "m");
  EXPECT_EQ(read->findMetadata("z"), nullptr);
  // The data starts at a multiple of 8.
  uint64_t length;
  std::memcpy(&length, readFile(path)->data(), 8);
  EXPECT_EQ(length % 8, 0u);
}

// The bytes themselves, so that reader and writer cannot be wrong together.
TEST(Safetensors, WritesTheFormat) {
  TempFolder folder;
  Tensor a(DType::F32, {1, 2}), b = Tensor::scalar(int64_t(258));
  a.data<float>()[1] = 1;
  std::string path = folder / "f";
  ASSERT_TRUE(writeSafetensors(path, {{"a", &a}, {"b", &b}}, {{"k", "v"}}));
  std::string header =
      R"({"__metadata__":{"k":"v"},)"
      R"("b":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string want(8, '\0');
  want[0] = char(header.size());
  ASSERT_LT(header.size(), 256u);
  want += header + std::string("\2\1\0\0\0\0\0\0", 8) +
          std::string("\0\0\0\0\0\0\x80\x3f", 8);
  EXPECT_EQ(*readFile(path), want);
}

TEST(Safetensors, WriterRefuses) {
  TempFolder folder;
  Tensor t(DType::F32, {1});
  std::string path = folder / "f";
  EXPECT_FALSE(writeSafetensors(path, {{"a", &t}, {"a", &t}}, {}));
  EXPECT_FALSE(writeSafetensors(path, {{"\xff", &t}}, {}));
  EXPECT_FALSE(writeSafetensors(path, {{"__metadata__", &t}}, {}));
  EXPECT_FALSE(writeSafetensors(path, {{"a", &t}}, {{"k", "\xff"}}));
  EXPECT_FALSE(writeSafetensors(folder / "no/f", {{"a", &t}}, {}));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Safetensors, AcceptsWhatTheFormatAllows) {
  EXPECT_TRUE(parseSafetensors(fileOf("{}", 0), "f"));
  EXPECT_TRUE(parseSafetensors(fileOf("{\"__metadata__\":{}}   ", 0), "f"));
  EXPECT_TRUE(parseSafetensors(
      fileOf(R"({"b":{"data_offsets":[4,8],"shape":[],"dtype":"I32"},
                 "a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},
                 "e":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
             8),
      "f"));
}

TEST(Safetensors, NotAFile) {
  TempFolder folder;
  std::string path = folder / "none";
  EXPECT_EQ(readSafetensors(path).message(),
            path + ": expects a readable file, but got No such file or "
                   "directory");
  EXPECT_FALSE(readSafetensors(folder.path.string()));
  EXPECT_FALSE(readSafetensors(folder.write("empty", "")));
  EXPECT_FALSE(readSafetensors(folder.write("short", "1234567")));
  EXPECT_FALSE(readSafetensors(folder.write("text", "once upon a time")));
  EXPECT_FALSE(parseSafetensors(std::string(8, '\xff'), "f"));
  EXPECT_FALSE(parseSafetensors(std::string(8, '\0'), "f"));
}

TEST(Safetensors, BadHeaders) {
  auto tensor = [](const std::string &dtype, const std::string &shape,
                   const std::string &offsets) {
    return "{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}}";
  };
  const std::string f32 = "\"F32\"";
  ASSERT_TRUE(parseSafetensors(fileOf(tensor(f32, "[2]", "[0,8]"), 8), "f"));

  EXPECT_EQ(errorOf(tensor("\"BF16\"", "[2]", "[0,4]"), 4),
            "f: expects dtype F32, F64, I32 or I64 of tensor 'a', but got "
            "'BF16'");
  EXPECT_EQ(errorOf(tensor(f32, "[2]", "[0,12]"), 12),
            "f: expects 8 bytes for tensor 'a' of F32 [2], but got "
            "data_offsets [0, 12]");
  EXPECT_EQ(errorOf(tensor(f32, "[2]", "[0,8]"), 4),
            "f: expects data_offsets of tensor 'a' within the 4 bytes of "
            "data, but got data_offsets [0, 8]");
  EXPECT_EQ(errorOf(tensor(f32, "[2]", "[0,8]"), 9),
            "f: expects 8 bytes of data, but got 9");
  EXPECT_EQ(errorOf(tensor(f32, "[2]", "[4,12]"), 12),
            "f: expects data of tensor 'a' from byte 0 on, without overlap or "
            "hole, but got data_offsets [4, 12]");
  errorOf(tensor(f32, "[2]", "[8,0]"), 8);
  errorOf(tensor(f32, "[2]", "[18446744073709551608,0]"), 8);
  errorOf(tensor(f32, "[2]", "[0,8,9]"), 8);
  errorOf(tensor(f32, "[2]", "[0]"), 8);
  errorOf(tensor(f32, "[2]", "[-8,0]"), 8);
  errorOf(tensor(f32, "[-2]", "[0,8]"), 8);
  errorOf(tensor(f32, "[2.0]", "[0,8]"), 8);
  errorOf(tensor(f32, "[1e400]", "[0,8]"), 8);
  errorOf(tensor(f32, "[NaN]", "[0,8]"), 8);
  errorOf(tensor(f32, "[null]", "[0,8]"), 8);
  errorOf(tensor(f32, "[[2]]", "[0,8]"), 8);
  errorOf(tensor(f32, "{}", "[0,8]"), 8);
  errorOf(tensor(f32, "2", "[0,8]"), 8);
  errorOf(tensor("4", "[2]", "[0,8]"), 8);
  // Sizes whose product overflows, also where a zero hides it.
  errorOf(tensor(f32, "[4611686018427387904,4]", "[0,8]"), 8);
  errorOf(tensor(f32, "[18446744073709551615]", "[0,8]"), 8);
  errorOf(tensor(f32, "[4294967296,4294967296]", "[0,0]"), 0);
  errorOf(tensor(f32, "[0,9223372036854775807,9223372036854775807]", "[0,0]"),
          0);
}

TEST(Safetensors, BadStructure) {
  errorOf("", 0);
  errorOf("[]", 0);
  errorOf("3", 0);
  errorOf("{} x", 0);
  errorOf("{\"a\":1}", 0);
  errorOf("{\"a\":[]}", 0);
  errorOf("{\"a\":{}}", 0);
  errorOf("{\"__metadata__\":{\"k\":1}}", 0);
  errorOf("{\"__metadata__\":{\"k\":{}}}", 0);
  errorOf("{\"__metadata__\":\"x\"}", 0);
  errorOf("{\"\xff\":{}}", 0);
  errorOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4);
  errorOf(R"({"a":{"dtype":"F32","shape":[1]}})", 4);
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                  "a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                    8),
            "f: expects distinct names in its header, but got 'a' twice");
  errorOf(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1]}})", 4);
  errorOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
              "b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
          6);
  for (const char *open : {"[", "{\"a\":"})
    for (size_t depth : {10, 100000}) {
      std::string nested = "{\"a\":";
      for (size_t i = 0; i < depth; ++i)
        nested += open;
      errorOf(nested, 0);
    }
}
