# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of make_extra_refvec.py, on every manifold: textbook forms, also where c < 0."""
import mpmath
from mpmath import mpf

import textbook as base
from tape import T, WORK_DPS, dot, norm, recip, sqrt, unary
from textbook import Lorentz, Poincare

DIGITS = 2 * WORK_DPS


def even(f, df, at0, slope0):
    """An even function of z = n^2, continued through 0: the real part for imaginary n."""
    def exact(g, limit):
        def h(z):
            if z == 0:
                return mpf(limit)
            with mpmath.mp.workdps(DIGITS):
                r = mpmath.re(g(mpmath.sqrt(mpmath.mpc(z))))
            return +r
        return h
    return lambda a: unary(a, exact(f, at0), exact(df, slope0))


M = mpmath
TANHC = even(lambda n: M.tanh(n) / n, lambda n: (M.sech(n) ** 2 - M.tanh(n) / n) / (2 * n * n), 1, -mpf(1) / 3)
ARTANHC = even(lambda n: M.atanh(n) / n, lambda n: (1 / (1 - n * n) - M.atanh(n) / n) / (2 * n * n), 1, mpf(1) / 3)
ASINHC = even(lambda n: M.asinh(n) / n, lambda n: (1 / M.sqrt(1 + n * n) - M.asinh(n) / n) / (2 * n * n), 1, -mpf(1) / 6)
# The textbook forms of make_refvec.py, continued to c < 0.
base.tanhc, base.artanhc, base.asinhc = TANHC, ARTANHC, ASINHC

HALF = mpf(1) / 2


class Ball:
    """Constant curvature -c in stereographic coordinates, as in the textbooks."""
    add = Poincare.mobius_add
    gyration = Poincare.gyration
    expmap0 = Poincare.expmap0
    logmap0 = Poincare.logmap0
    expmap = Poincare.expmap
    logmap = Poincare.logmap
    sqdist = Poincare.sqdist
    dist0 = Poincare.dist0
    conformal_factor = Poincare.conformal_factor
    transport = Poincare.parallel_transport
    transport0 = Poincare.parallel_transport0
    scalar_mul = Poincare.mobius_scalar_mul

    @staticmethod
    def dist(c, x, y):
        return sqrt(Ball.sqdist(c, x, y))

    @staticmethod
    def neg(c, x):
        return -x

    @staticmethod
    def geodesic(c, x, y, t):
        return Ball.expmap(c, x, t * Ball.logmap(c, x, y))

    @staticmethod
    def inner(c, x, u, v):
        h = Ball.conformal_factor(c, x)
        return h * h * dot(u, v)

    @staticmethod
    def norm(c, x, v):
        return Ball.conformal_factor(c, x) * sqrt(dot(v, v))

    @staticmethod
    def egrad2rgrad(c, x, g):
        h = recip(Ball.conformal_factor(c, x))
        return (h * h) * g

    @staticmethod
    def retract(c, x, v):
        h = recip(1 - c * dot(x, x))
        s = c * h * h * dot(v, v)
        return Ball.add(c, x, (h * recip(sqrt(1 + s)) if s.v > 0 else h) * v)

    @staticmethod
    def plane_dist(c, x, p, a):
        z = Ball.add(c, -p, x)
        h = 2 * dot(z, a) / ((1 - c * dot(z, z)) * sqrt(dot(a, a)))
        return h * ASINHC(c * h * h)

    @staticmethod
    def wrapped_normal(c, m, z):
        return Ball.expmap(c, m, recip(Ball.conformal_factor(c, m)) * z)

    @staticmethod
    def midpoint_lift(c, x):
        return Ball.conformal_factor(c, x) * x

    @staticmethod
    def midpoint_weight(c, x):
        return Ball.conformal_factor(c, x) - 1

    @staticmethod
    def midpoint_drop(c, s, w):
        x = Ball.scalar_mul(c, T(HALF), recip(w) * s)
        # Beyond the equator of the sphere it is the antipode.
        return x if w.v > 0 else recip(c * dot(x, x)) * x

    @staticmethod
    def to_lorentz(c, x):
        return Ball.conformal_factor(c, x) * x


class Sheet:
    """The hyperboloid in space coordinates, by ambient products and the isometry with the ball."""
    expmap0 = Lorentz.expmap0
    logmap0 = Lorentz.logmap0
    expmap = Lorentz.expmap
    logmap = Lorentz.logmap
    sqdist = Lorentz.sqdist
    dist = Lorentz.dist
    dist0 = Lorentz.dist0
    lift_time = Lorentz.time

    @staticmethod
    def to_poincare(c, x):
        return recip(1 + sqrt(c) * Lorentz.time(c, x)) * x

    @staticmethod
    def add(c, x, y):
        return Ball.to_lorentz(c, Ball.add(c, Sheet.to_poincare(c, x), Sheet.to_poincare(c, y)))

    @staticmethod
    def gyration(c, u, v, w):
        return Ball.gyration(c, Sheet.to_poincare(c, u), Sheet.to_poincare(c, v), w)

    @staticmethod
    def neg(c, x):
        return -x

    @staticmethod
    def scalar_mul(c, r, x):
        return Lorentz.expmap0(c, r * Lorentz.logmap0(c, x))

    @staticmethod
    def geodesic(c, x, y, t):
        return Lorentz.expmap(c, x, t * Lorentz.logmap(c, x, y))

    @staticmethod
    def product(c, x, u, v):
        x0 = Lorentz.time(c, x)
        return dot(u, v) - (dot(x, u) / x0) * (dot(x, v) / x0)

    inner = product

    @staticmethod
    def norm(c, x, v):
        return sqrt(Sheet.product(c, x, v, v))

    @staticmethod
    def egrad2rgrad(c, x, g):
        # The tangent projection of (0, g) in the ambient space.
        return g + (c * dot(x, g)) * x

    @staticmethod
    def retract(c, x, v):
        return x + v

    @staticmethod
    def plane_dist(c, x, p, a):
        p0, x0 = Lorentz.time(c, p), Lorentz.time(c, x)
        a0 = dot(p, a) / p0
        h = (dot(x, a) - x0 * a0) / sqrt(dot(a, a) - a0 * a0)
        return h * ASINHC(c * h * h)

    @staticmethod
    def wrapped_normal(c, m, z):
        return Lorentz.expmap(c, m, Lorentz.parallel_transport0(c, m, z))

    @staticmethod
    def midpoint_lift(c, x):
        return 1 * x

    @staticmethod
    def midpoint_weight(c, x):
        return sqrt(c) * Lorentz.time(c, x)

    @staticmethod
    def midpoint_drop(c, s, w):
        return recip(sqrt(w * w - c * dot(s, s))) * s


