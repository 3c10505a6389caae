// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model in a .mlir file, compiled and called on tensors.
#ifndef GEOC_EXAMPLES_SUPPORT_PROGRAM_H
#define GEOC_EXAMPLES_SUPPORT_PROGRAM_H

#include "lowering/Compiler.h"
#include "runtime/Tensor.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace geo::examples {

/// An alias of a model file and what it shall stand for instead: {"#space",
/// "#geo.lorentz<1.0>"} replaces the line that begins with "#space =".
using Aliases = std::vector<std::pair<std::string, std::string>>;

/// The text of a model file with aliases replaced. Errors: a file or an alias
/// that is not there.
rt::Expected<std::string> readModel(const std::string &path,
                                    const Aliases &aliases);

/// The attribute that `name`, the value of --space, stands for: "ball",
/// "hyperboloid" (both of curvature -1) or "flat".
rt::Expected<std::string> getSpace(const std::string &name);

class Program {
public:
  /// Compiles the file for the target "cpu" or "loops". Errors: an unknown
  /// target, a file or an alias that is not there, what the compiler says.
  static rt::Expected<Program> load(const std::string &path,
                                    const Aliases &aliases,
                                    const std::string &target);

  /// Calls a public function: arguments, then results, each a Tensor of the
  /// type and shape that the function has, or a double.
  template <typename... Args>
  void call(const char *function, Args &&...args) const {
    std::deque<rt::MemRef> views; // addresses stay
    std::vector<void *> pointers{add(views, args)...};
    invoke(function, pointers.data());
  }

private:
  static void *add(std::deque<rt::MemRef> &views, rt::Tensor &tensor) {
    return views.emplace_back(tensor).descriptor();
  }
  static void *add(std::deque<rt::MemRef> &, double &number) { return &number; }
  void invoke(const char *function, void **arguments) const;

  std::unique_ptr<Executable> executable;
};

} // namespace geo::examples

#endif // GEOC_EXAMPLES_SUPPORT_PROGRAM_H
