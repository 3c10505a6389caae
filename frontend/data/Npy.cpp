// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Npy.h"

#include "runtime/AtomicFile.h"

#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace geo::data {

using rt::DType;
using rt::Expected;
using rt::expects;
using rt::quote;
using rt::Status;
using rt::Tensor;

// The data are copied as they are.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

constexpr std::string_view magic("\x93NUMPY", 6);

namespace {

struct Header {
  std::optional<DType> type;
  std::optional<bool> fortranOrder;
  std::optional<int64_t> length;
};

/// The header's dictionary, a Python literal. Only what the format's writers
/// put there is read: strings without escapes, True and False, tuples of
/// numbers.
class Dictionary {
public:
  Dictionary(std::string_view text, std::string_view where)
      : rest(text), where(where) {}

  Expected<Header> parse() {
    if (!take('{'))
      return unexpected("a header that starts with {");
    while (!take('}')) {
      if (Status s = entry(); !s)
        return s;
      if (!take(',') && peek() != '}')
        return unexpected("a header with , or } after an entry");
    }
    if (!rest.empty()) // take() left no white space
      return unexpected("a header that ends after }");
    auto missing = [&](std::string_view key) {
      return expects(where, fmt::format("a header with the key '{}'", key),
                     "none");
    };
    if (!header.type)
      return missing("descr");
    if (!header.fortranOrder)
      return missing("fortran_order");
    if (!header.length)
      return missing("shape");
    return header;
  }

private:
  void skipSpace() {
    rest.remove_prefix(
        std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  }
  char peek() {
    skipSpace();
    return rest.empty() ? '\0' : rest.front();
  }
  bool take(char c) {
    if (rest.empty() || peek() != c || rest.empty())
      return false;
    rest.remove_prefix(1);
    skipSpace();
    return true;
  }
  Status unexpected(std::string_view what) const {
    return expects(where, what, rest.empty() ? "its end" : quote(rest));
  }

  std::optional<std::string_view> string() {
    char mark = peek();
    if (mark != '\'' && mark != '"')
      return std::nullopt;
    size_t end = rest.find(mark, 1);
    if (end == std::string_view::npos ||
        rest.substr(1, end - 1).find('\\') != std::string_view::npos)
      return std::nullopt;
    std::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }

  Status entry() {
    std::optional<std::string_view> key = string();
    if (!key)
      return unexpected("a header whose keys are strings");
    if (!take(':'))
      return unexpected("a header with : after a key");
    auto twice = [&] {
      return expects(where, "a header with distinct keys",
                     quote(*key) + " twice");
    };
    if (*key == "descr")
      return header.type ? twice() : type();
    if (*key == "fortran_order")
      return header.fortranOrder ? twice() : fortranOrder();
    if (*key == "shape")
      return header.length ? twice() : shape();
    return expects(where, "header keys descr, fortran_order and shape",
                   quote(*key));
  }

  Status type() {
    constexpr std::string_view what =
        "descr '<i4' or '<i8' (little-endian int32 or int64)";
    std::optional<std::string_view> text = string();
    if (!text)
      return unexpected(what);
    if (*text != "<i4" && *text != "<i8")
      return expects(where, what, quote(*text));
    header.type = *text == "<i4" ? DType::I32 : DType::I64;
    return Status::success();
  }

  Status fortranOrder() {
    for (bool value : {false, true}) {
      std::string_view word = value ? "True" : "False";
      if (peek(), rest.substr(0, word.size()) == word) {
        rest.remove_prefix(word.size());
        header.fortranOrder = value;
        return Status::success();
      }
    }
    return unexpected("fortran_order True or False");
  }

  /// (N,)
  Status shape() {
    constexpr std::string_view what = "a shape of one dimension, as in (1000,)";
    std::string_view start = rest;
    auto wrong = [&] {
      return expects(where, what, quote(start.substr(0, start.find(')') + 1)));
    };
    if (!take('('))
      return wrong();
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || value < 0)
      return wrong();
    rest.remove_prefix(size_t(end - rest.data()));
    if (!take(',') || !take(')'))
      return wrong();
    header.length = value;
    return Status::success();
  }

  std::string_view rest, where;
  Header header;
};

} // namespace

Expected<Tensor> parseNpy(std::string_view bytes, std::string_view where) {
  if (bytes.substr(0, magic.size()) != magic)
    return expects(where, "a .npy file, starting with \\x93NUMPY",
                   bytes.empty() ? "an empty file"
                                 : quote(bytes.substr(0, magic.size())));
  bytes.remove_prefix(magic.size());
  auto byte = [&](size_t i) { return unsigned(uint8_t(bytes[i])); };
  if (bytes.size() < 2)
    return expects(where, "a format version", "the file's end");
  unsigned major = byte(0), minor = byte(1);
  if (major < 1 || major > 3 || minor != 0)
    return expects(where, "format version 1.0, 2.0 or 3.0",
                   fmt::format("{}.{}", major, minor));
  bytes.remove_prefix(2);
  size_t lengthBytes = major == 1 ? 2 : 4, length = 0;
  if (bytes.size() < lengthBytes)
    return expects(where, "the length of a header", "the file's end");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(byte(i)) << 8 * i;
  bytes.remove_prefix(lengthBytes);
  if (length > bytes.size())
    return expects(where, fmt::format("a header of {} bytes", length),
                   fmt::format("{} to the file's end", bytes.size()));
  auto header = Dictionary(bytes.substr(0, length), where).parse();
  if (!header)
    return header.status();
  bytes.remove_prefix(length);
  // Divided, not multiplied: the shape may be any number.
  size_t size = rt::byteSize(*header->type);
  if (bytes.size() % size || bytes.size() / size != size_t(*header->length))
    return expects(where,
                   fmt::format("{} numbers of {} bytes (its shape)",
                               *header->length, size),
                   fmt::format("{} bytes", bytes.size()));
  auto tensor = Tensor::create(*header->type, {*header->length});
  if (tensor && !bytes.empty())
    std::memcpy(tensor->raw(), bytes.data(), bytes.size());
  return tensor;
}

Expected<Tensor> readNpy(const std::string &path) {
  auto file = rt::readFile(path);
  if (!file)
    return file.status();
  return parseNpy(*file, path);
}

} // namespace geo::data
