// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies to shared memory: cp.async, its groups and waits.
#ifndef GEOC_RUNTIME_SIMT_COPIES_H
#define GEOC_RUNTIME_SIMT_COPIES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace geo::rt::simt {

struct Copy {
  char *to;
  const char *from;
  int64_t bytes, sourceBytes;
  const char *site;
};

/// The copies of one thread that have not arrived, oldest first.
class Copies {
public:
  void add(const Copy &copy);
  /// Ends a group, which may be empty.
  void endGroup() { groups.push_back(copies.size()); }
  /// Lets the oldest groups arrive until `pending` are left; `arrive` is called
  /// for each copy after its bytes are there.
  template <class Arrive> void wait(int32_t pending, Arrive arrive) {
    if (groups.size() <= static_cast<size_t>(pending))
      return;
    size_t done = groups.size() - static_cast<size_t>(pending);
    size_t count = groups[done - 1];
    for (size_t i = 0; i < count; ++i) {
      land(copies[i]);
      arrive(copies[i]);
    }
    copies.erase(copies.begin(), copies.begin() + count);
    groups.erase(groups.begin(), groups.begin() + done);
    for (size_t &end : groups)
      end -= count;
  }
  void clear() {
    copies.clear();
    groups.clear();
  }

private:
  static void land(const Copy &copy);

  std::vector<Copy> copies;
  std::vector<size_t> groups; ///< where each ends in `copies`
};

} // namespace geo::rt::simt

#endif // GEOC_RUNTIME_SIMT_COPIES_H
