// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Signatures.h"

using namespace geo;

llvm::ArrayRef<Signature> geo::getSignatures() {
  constexpr Role point = Role::point, vector = Role::vector,
                 number = Role::number;
  constexpr Combine rows = Combine::rows, sum = Combine::sum,
                    rootSum = Combine::rootSum, undefined = Combine::undefined;
  static const Signature signatures[] = {
      {"add", {{"x", point}, {"y", point}}, point, rows},
      {"neg", {{"x", point}}, point, rows},
      {"scalar_mul", {{"r", number}, {"x", point}}, point, rows},
      {"gyration", {{"x", point}, {"y", point}, {"w", point}}, point, rows},
      {"expmap0", {{"v", vector}}, point, rows},
      {"logmap0", {{"x", point}}, vector, rows},
      {"expmap", {{"x", point}, {"v", vector}}, point, rows},
      {"logmap", {{"x", point}, {"y", point}}, vector, rows},
      {"retract", {{"x", point}, {"v", vector}}, point, rows},
      {"geodesic", {{"x", point}, {"y", point}, {"t", number}}, point, rows},
      {"project", {{"x", vector}, {"fraction", number}}, point, rows},
      {"egrad2rgrad", {{"x", point}, {"g", vector}}, vector, rows},
      {"transport0", {{"x", point}, {"v", vector}}, vector, rows},
      {"transport", {{"x", point}, {"y", point}, {"v", vector}}, vector, rows},
      {"wrapped_normal", {{"x", point}, {"z", vector}}, point, rows},
      {"midpoint_lift", {{"x", point}}, vector, rows},
      {"midpoint_weight", {{"x", point}}, number, undefined},
      {"midpoint_drop", {{"s", vector}, {"w", number}}, point, undefined},
      {"sqdist", {{"x", point}, {"y", point}}, number, sum},
      {"pair_sqdist", {{"x", point}, {"y", point}}, number, sum},
      {"pair_sqdist_f32", {{"x", point}, {"y", point}}, number, sum},
      {"dist", {{"x", point}, {"y", point}}, number, rootSum},
      {"dist0", {{"x", point}}, number, rootSum},
      {"conformal_factor", {{"x", point}}, number, undefined},
      {"inner", {{"x", point}, {"u", vector}, {"v", vector}}, number, sum},
      {"norm", {{"x", point}, {"v", vector}}, number, rootSum},
      {"plane_dist",
       {{"x", point}, {"p", point}, {"a", vector}},
       number,
       undefined},
      {"lift_time", {{"x", point}}, number, undefined},
      {"domain_norm", {{"x", vector}}, number, undefined},
      {"domain_limit", {{"x", vector}}, number, undefined},
  };
  return signatures;
}

const Signature *geo::getSignature(llvm::StringRef name) {
  static const Signature conversion{
      "to", {{"x", Role::point}}, Role::vector, Combine::undefined};
  if (name.starts_with("to_"))
    return &conversion;
  for (const Signature &signature : getSignatures())
    if (signature.name == name)
      return &signature;
  return nullptr;
}
