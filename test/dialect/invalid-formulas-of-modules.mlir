// RUN: geo-opt %s --geo-check-points --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a function, a formula above or a standard one, but got below}}
geo.formula @calls(x: row) = below(x)

// -----

geo.formula @a(x: row) = 2 * x
// expected-error @+1 {{expects argument 0 of formula a to be a row, but got 'f64'}}
geo.formula @b(x: row) = a(sqnorm(x))

// -----

// expected-error @+1 {{expects digits after the e of a number}}
geo.formula @no_digits(x: row) = 1e- * x

// -----

// expected-error @+1 {{expects digits after the e of a number}}
geo.formula @fraction(x: row) = 1e5.5 * x

// -----

// expected-error @+1 {{expects a number that a double holds}}
geo.formula @too_large(x: row) = 2e999 * x
