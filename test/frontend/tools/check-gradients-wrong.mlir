// RUN: %python %S/Inputs/exit_code.py 1 geoc %s --check-gradients 2>&1 | FileCheck %s
// A wrong own derivative is an error at the formula's line, with values.

geo.formula @right(x: row) = sqnorm(x) vjp(ct: number) = 2 * ct * x
// CHECK-NOT: error:
// CHECK: check-gradients-wrong.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: @wrong: expects the own vjp of x to be right to {{.*}}, but got an error of {{.*}} at {{.*}}; x = [{{.*}}], w = {{.*}}: own [{{.*}}], derived [{{.*}}]
geo.formula @wrong(x: row, w: number) = w * sqnorm(x) vjp(ct: number) {
  yield 3 * ct * w * x, ct * sqnorm(x)
}
// Right at the random points, wrong where z is small.
// CHECK: check-gradients-wrong.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: @kinked: expects the own vjp of x
geo.formula @kinked(x: row) = sqnorm(x) * x vjp(ct: row) {
  let z = sqnorm(x)
  yield select(1.0e-4 < z, 1, 2) * (z * ct + 2 * dot(x, ct) * x)
}
// CHECK-NOT: error:
// CHECK: formula
