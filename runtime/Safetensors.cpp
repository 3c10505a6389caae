// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Safetensors.h"

#include "runtime/AtomicFile.h"
#include "runtime/SafetensorsHeader.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace geo::rt {

// The format's numbers are little endian, as is every machine Geoc runs on.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

constexpr uint64_t lengthBytes = 8;
/// The limit that the format's reference reader sets.
constexpr uint64_t largestHeader = 100'000'000;

const Tensor *Safetensors::find(std::string_view name) const {
  for (const auto &[key, tensor] : tensors)
    if (key == name)
      return &tensor;
  return nullptr;
}

Tensor *Safetensors::find(std::string_view name) {
  return const_cast<Tensor *>(std::as_const(*this).find(name));
}

const std::string *Safetensors::findMetadata(const std::string &key) const {
  auto at = metadata.find(key);
  return at == metadata.end() ? nullptr : &at->second;
}

/// The entries, in order of their data, must tile [0, dataBytes) and each must
/// be as long as its shape says.
static Status checkLayout(const SafetensorsHeader &header, uint64_t dataBytes,
                          std::string_view where) {
  std::vector<const SafetensorsEntry *> order;
  for (const auto &entry : header.entries)
    order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t next = 0;
  for (const auto *entry : order) {
    auto bytes = denseBytes(entry->dtype, entry->shape);
    if (!bytes)
      return expects(where,
                     "a size below 2^63 bytes of tensor " + quote(entry->name),
                     "shape " + shapeText(entry->shape));
    std::string range =
        fmt::format("data_offsets [{}, {}]", entry->begin, entry->end);
    if (entry->end < entry->begin || entry->end > dataBytes)
      return expects(where,
                     fmt::format("data_offsets of tensor {} within the {} "
                                 "bytes of data",
                                 quote(entry->name), dataBytes),
                     range);
    if (entry->end - entry->begin != *bytes)
      return expects(where,
                     fmt::format("{} bytes for tensor {} of {} {}", *bytes,
                                 quote(entry->name), name(entry->dtype),
                                 shapeText(entry->shape)),
                     range);
    if (entry->begin != next)
      return expects(where,
                     fmt::format("data of tensor {} from byte {} on, without "
                                 "overlap or hole",
                                 quote(entry->name), next),
                     range);
    next = entry->end;
  }
  if (next != dataBytes)
    return expects(where, fmt::format("{} bytes of data", next),
                   fmt::format("{}", dataBytes));
  return Status::success();
}

Expected<Safetensors> parseSafetensors(std::string_view bytes,
                                       std::string_view where) {
  if (bytes.size() < lengthBytes)
    return expects(where, "a safetensors file",
                   fmt::format("{} bytes", bytes.size()));
  uint64_t length;
  std::memcpy(&length, bytes.data(), lengthBytes);
  uint64_t rest = bytes.size() - lengthBytes;
  if (length > largestHeader || length > rest)
    return expects(
        where,
        fmt::format("a safetensors header of at most {} bytes",
                    std::min(largestHeader, rest)),
        fmt::format("length {} (not a safetensors file, or truncated)",
                    length));

  auto header =
      parseSafetensorsHeader(bytes.substr(lengthBytes, length), where);
  if (!header)
    return header.status();
  std::string_view data = bytes.substr(lengthBytes + length);
  if (Status s = checkLayout(*header, data.size(), where); !s)
    return s;

  Safetensors result;
  result.metadata = std::move(header->metadata);
  for (auto &entry : header->entries) {
    auto tensor = Tensor::create(entry.dtype, entry.shape);
    if (!tensor)
      return expects(where, "memory for tensor " + quote(entry.name), "none");
    if (entry.end > entry.begin)
      std::memcpy(tensor->raw(), data.data() + entry.begin,
                  entry.end - entry.begin);
    result.tensors.emplace_back(std::move(entry.name), std::move(*tensor));
  }
  return result;
}

Expected<Safetensors> readSafetensors(const std::string &path) {
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  return parseSafetensors(*bytes, path);
}

/// The header's JSON, padded so that the data after it is 8-byte aligned.
static std::string
headerText(const std::vector<TensorToWrite> &tensors,
           const std::map<std::string, std::string> &metadata) {
  // Ordered: the entries stand in the order of their data.
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t next = 0;
  for (const auto &[name, tensor] : tensors) {
    uint64_t end = next + tensor->byteSize();
    header[name] = {{"dtype", rt::name(tensor->dtype())},
                    {"shape", tensor->shape()},
                    {"data_offsets", {next, end}}};
    next = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

Status writeSafetensors(const std::string &path,
                        const std::vector<TensorToWrite> &tensors,
                        const std::map<std::string, std::string> &metadata) {
  std::set<std::string> names;
  for (const auto &[name, tensor] : tensors)
    if (!isValidUtf8(name) || name == "__metadata__" ||
        !names.insert(name).second)
      return expects(path, "distinct tensor names in UTF-8", quote(name));
  for (const auto &[key, value] : metadata)
    if (!isValidUtf8(key) || !isValidUtf8(value))
      return expects(path, "metadata in UTF-8", quote(key));

  // Wide elements first: each tensor is then aligned to its element size.
  std::vector<TensorToWrite> order;
  for (size_t width : {8, 4})
    for (const auto &entry : tensors)
      if (byteSize(entry.tensor->dtype()) == width)
        order.push_back(entry);
  std::string text = headerText(order, metadata);
  uint64_t length = text.size();
  if (length > largestHeader)
    return expects(path,
                   fmt::format("a header of at most {} bytes", largestHeader),
                   fmt::format("{}", length));

  AtomicFile file(path);
  if (Status s = file.open(); !s)
    return s;
  // Errors stick to the file; commit() reports the first.
  (void)file.write(&length, lengthBytes);
  (void)file.write(text);
  for (const auto &[name, tensor] : order)
    (void)file.write(tensor->raw(), tensor->byteSize());
  return file.commit();
}

} // namespace geo::rt
