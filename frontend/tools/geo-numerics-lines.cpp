// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading reference vectors: one JSON object a line.
#include "frontend/tools/geo-numerics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace geo::numerics;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {
constexpr size_t maxLineBytes = size_t(64) << 20;
constexpr int maxDepth = 16;

Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The parser recurses, so depth is bounded before it runs.
bool isTooDeep(StringRef text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{';
    depth -= c == ']' || c == '}';
    if (depth > maxDepth)
      return true;
  }
  return false;
}

/// Text of a value for a message, cut short.
std::string brief(const llvm::json::Value *value) {
  if (!value)
    return "nothing";
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  return text;
}

/// Reads one line; every method returns false once `message` is set.
class LineReader {
public:
  LineReader(const llvm::json::Object &object, bool wide, std::string &message)
      : object(object), wide(wide), message(message) {}

  bool readText(StringRef key, std::string &text) {
    if (auto s = object.getString(key)) {
      text = s->str();
      return true;
    }
    return expects(key, "a string", object.get(key));
  }

  bool readArray(StringRef key, Array &array, bool asFloat) {
    const llvm::json::Value *value = object.get(key);
    if (!value)
      return expects(key, "a number or an array of numbers", value);
    return appendTo(array, *value, key, 0, asFloat);
  }

  bool readArrays(StringRef key, std::map<std::string, Array> &arrays,
                  bool asFloat) {
    const llvm::json::Object *group = object.getObject(key);
    if (!group)
      return expects(key, "an object", object.get(key));
    for (auto &[name, value] : *group) {
      std::string path = (key + "." + StringRef(name)).str();
      if (!appendTo(arrays[name.str()], value, path, 0, asFloat))
        return false;
    }
    return true;
  }

  bool readInts(StringRef key, std::map<std::string, int64_t> &ints) {
    const llvm::json::Value *value = object.get(key);
    if (!value)
      return true;
    const llvm::json::Object *group = value->getAsObject();
    if (!group)
      return expects(key, "an object", value);
    for (auto &[name, number] : *group) {
      auto integer = number.getAsInteger();
      if (!integer)
        return expects((key + "." + StringRef(name)).str(), "an integer",
                       &number);
      ints[name.str()] = *integer;
    }
    return true;
  }

  bool readLine(Line &line) {
    if (!readText("id", line.id) || !readText("op", line.op) ||
        !readText("manifold", line.manifold))
      return false;
    line.region = object.getString("region").value_or("").str();
    auto c = object.getNumber("c");
    if (!c || !std::isfinite(*c)) // an f64 also beside rows of f32
      return expects("c", "a finite number", object.get("c"));
    line.c = *c;
    line.cond = object.getNumber("cond").value_or(0);
    auto dim = object.getInteger("dim");
    if (!dim || *dim < 1)
      return expects("dim", "a positive integer", object.get("dim"));
    line.dim = *dim;
    return readArrays("in", line.in, /*asFloat=*/true) &&
           readInts("ints", line.ints) &&
           readArray("out", line.out, /*asFloat=*/false) &&
           readArray("ct", line.ct, /*asFloat=*/true) &&
           readArrays("vjp", line.vjp, /*asFloat=*/false);
  }

private:
  /// What is stored in f32 is exactly that.
  bool isExact(double x) const { return wide || double(float(x)) == x; }

  bool expects(StringRef key, StringRef what, const llvm::json::Value *got) {
    message =
        ("expects " + key + " to be " + what + ", but got " + brief(got)).str();
    return false;
  }

  bool appendTo(Array &array, const llvm::json::Value &value, StringRef key,
                size_t depth, bool asFloat) {
    if (auto number = value.getAsNumber()) {
      if (depth != array.shape.size())
        return expects(key, "rectangular", &value);
      if (!std::isfinite(*number) || (asFloat && !isExact(*number)))
        return expects(key,
                       asFloat && !wide ? "float32 numbers" : "finite numbers",
                       &value);
      array.values.push_back(*number);
      return true;
    }
    const llvm::json::Array *items = value.getAsArray();
    if (!items || items->empty() || depth == 2)
      return expects(key, "a number, a row or a table", &value);
    if (array.values.empty() && array.shape.size() == depth)
      array.shape.push_back(items->size());
    if (array.shape.size() <= depth ||
        array.shape[depth] != int64_t(items->size()))
      return expects(key, "rectangular", &value);
    for (const llvm::json::Value &item : *items)
      if (!appendTo(array, item, key, depth + 1, asFloat))
        return false;
    return true;
  }

  const llvm::json::Object &object;
  const bool wide;
  std::string &message;
};

Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path + ": expects a readable file, but got: " +
                buffer.getError().message());
  return std::move(*buffer);
}

Expected<llvm::json::Value> parseJson(StringRef text) {
  if (text.size() > maxLineBytes)
    return fail("at most " + Twine(maxLineBytes >> 20) + " MiB, but got " +
                Twine(text.size()) + " bytes");
  if (isTooDeep(text))
    return fail("JSON nested at most " + Twine(maxDepth) +
                " deep, but got more");
  auto value = llvm::json::parse(text);
  if (!value)
    return fail("JSON, but got: " + llvm::toString(value.takeError()));
  return value;
}
} // namespace

Expected<std::vector<Line>> geo::numerics::readLines(StringRef path,
                                                     bool wide) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  std::vector<Line> lines;
  int64_t number = 0;
  for (StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    auto [text, tail] = rest.split('\n');
    rest = tail;
    ++number;
    if (text.trim().empty())
      continue;
    std::string where = (path + ":" + Twine(number) + ": ").str();
    auto value = parseJson(text);
    if (!value)
      return fail(where + "expects " + llvm::toString(value.takeError()));
    const llvm::json::Object *object = value->getAsObject();
    if (!object)
      return fail(where + "expects a JSON object, but got " + brief(&*value));
    Line line;
    line.number = number;
    std::string message;
    if (!LineReader(*object, wide, message).readLine(line))
      return fail(where + message);
    lines.push_back(std::move(line));
  }
  if (lines.empty())
    return fail(path + ": expects reference vectors, one JSON object a line, "
                       "but got none");
  return lines;
}

Expected<Allowed> geo::numerics::readAllowed(StringRef path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  auto value = parseJson((*buffer)->getBuffer());
  if (!value)
    return fail(path + ": expects " + llvm::toString(value.takeError()));
  Allowed allowed;
  auto readGroup = [&](StringRef key,
                       std::map<std::string, std::string> &group) {
    const llvm::json::Object *object = value->getAsObject();
    object = object ? object->getObject(key) : nullptr;
    if (!object)
      return false;
    for (auto &[id, reason] : *object) {
      auto text = reason.getAsString();
      if (!text || text->empty())
        return false;
      group[id.str()] = text->str();
    }
    return true;
  };
  if (!readGroup("value", allowed.value) || !readGroup("vjp", allowed.vjp) ||
      !readGroup("unsupported", allowed.unsupported))
    return fail(path +
                R"(: expects {"value": {id: reason}, "vjp": {..}, )"
                R"("unsupported": {op: reason}}, but got )" +
                brief(&*value));
  return allowed;
}
