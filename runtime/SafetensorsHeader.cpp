// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/SafetensorsHeader.h"

#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace geo::rt {
namespace {

std::optional<DType> dtypeOf(std::string_view text) {
  for (DType type : {DType::F32, DType::F64, DType::I32, DType::I64})
    if (text == name(type))
      return type;
  return std::nullopt;
}

/// Follows the parser's events through the few forms a header may take. Events
/// instead of a document: a document loses duplicate names, and takes any depth
/// and size.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderEvents(std::string_view where) : where(where) {}

  SafetensorsHeader header;
  Status status;

  bool null() override { return wrong("null"); }
  bool boolean(bool) override { return wrong("a boolean"); }
  bool binary(binary_t &) override { return wrong("binary data"); }
  bool number_integer(number_integer_t value) override {
    return wrong(fmt::format("{}", value)); // only negative ones come here
  }
  bool number_float(number_float_t, const string_t &text) override {
    return wrong(quote(text));
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place == Place::Shape) {
      if (value > uint64_t(std::numeric_limits<int64_t>::max()))
        return wrong(fmt::format("{}", value));
      header.entries.back().shape.push_back(int64_t(value));
      return true;
    }
    if (place == Place::Offsets) {
      if (numOffsets == 2)
        return wrong("a third number");
      auto &entry = header.entries.back();
      (numOffsets++ == 0 ? entry.begin : entry.end) = value;
      return true;
    }
    return wrong(fmt::format("{}", value));
  }

  bool string(string_t &text) override {
    if (place == Place::Metadata) {
      header.metadata[lastKey] = text;
      return true;
    }
    if (place == Place::Entry && lastKey == "dtype") {
      auto type = dtypeOf(text);
      if (!type)
        return wrong(quote(text));
      header.entries.back().dtype = *type;
      return true;
    }
    return wrong(quote(text));
  }

  bool start_object(size_t) override {
    if (place == Place::Start) {
      place = Place::Top;
      return true;
    }
    if (place != Place::Top)
      return wrong("an object");
    keys.clear();
    if (lastKey == "__metadata__") {
      place = Place::Metadata;
      return true;
    }
    place = Place::Entry;
    header.entries.emplace_back();
    header.entries.back().name = lastKey;
    numOffsets = 0;
    return true;
  }

  bool end_object() override {
    if (place == Place::Entry && keys.size() != 3)
      return wrong("fewer fields");
    place = place == Place::Top ? Place::End : Place::Top;
    return true;
  }

  bool key(string_t &text) override {
    if (place == Place::Entry && text != "dtype" && text != "shape" &&
        text != "data_offsets")
      return wrong("field " + quote(text));
    if (!(place == Place::Top ? names : keys).insert(text).second) {
      status = expects(where, "distinct names in its header",
                       quote(text) + " twice");
      return false;
    }
    lastKey = text;
    return true;
  }

  bool start_array(size_t) override {
    if (place == Place::Entry && lastKey == "shape")
      place = Place::Shape;
    else if (place == Place::Entry && lastKey == "data_offsets")
      place = Place::Offsets;
    else
      return wrong("a list");
    return true;
  }

  bool end_array() override {
    if (place == Place::Offsets && numOffsets != 2)
      return wrong("fewer numbers");
    place = Place::Entry;
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &) override {
    status = expects(where, "a header in well-formed JSON",
                     fmt::format("an error at its byte {}", position));
    return false;
  }

private:
  enum class Place { Start, Top, Metadata, Entry, Shape, Offsets, End };

  bool wrong(std::string_view got) {
    status = expects(where, wanted(), got);
    return false;
  }

  std::string wanted() const {
    std::string of = header.entries.empty()
                         ? std::string()
                         : " of tensor " + quote(header.entries.back().name);
    switch (place) {
    case Place::Start:
    case Place::End:
      return "a header that is one JSON object";
    case Place::Top:
      return "an object for header entry " + quote(lastKey);
    case Place::Metadata:
      return "a string for metadata " + quote(lastKey);
    case Place::Entry:
      if (lastKey == "dtype")
        return "dtype F32, F64, I32 or I64" + of;
      return "fields dtype, shape and data_offsets" + of;
    case Place::Shape:
      return "sizes from 0 to 2^63 - 1 in the shape" + of;
    case Place::Offsets:
      return "two data_offsets of 0 or more" + of;
    }
    return "a header";
  }

  std::string where;
  Place place = Place::Start;
  std::string lastKey;
  int numOffsets = 0;
  std::unordered_set<std::string> names, keys;
};

} // namespace

Expected<SafetensorsHeader> parseSafetensorsHeader(std::string_view json,
                                                   std::string_view where) {
  HeaderEvents events(where);
  bool done = nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  if (!events.status)
    return events.status;
  if (!done)
    return expects(where, "a header in well-formed JSON", "something else");
  return std::move(events.header);
}

} // namespace geo::rt
