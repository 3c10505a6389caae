// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ops of a reference file are in the geo dialect.
#include "frontend/tools/geo-numerics.h"
#include "llvm/Support/FormatVariadic.h"
#include <tuple>

using namespace geo::numerics;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

// In a program: $P points, $E the table's points, $T plain rows, $N numbers per
// row, $L one number per row and row of the table, $R a row of a region, $C the
// curvature operand, $K the constant, $F the pair arithmetic.
const OpSpec *geo::numerics::findOp(StringRef name) {
  using I = InputKind;
  using R = ResultKind;
  static const OpSpec ops[] = {
      {"mobius_add",
       {{"x", I::point}, {"y", I::point}},
       R::points,
       "%out = geo.mobius_add %x, %y $C : $P"},
      {"expmap0",
       {{"u", I::vector}},
       R::points,
       "%out = geo.expmap0 %u $C : $T -> $P"},
      {"logmap0",
       {{"y", I::point}},
       R::vectors,
       "%out = geo.logmap0 %y $C : $P -> $T"},
      {"expmap",
       {{"x", I::point}, {"u", I::vector}},
       R::points,
       "%out = geo.expmap %x, %u $C : $P, $T"},
      {"dist",
       {{"x", I::point}, {"y", I::point}},
       R::numbers,
       "%out = geo.geodesic_dist %x, %y $C : $P, $P -> $N"},
      {"sqdist",
       {{"x", I::point}, {"y", I::point}},
       R::numbers,
       "%out = geo.sqdist %x, %y $C : $P, $P -> $N"},
      {"conformal_factor",
       {{"x", I::point}},
       R::numbers,
       "%out = geo.conformal_factor %x $C : $P -> $N"},
      {"project",
       {{"x", I::vector}, {"frac", I::constant}},
       R::points,
       "%out = geo.project %x $C {fraction = $K} : $T -> $P"},
      {"rilm_update",
       {{"h", I::point}, {"t", I::vector}, {"s", I::number}},
       R::points,
       R"(%st = geo.rowwise rows(%row = %t : $T) shared(%k = %s : f64) {
            %scaled = geo.scale %k, %row : $R
            geo.yield %scaled : $R
          } -> ($T)
          %step = geo.expmap0 %st $C : $T -> $P
          %out = geo.mobius_add %h, %step $C : $P)"},
      {"distance_softmax",
       {{"h", I::point}, {"E", I::table}, {"tau", I::number}},
       R::table,
       "%out = geo.distance_log_softmax %h, %E tau(%tau) $C $F : $P, $E -> $L"},
      {"nll",
       {{"h", I::point},
        {"E", I::table},
        {"tau", I::number},
        {"target", I::target}},
       R::numbers,
       "%out = geo.distance_nll %h, %E targets(%target : tensor<?xi32>) "
       "tau(%tau) $C $F : $P, $E -> $N"},
  };
  for (const OpSpec &op : ops)
    if (op.name == name)
      return &op;
  return nullptr;
}

std::vector<ManifoldSpec> geo::numerics::getDefaultManifolds() {
  return {{"euclidean", "#geo.euclidean", false},
          {"poincare", "#geo.poincare<\"c\">", true}};
}

bool Key::operator<(const Key &o) const {
  return std::tie(manifold->name, op, dim, tableRows, constant, pairMath,
                  wide) < std::tie(o.manifold->name, o.op, o.dim, o.tableRows,
                                   o.constant, o.pairMath, o.wide);
}

std::string Key::text() const {
  std::string text =
      llvm::formatv("{0} on {1}, d = {2}", op->name, manifold->name, dim).str();
  if (tableRows)
    text += llvm::formatv(", V = {0}", tableRows).str();
  return text;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  return "shape " + geo::rt::shapeText(shape);
}

Expected<Key> geo::numerics::getKey(const Line &line, const OpSpec &op,
                                    const ManifoldSpec &manifold,
                                    StringRef pairMath, bool wide) {
  Key key{&op, &manifold, line.dim, 0, 0.999, pairMath.str(), wide};
  auto fail = [&](const Twine &what, const Twine &got) {
    return llvm::createStringError("expects " + what + ", but got " + got);
  };
  auto checkArray = [&](const std::map<std::string, Array> &group,
                        StringRef groupName, StringRef name,
                        const std::vector<int64_t> &shape) -> Error {
    auto it = group.find(name.str());
    if (it == group.end())
      return fail(groupName + "." + name, "none");
    if (it->second.shape != shape)
      return fail(groupName + "." + name + " of " + shapeText(shape),
                  shapeText(it->second.shape));
    return Error::success();
  };
  std::vector<int64_t> row = {line.dim};
  for (const InputSpec &input : op.inputs) {
    std::vector<int64_t> shape = row;
    bool hasGradient = true;
    switch (input.kind) {
    case InputKind::point:
    case InputKind::vector:
      break;
    case InputKind::table: {
      auto it = line.in.find(input.name.str());
      if (it != line.in.end() && !it->second.shape.empty())
        key.tableRows = it->second.shape[0];
      shape = {key.tableRows, line.dim};
      break;
    }
    case InputKind::number:
      shape = {};
      break;
    case InputKind::constant:
      if (!line.in.count(input.name.str()))
        continue;
      shape = {};
      hasGradient = false;
      key.constant = line.in.at(input.name.str()).values[0];
      if (!(key.constant > 0 && key.constant < 1))
        return fail("in." + input.name + " between 0 and 1",
                    Twine(std::to_string(key.constant)));
      break;
    case InputKind::target: {
      auto it = line.ints.find(input.name.str());
      if (it == line.ints.end() || it->second < 0 ||
          it->second >= key.tableRows)
        return fail("ints." + input.name + " in [0, " + Twine(key.tableRows) +
                        ")",
                    it == line.ints.end() ? "none" : Twine(it->second));
      continue;
    }
    }
    if (Error error = checkArray(line.in, "in", input.name, shape))
      return std::move(error);
    if (hasGradient)
      if (Error error = checkArray(line.vjp, "vjp", input.name, shape))
        return std::move(error);
  }
  if (manifold.hasCurvature) {
    if (line.c <= 0)
      return fail("c > 0", Twine(std::to_string(line.c)));
    if (Error error = checkArray(line.vjp, "vjp", "c", {}))
      return std::move(error);
  }
  std::vector<int64_t> shape = row;
  if (op.result == ResultKind::numbers)
    shape = {};
  if (op.result == ResultKind::table)
    shape = {key.tableRows};
  for (auto &[name, array] :
       {std::pair<StringRef, const Array &>("out", line.out), {"ct", line.ct}})
    if (array.shape != shape)
      return fail(name + " of " + shapeText(shape), shapeText(array.shape));
  return key;
}
