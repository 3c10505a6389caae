// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Npy.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

using namespace geo::data;
using geo::rt::DType;

namespace {

std::string npy(const std::string &header, const std::string &data,
                int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += char(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += char(header.size() >> 8 * i);
  return bytes + header + data;
}

template <typename T> std::string bytesOf(const std::vector<T> &numbers) {
  return {reinterpret_cast<const char *>(numbers.data()),
          numbers.size() * sizeof(T)};
}

/// As NumPy writes it: padded to a multiple of 64 bytes.
std::string header(const std::string &descr, const std::string &shape) {
  std::string text = "{'descr': '" + descr +
                     "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.append(128 - 10 - 1 - text.size(), ' ');
  return text + "\n";
}

std::string messageOf(const std::string &bytes) {
  auto result = parseNpy(bytes, "f.npy");
  return result ? "read" : result.message();
}

} // namespace

TEST(Npy, Reads) {
  std::vector<int32_t> narrow{3, -1, 1 << 30};
  std::vector<int64_t> wide{3, -1, int64_t(1) << 60};
  for (int major : {1, 2, 3}) {
    auto a = parseNpy(npy(header("<i4", "(3,)"), bytesOf(narrow), major), "f");
    ASSERT_TRUE(a) << a.message();
    ASSERT_EQ(a->dtype(), DType::I32);
    ASSERT_EQ(a->shape(), std::vector<int64_t>{3});
    EXPECT_EQ(std::memcmp(a->raw(), narrow.data(), 12), 0);
    auto b = parseNpy(npy(header("<i8", "(3,)"), bytesOf(wide), major), "f");
    ASSERT_TRUE(b) << b.message();
    ASSERT_EQ(b->dtype(), DType::I64);
    EXPECT_EQ(std::memcmp(b->raw(), wide.data(), 24), 0);
  }
  // Any order, either quotes, no comma or padding at the end, either order of
  // storage (the same in one dimension), no elements.
  auto odd = parseNpy(
      npy("{\"shape\":(0,),'fortran_order':True,'descr':\"<i4\"}", ""), "f");
  ASSERT_TRUE(odd) << odd.message();
  EXPECT_EQ(odd->numElements(), 0);
}

TEST(Npy, Refuses) {
  std::string data = bytesOf<int32_t>({1, 2, 3});
  auto with = [&](const std::string &header) {
    return messageOf(npy(header, data));
  };
  EXPECT_EQ(messageOf(""), "f.npy: expects a .npy file, starting with "
                           "\\x93NUMPY, but got an empty file");
  EXPECT_EQ(messageOf("PK\3\4zip"),
            "f.npy: expects a .npy file, starting with \\x93NUMPY, but got "
            "'PK\\x03\\x04zi'");
  EXPECT_EQ(messageOf("\x93NUMPY"),
            "f.npy: expects a format version, but got the file's end");
  EXPECT_EQ(messageOf(npy("", "", 4)),
            "f.npy: expects format version 1.0, 2.0 or 3.0, but got 4.0");
  EXPECT_EQ(messageOf("\x93NUMPY\x01" + std::string(1, '\0') + "v"),
            "f.npy: expects the length of a header, but got the file's end");
  EXPECT_EQ(messageOf(npy(header("<i4", "(3,)"), "").substr(0, 60)),
            "f.npy: expects a header of 118 bytes, but got 50 to the file's "
            "end");
  for (const char *descr : {">i4", "<f4", "|u1", "<u4", "<i2", "i4", "<i8 "})
    EXPECT_EQ(with(header(descr, "(3,)")),
              std::string("f.npy: expects descr '<i4' or '<i8' (little-endian "
                          "int32 or int64), but got '") +
                  descr + "'");
  for (const char *shape :
       {"()", "(3)", "(3, 1)", "(-3,)", "(99999999999999999999,)", "(x,)"})
    EXPECT_EQ(with(header("<i4", shape)),
              std::string("f.npy: expects a shape of one dimension, as in "
                          "(1000,), but got '") +
                  shape + "'");
  EXPECT_EQ(with(header("<i4", "(4,)")),
            "f.npy: expects 4 numbers of 4 bytes (its shape), but got 12 "
            "bytes");
  EXPECT_EQ(with(header("<i8", "(4611686018427387905,)")),
            "f.npy: expects 4611686018427387905 numbers of 8 bytes (its "
            "shape), but got 12 bytes");
  EXPECT_EQ(with("{'descr': '<i4', 'fortran_order': no, 'shape': (3,)}"),
            "f.npy: expects fortran_order True or False, but got 'no, "
            "'shape': (3,)}'");
  EXPECT_EQ(with("{'descr': '<i4', 'shape': (3,)}"),
            "f.npy: expects a header with the key 'fortran_order', but got "
            "none");
  EXPECT_EQ(with("{'descr': '<i4', 'descr': '<i4'}"),
            "f.npy: expects a header with distinct keys, but got 'descr' "
            "twice");
  EXPECT_EQ(with("{'descr': '<i4', 'order': 3}"),
            "f.npy: expects header keys descr, fortran_order and shape, but "
            "got 'order'");
  EXPECT_EQ(with("{'descr': '<i4'"), "f.npy: expects a header with , or } "
                                     "after an entry, but got its end");
  EXPECT_NE(with("{} x"), "read");
  EXPECT_NE(with("[]"), "read");
  EXPECT_NE(with("{'descr': '<i4"), "read");
  EXPECT_NE(with("{'descr: 3"), "read");
}

// mt19937 itself is the same everywhere (its distributions are not).
TEST(Npy, Mutations) {
  const std::string valid =
      npy(header("<i4", "(8,)"), bytesOf<int32_t>({1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_EQ(messageOf(valid), "read");
  std::mt19937 random(20261201);
  const std::string tokens[] = {"'",
                                "\"",
                                "(",
                                ")",
                                ",",
                                ":",
                                "{",
                                "}",
                                "descr",
                                "<i4",
                                "<i8",
                                "shape",
                                "-1",
                                "L",
                                "\\",
                                "True",
                                "\n",
                                "\xff",
                                "99999999999999999999"};
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = valid;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % (bytes.size() + 1);
      switch (random() % 5) {
      case 0:
        if (at < bytes.size())
          bytes[at] = char(random());
        break;
      case 1:
        bytes.insert(at, tokens[random() % std::size(tokens)]);
        break;
      case 2:
        bytes.erase(at, 1 + random() % 8);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random() % (bytes.size() + 1), 8));
        break;
      default:
        bytes.resize(at);
      }
    }
    std::string message = messageOf(bytes);
    if (message == "read")
      continue;
    ++refused;
    EXPECT_EQ(message.rfind("f.npy: expects ", 0), 0u) << message;
    EXPECT_NE(message.find(", but got "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_GT(refused, 3000);
  EXPECT_LT(refused, 5000); // a change of the data alone is a good file
}
