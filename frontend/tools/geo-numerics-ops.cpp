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
// curvature operand, $K the constant, $F the pair arithmetic, $M the page, $A
// and $B the curvature and its type as a further argument of a formula, $X the
// float type and length of rows, for other points.
namespace {
using I = InputKind;
using R = ResultKind;

/// Ops under the names of make_refvec.py.
const OpSpec standardOps[] = {
    {"mobius_add",
     {{"x", I::point}, {"y", I::point}},
     R::points,
     "%out = geo.mobius_add %x, %y $C : $P"},
    {"mobius_neg",
     {{"x", I::point}},
     R::points,
     "%out = geo.neg %x $C : $P -> $P"},
    {"gyration",
     {{"u", I::point}, {"v", I::point}, {"w", I::point}},
     R::points,
     "%out = geo.gyration %u, %v, %w $C : $P, $P, $P -> $P"},
    {"mobius_scalar_mul",
     {{"r", I::number}, {"x", I::point}},
     R::points,
     "%out = geo.scalar_mul %r, %x $C : f64, $P -> $P"},
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
    {"logmap",
     {{"x", I::point}, {"y", I::point}},
     R::vectors,
     "%out = geo.logmap %x, %y $C : $P, $P -> $T"},
    {"dist",
     {{"x", I::point}, {"y", I::point}},
     R::numbers,
     "%out = geo.geodesic_dist %x, %y $C : $P, $P -> $N"},
    {"sqdist",
     {{"x", I::point}, {"y", I::point}},
     R::numbers,
     "%out = geo.sqdist %x, %y $C : $P, $P -> $N"},
    {"dist0",
     {{"x", I::point}},
     R::numbers,
     "%out = geo.dist0 %x $C : $P -> $N"},
    {"conformal_factor",
     {{"x", I::point}},
     R::numbers,
     "%out = geo.conformal_factor %x $C : $P -> $N"},
    // Every row is a point; the reference is the coordinate that is left out.
    {"project",
     {{"x", I::point}},
     R::numbers,
     "%out = geo.apply @$M::@lift_time(%x$A) : ($P$B) -> $N",
     "lorentz"},
    {"project",
     {{"x", I::vector}, {"frac", I::constant}},
     R::points,
     "%out = geo.project %x $C {fraction = $K} : $T -> $P"},
    {"parallel_transport0",
     {{"y", I::point}, {"v", I::vector}},
     R::vectors,
     "%out = geo.transport0 %y, %v $C : $P, $T -> $T"},
    {"parallel_transport",
     {{"x", I::point}, {"y", I::point}, {"v", I::vector}},
     R::vectors,
     "%out = geo.transport %x, %y, %v $C : $P, $P, $T -> $T"},
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

/// Formulas under their own names (make_extra_refvec.py).
const OpSpec formulas[] = {
    {"add",
     {{"x", I::point}, {"y", I::point}},
     R::points,
     "%out = geo.mobius_add %x, %y $C : $P"},
    {"neg", {{"x", I::point}}, R::points, "%out = geo.neg %x $C : $P -> $P"},
    {"scalar_mul",
     {{"r", I::number}, {"x", I::point}},
     R::points,
     "%out = geo.scalar_mul %r, %x $C : f64, $P -> $P"},
    {"expmap0",
     {{"v", I::vector}},
     R::points,
     "%out = geo.expmap0 %v $C : $T -> $P"},
    {"logmap0",
     {{"x", I::point}},
     R::vectors,
     "%out = geo.logmap0 %x $C : $P -> $T"},
    {"expmap",
     {{"x", I::point}, {"v", I::vector}},
     R::points,
     "%out = geo.expmap %x, %v $C : $P, $T"},
    {"geodesic",
     {{"x", I::point}, {"y", I::point}, {"t", I::number}},
     R::points,
     "%out = geo.geodesic %x, %y, %t $C : $P, $P, f64 -> $P"},
    {"retract",
     {{"x", I::point}, {"v", I::vector}},
     R::points,
     "%out = geo.retract %x, %v $C : $P, $T -> $P"},
    {"egrad2rgrad",
     {{"x", I::point}, {"g", I::vector}},
     R::vectors,
     "%out = geo.egrad2rgrad %x, %g $C : $P, $T -> $T"},
    {"transport0",
     {{"y", I::point}, {"v", I::vector}},
     R::vectors,
     "%out = geo.transport0 %y, %v $C : $P, $T -> $T"},
    {"transport",
     {{"x", I::point}, {"y", I::point}, {"v", I::vector}},
     R::vectors,
     "%out = geo.transport %x, %y, %v $C : $P, $P, $T -> $T"},
    {"wrapped_normal",
     {{"m", I::point}, {"z", I::vector}},
     R::points,
     "%out = geo.wrapped_normal %m, %z $C : $P, $T -> $P"},
    {"inner",
     {{"x", I::point}, {"u", I::vector}, {"v", I::vector}},
     R::numbers,
     "%out = geo.inner %x, %u, %v $C : $P, $T, $T -> $N"},
    {"norm",
     {{"x", I::point}, {"v", I::vector}},
     R::numbers,
     "%out = geo.norm %x, %v $C : $P, $T -> $N"},
    {"plane_dist",
     {{"x", I::point}, {"p", I::point}, {"a", I::vector}},
     R::numbers,
     "%out = geo.plane_dist %x, %p, %a $C : $P, $P, $T -> $N"},
    {"midpoint_lift",
     {{"x", I::point}},
     R::vectors,
     "%out = geo.apply @$M::@midpoint_lift(%x$A) : ($P$B) -> $T"},
    {"midpoint_weight",
     {{"x", I::point}},
     R::numbers,
     "%out = geo.apply @$M::@midpoint_weight(%x$A) : ($P$B) -> $N"},
    {"midpoint_drop",
     {{"s", I::vector}, {"w", I::number}},
     R::vectors,
     "%out = geo.apply @$M::@midpoint_drop(%s, %w$A) : ($T, f64$B) -> $T"},
    {"lift_time",
     {{"x", I::point}},
     R::numbers,
     "%out = geo.apply @$M::@lift_time(%x$A) : ($P$B) -> $N"},
    {"to_lorentz",
     {{"x", I::point}},
     R::vectors,
     "%other = geo.convert %x $C : $P -> tensor<?x$X, #geo.lorentz<\"c\">>\n"
     "  %out = geo.coords %other : tensor<?x$X, #geo.lorentz<\"c\">> -> $T"},
    {"to_poincare",
     {{"x", I::point}},
     R::vectors,
     "%other = geo.convert %x $C : $P -> tensor<?x$X, #geo.poincare<\"c\">>\n"
     "  %out = geo.coords %other : tensor<?x$X, #geo.poincare<\"c\">> -> $T"},
};

bool serves(const OpSpec &op, const Line &line) {
  return op.name == line.op &&
         (op.manifold.empty() || op.manifold == line.manifold) &&
         llvm::all_of(op.inputs, [&](const InputSpec &input) {
           return input.kind == I::constant ||
                  line.in.count(input.name.str()) ||
                  line.ints.count(input.name.str());
         });
}
} // namespace

const OpSpec *geo::numerics::findOp(StringRef name) {
  for (llvm::ArrayRef<OpSpec> table :
       {llvm::ArrayRef(standardOps), llvm::ArrayRef(formulas)})
    for (const OpSpec &op : table)
      if (op.name == name)
        return &op;
  return nullptr;
}

const OpSpec *geo::numerics::findOp(const Line &line) {
  for (llvm::ArrayRef<OpSpec> table :
       {llvm::ArrayRef(standardOps), llvm::ArrayRef(formulas)})
    for (const OpSpec &op : table)
      if (serves(op, line))
        return &op;
  // With an input missing, so that the reader hears which.
  return findOp(line.op);
}

std::vector<ManifoldSpec> geo::numerics::getDefaultManifolds() {
  return {{"euclidean", "#geo.euclidean", false},
          {"poincare", "#geo.poincare<\"c\">", true},
          {"stereographic", "#geo.stereographic<\"c\">", true, true},
          {"lorentz", "#geo.lorentz<\"c\">", true},
          {"sphere", "#geo.sphere<\"c\">", true}};
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
  if (manifold.hasCurvature && !manifold.hasAnySign && line.c <= 0)
    return fail("c > 0", Twine(std::to_string(line.c)));
  // Where the file takes the curvature for a constant, its gradient is not
  // looked at.
  if (manifold.hasCurvature && line.vjp.count("c"))
    if (Error error = checkArray(line.vjp, "vjp", "c", {}))
      return std::move(error);
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
