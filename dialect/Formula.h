// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handle over which formulas are written once.
#ifndef GEOC_DIALECT_FORMULA_H
#define GEOC_DIALECT_FORMULA_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include "dialect/GeoEnums.h.inc"

namespace geo {

/// A row (`vector<dxf32>`), a number (f64; in a pair term the pair's float
/// type) or a condition (i1) of a region under construction. The operations it
/// builds are the expression graph: there is no second one. A number meets a
/// row by broadcast (`+`, `-`) or by geo.scale (`*`, `/`), which rounds it
/// once.
class Ex {
public:
  Ex() = default;
  Ex(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  mlir::Value get() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }
  bool isRow() const;
  /// A constant of the type of this handle (a row of equal elements for a row).
  Ex constant(double number) const;
  /// A number of the type that numbers have beside this handle: f64 for a row.
  Ex number(double number) const;

private:
  mlir::ImplicitLocOpBuilder *builder = nullptr;
  mlir::Value value;
};

Ex operator+(Ex a, Ex b);
Ex operator-(Ex a, Ex b);
Ex operator*(Ex a, Ex b);
Ex operator/(Ex a, Ex b);
Ex operator-(Ex a);
Ex operator+(double a, Ex b);
Ex operator-(double a, Ex b);
Ex operator*(double a, Ex b);
Ex operator/(double a, Ex b);
Ex operator+(Ex a, double b);
Ex operator-(Ex a, double b);

/// <x, y> of two rows, in f64.
Ex dot(Ex x, Ex y);
/// <x, x> of a row, in f64.
Ex sqnorm(Ex x);
/// What only the use of a formula knows: the spacing of a row's storage type at
/// 1, and its number of coordinates (see geo.epsilon, geo.row_length).
Ex epsilon(Ex x);
Ex rowLength(Ex x);
/// The identity, whose gradient is zero.
Ex detach(Ex x);

/// Functions of the squared norm, analytic at 0 (see geo.even).
Ex even(EvenFn fn, Ex z);
Ex tanhc(Ex z);
Ex artanhc(Ex z);
Ex asinhc(Ex z);
Ex sinhc(Ex z);
Ex coshq(Ex z);
Ex sinc(Ex z);
Ex cosq(Ex z);
Ex asinc(Ex z);

/// Square root; its derivative at 0 is taken as 0.
Ex sqrt(Ex x);
Ex exp(Ex x);
Ex log(Ex x);
Ex tanh(Ex x);
Ex asin(Ex x);
Ex sin(Ex x);
Ex cos(Ex x);

/// The larger and the smaller one; a number meets a row by broadcast. Ties send
/// the gradient to the first.
Ex max(Ex a, Ex b);
Ex min(Ex a, Ex b);

/// Conditions on numbers, and the choice by one; both sides are evaluated.
Ex less(Ex a, Ex b);
Ex select(Ex condition, Ex ifTrue, Ex ifFalse);

} // namespace geo

#endif // GEOC_DIALECT_FORMULA_H
