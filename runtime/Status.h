// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_STATUS_H
#define GEOC_RUNTIME_STATUS_H

#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace geo::rt {

/// Success, or a message for the user. Nothing in runtime/ and frontend/data/
/// throws: whatever can fail on user input says so in its return type.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status success() { return Status(); }
  static Status error(std::string message) {
    Status s;
    s.text = std::move(message);
    return s;
  }

  bool ok() const { return !text; }
  explicit operator bool() const { return ok(); }
  /// The message; empty on success.
  const std::string &message() const {
    static const std::string none;
    return text ? *text : none;
  }

private:
  std::optional<std::string> text;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Status failure) : why(std::move(failure)) {
    assert(!why.ok() && "an Expected without a value needs an error");
  }

  bool ok() const { return held.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return why; }
  const std::string &message() const { return why.message(); }

  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status why;
};

/// The house form of an error: "WHERE: expects WHAT, but got GOT". WHERE is a
/// file, a flag or an op.
Status expects(std::string_view where, std::string_view what,
               std::string_view got);

/// Text fit for a message: quoted, control bytes escaped, cut after about 60
/// bytes; text that is not UTF-8 has all bytes above 127 escaped.
std::string quote(std::string_view text);

/// Length of the longest start of `text` that is well-formed UTF-8 (no
/// surrogates, no overlong forms).
size_t validUtf8Length(std::string_view text);
inline bool isValidUtf8(std::string_view text) {
  return validUtf8Length(text) == text.size();
}

} // namespace geo::rt

#endif // GEOC_RUNTIME_STATUS_H