class Round:
    """The sphere of radius 1/sqrt(c), by the unit sphere."""
    S = base.Sphere

    @staticmethod
    def origin(x):
        return T([mpf(1) / mpmath.sqrt(len(x.v))] * len(x.v))

    @staticmethod
    def project(c, x):
        return recip(sqrt(c)) * Round.S.unit(x)

    @staticmethod
    def expmap(c, x, v):
        return recip(sqrt(c)) * Round.S.expmap(c, x, sqrt(c) * v)

    @staticmethod
    def logmap(c, x, y):
        return recip(sqrt(c)) * Round.S.logmap(c, x, y)

    @staticmethod
    def sqdist(c, x, y):
        return recip(c) * Round.S.sqdist(c, x, y)

    @staticmethod
    def dist(c, x, y):
        return sqrt(Round.sqdist(c, x, y))

    @staticmethod
    def dist0(c, x):
        return Round.dist(c, Round.origin(x), x)

    @staticmethod
    def transport(c, x, y, v):
        return Round.S.parallel_transport(c, x, y, v)

    @staticmethod
    def transport0(c, y, v):
        return Round.transport(c, Round.origin(y), y, v)

    @staticmethod
    def expmap0(c, v):
        return Round.expmap(c, Round.origin(v), v)

    @staticmethod
    def logmap0(c, x):
        return Round.logmap(c, Round.origin(x), x)

    @staticmethod
    def neg(c, x):
        return Round.expmap0(c, -Round.logmap0(c, x))

    @staticmethod
    def scalar_mul(c, r, x):
        return Round.expmap0(c, r * Round.logmap0(c, x))

    @staticmethod
    def add(c, x, y):
        return Round.expmap(c, x, Round.transport0(c, x, Round.logmap0(c, y)))

    @staticmethod
    def gyration(c, u, v, w):
        return Round.add(c, Round.neg(c, Round.add(c, u, v)), Round.add(c, u, Round.add(c, v, w)))

    @staticmethod
    def geodesic(c, x, y, t):
        return Round.expmap(c, x, t * Round.logmap(c, x, y))

    @staticmethod
    def retract(c, x, v):
        n = Round.S.unit(x)
        return Round.project(c, n + sqrt(c) * Round.S.tang(n, v))

    @staticmethod
    def egrad2rgrad(c, x, g):
        return Round.S.tang(Round.S.unit(x), g)

    @staticmethod
    def inner(c, x, u, v):
        n = Round.S.unit(x)
        return dot(Round.S.tang(n, u), Round.S.tang(n, v))

    @staticmethod
    def norm(c, x, v):
        return sqrt(Round.inner(c, x, v, v))

    @staticmethod
    def plane_dist(c, x, p, a):
        t = Round.S.tang(Round.S.unit(p), a)
        s = dot(Round.S.unit(x), t) * recip(sqrt(dot(t, t)))
        return recip(sqrt(c)) * unary(s, mpmath.asin, lambda z: 1 / mpmath.sqrt(1 - z * z))

    @staticmethod
    def wrapped_normal(c, m, z):
        return Round.expmap(c, m, Round.transport0(c, m, z))

    @staticmethod
    def midpoint_lift(c, x):
        return Round.S.unit(x)

    @staticmethod
    def midpoint_drop(c, s, w):
        return Round.project(c, s)


class Flat:
    sqdist = base.Euclidean.sqdist
    dist = base.Euclidean.dist
    neg = staticmethod(lambda c, x: -x)
    scalar_mul = staticmethod(lambda c, r, x: r * x)
    gyration = staticmethod(lambda c, u, v, w: 1 * w)
    expmap0 = staticmethod(lambda c, v: 1 * v)
    logmap0 = staticmethod(lambda c, x: 1 * x)
    geodesic = staticmethod(lambda c, x, y, t: (1 - t) * x + t * y)
    retract = staticmethod(lambda c, x, v: x + v)
    egrad2rgrad = staticmethod(lambda c, x, g: 1 * g)
    transport0 = staticmethod(lambda c, y, v: 1 * v)
    transport = staticmethod(lambda c, x, y, v: 1 * v)
    wrapped_normal = staticmethod(lambda c, m, z: m + z)
    midpoint_drop = staticmethod(lambda c, s, w: recip(w) * s)
    dist0 = staticmethod(lambda c, x: sqrt(dot(x, x)))
    inner = staticmethod(lambda c, x, u, v: dot(u, v))
    norm = staticmethod(lambda c, x, v: sqrt(dot(v, v)))
    plane_dist = staticmethod(lambda c, x, p, a: dot(x - p, a) / sqrt(dot(a, a)))


MODELS = {"poincare": Ball, "stereographic": Ball, "lorentz": Sheet, "sphere": Round, "euclidean": Flat}
