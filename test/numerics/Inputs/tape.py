# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reverse-mode differentiation over mpmath numbers of 100 digits, and numbers of float32."""
import struct

import mpmath
from mpmath import mp, mpf

WORK_DPS = 100
mp.dps = WORK_DPS


def f32(v):
    """Round to float32, return the double that holds it exactly."""
    return struct.unpack("f", struct.pack("f", float(v)))[0]


def norm(v):
    return mpmath.sqrt(mpmath.fsum(q * q for q in v)) if isinstance(v, list) else abs(v)


class T:
    """Node of the tape: `v` is an mpf (scalar) or a list of mpf (vector)."""
    __slots__ = ("v", "g", "back", "vec")
    tape = None

    def __init__(self, v, back=None):
        self.v, self.back = v, back
        self.vec = isinstance(v, list)
        self.g = [mpf(0)] * len(v) if self.vec else mpf(0)
        if T.tape is not None:
            T.tape.append(self)

    def acc(self, g):
        if self.vec:
            self.g = [a + b for a, b in zip(self.g, g)]
        else:
            self.g += g

    # scalars with scalars, vectors with vectors
    def __add__(a, b):
        b = lift(b)
        if a.vec:
            return T([p + q for p, q in zip(a.v, b.v)], lambda g: (a.acc(g), b.acc(g)))
        return T(a.v + b.v, lambda g: (a.acc(g), b.acc(g)))
    __radd__ = __add__

    def __neg__(a):
        if a.vec:
            return T([-p for p in a.v], lambda g: a.acc([-q for q in g]))
        return T(-a.v, lambda g: a.acc(-g))

    def __sub__(a, b):
        return a + (-lift(b))

    def __rsub__(a, b):
        return lift(b) + (-a)

    def __mul__(a, b):
        b = lift(b)
        if a.vec or b.vec:                      # scalar * vector
            s, w = (b, a) if a.vec else (a, b)
            def back(g):
                s.acc(mpmath.fdot(g, w.v))
                w.acc([s.v * q for q in g])
            return T([s.v * p for p in w.v], back)
        return T(a.v * b.v, lambda g: (a.acc(g * b.v), b.acc(g * a.v)))
    __rmul__ = __mul__

    def __truediv__(a, b):
        return a * recip(lift(b))

    def __rtruediv__(a, b):
        return lift(b) * recip(a)


def lift(b):
    return b if isinstance(b, T) else T(mpf(b))


def dot(a, b):
    return T(mpmath.fdot(a.v, b.v),
             lambda g: (a.acc([g * q for q in b.v]), b.acc([g * q for q in a.v])))


def unary(a, f, df):
    return T(f(a.v), lambda g: a.acc(g * df(a.v)))


def recip(a):
    return unary(a, lambda z: 1 / z, lambda z: -1 / (z * z))


def sqrt(a):            # derivative 0 at 0: the subgradient convention of dist
    return unary(a, mpmath.sqrt, lambda z: mpf(0) if z == 0 else 1 / (2 * mpmath.sqrt(z)))


def exp(a):
    return unary(a, mpmath.exp, mpmath.exp)


def log(a):
    return unary(a, mpmath.log, lambda z: 1 / z)


def stack(xs):          # scalars -> vector
    def back(g):
        for x, q in zip(xs, g):
            x.acc(q)
    return T([x.v for x in xs], back)


# functions of z = (norm)^2, analytic at 0.  Extra digits pay for the cancellation at tiny z.
def _hi(f):
    def g(z):
        with mp.workdps(2 * WORK_DPS):
            r = f(mpf(z))
        return +r
    return g


def _even(f, df, f0, df0):
    f, df = _hi(f), _hi(df)
    return lambda a: unary(a, lambda z: mpf(f0) if z == 0 else f(z),
                           lambda z: mpf(df0) if z == 0 else df(z))


_r = mpmath.sqrt
tanhc = _even(lambda z: mpmath.tanh(_r(z)) / _r(z),
              lambda z: (mpmath.sech(_r(z)) ** 2 - mpmath.tanh(_r(z)) / _r(z)) / (2 * z), 1, -mpf(1) / 3)
artanhc = _even(lambda z: mpmath.atanh(_r(z)) / _r(z),
                lambda z: (1 / (1 - z) - mpmath.atanh(_r(z)) / _r(z)) / (2 * z), 1, mpf(1) / 3)
asinhc = _even(lambda z: mpmath.asinh(_r(z)) / _r(z),
               lambda z: (1 / _r(1 + z) - mpmath.asinh(_r(z)) / _r(z)) / (2 * z), 1, -mpf(1) / 6)
asinc = _even(lambda z: mpmath.asin(_r(z)) / _r(z),
              lambda z: (1 / _r(1 - z) - mpmath.asin(_r(z)) / _r(z)) / (2 * z), 1, mpf(1) / 6)
sinhc = _even(lambda z: mpmath.sinh(_r(z)) / _r(z),
              lambda z: (mpmath.cosh(_r(z)) - mpmath.sinh(_r(z)) / _r(z)) / (2 * z), 1, mpf(1) / 6)
sinc = _even(lambda z: mpmath.sin(_r(z)) / _r(z),
             lambda z: (mpmath.cos(_r(z)) - mpmath.sin(_r(z)) / _r(z)) / (2 * z), 1, -mpf(1) / 6)
coshq = _even(lambda z: mpmath.cosh(_r(z)), lambda z: mpmath.sinh(_r(z)) / _r(z) / 2, 1, mpf(1) / 2)
cosq = _even(lambda z: mpmath.cos(_r(z)), lambda z: -mpmath.sin(_r(z)) / _r(z) / 2, 1, -mpf(1) / 2)
