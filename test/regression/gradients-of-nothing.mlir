// A formula that has no value anywhere has no gradient to be wrong; the check used to
// pass it.
// RUN: not geoc %s --check-gradients 2>&1 | FileCheck %s
// CHECK: error: @mine::@sqdist: expects a value at some of the points, but got NaN at all
geo.manifold @mine(c > 0) {
  formula @sqdist(x: row, y: row) = sqnorm(x - y) * (0 / 0) / c
}
