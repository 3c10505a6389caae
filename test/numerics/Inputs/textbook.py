# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of make_refvec.py by their textbook forms."""
import mpmath

from tape import (T, artanhc, asinc, asinhc, coshq, cosq, dot, exp, log, recip, sinc, sinhc, sqrt, stack, tanhc)


class Poincare:
    @staticmethod
    def mobius_add(c, x, y):
        xy, x2, y2 = dot(x, y), dot(x, x), dot(y, y)
        den = 1 + 2 * c * xy + c * c * x2 * y2
        return ((1 + 2 * c * xy + c * y2) / den) * x + ((1 - c * x2) / den) * y

    @staticmethod
    def mobius_neg(c, x):
        return -x

    @staticmethod
    def gyration(c, u, v, w):
        u2, v2, uv, uw, vw = dot(u, u), dot(v, v), dot(u, v), dot(u, w), dot(v, w)
        a = -(c * c * uw * v2) + c * vw + 2 * c * c * uv * vw
        b = -(c * c * vw * u2) - c * uw
        d = 1 + 2 * c * uv + c * c * u2 * v2
        return w + (2 * a / d) * u + (2 * b / d) * v

    @staticmethod
    def mobius_scalar_mul(c, r, x):
        z = c * dot(x, x)
        a = artanhc(z) * r
        return (tanhc(a * a * z) * a) * x

    @staticmethod
    def expmap0(c, u):
        return tanhc(c * dot(u, u)) * u

    @staticmethod
    def logmap0(c, y):
        return artanhc(c * dot(y, y)) * y

    @staticmethod
    def conformal_factor(c, x):
        return 2 / (1 - c * dot(x, x))

    @staticmethod
    def expmap(c, x, u):
        h = recip(1 - c * dot(x, x))            # lambda/2
        return Poincare.mobius_add(c, x, (tanhc(c * h * h * dot(u, u)) * h) * u)

    @staticmethod
    def logmap(c, x, y):
        w = Poincare.mobius_add(c, -x, y)
        return ((1 - c * dot(x, x)) * artanhc(c * dot(w, w))) * w

    @staticmethod
    def sqdist(c, x, y):
        d = x - y                                # d^2 = (4/c) asinh(sqrt s)^2
        s1 = dot(d, d) / ((1 - c * dot(x, x)) * (1 - c * dot(y, y)))
        a = asinhc(c * s1)
        return 4 * s1 * a * a

    @staticmethod
    def dist0(c, x):
        x2 = dot(x, x)
        return 2 * artanhc(c * x2) * sqrt(x2)

    @staticmethod
    def project(c, x, frac):
        n2 = dot(x, x)
        m = frac.v / mpmath.sqrt(c.v)
        if mpmath.sqrt(n2.v) <= m:
            return T(list(x.v), lambda g: x.acc(g))
        return (frac / sqrt(c * n2)) * x

    @staticmethod
    def parallel_transport0(c, y, v):
        return (1 - c * dot(y, y)) * v

    @staticmethod
    def parallel_transport(c, x, y, v):
        return ((1 - c * dot(y, y)) / (1 - c * dot(x, x))) * Poincare.gyration(c, y, -x, v)

    @staticmethod
    def rilm_update(c, h, t, s):
        return Poincare.mobius_add(c, h, Poincare.expmap0(c, s * t))


class Lorentz:
    """Space coordinates in, space coordinates out."""
    time = staticmethod(lambda c, x: sqrt(recip(c) + dot(x, x)))

    @staticmethod
    def project(c, x, frac=None):
        return Lorentz.time(c, x)

    @staticmethod
    def expmap0(c, u):
        return sinhc(c * dot(u, u)) * u

    @staticmethod
    def logmap0(c, y):
        return asinhc(c * dot(y, y)) * y

    @staticmethod
    def _s(c, x, y):
        """sinh(d sqrt(c)/2)^2 / c = <X-Y,X-Y>/4."""
        d, d0 = x - y, Lorentz.time(c, x) - Lorentz.time(c, y)
        return (dot(d, d) - d0 * d0) / 4

    @staticmethod
    def sqdist(c, x, y):
        s1 = Lorentz._s(c, x, y)
        a = asinhc(c * s1)
        return 4 * s1 * a * a

    @staticmethod
    def dist0(c, x):
        x2 = dot(x, x)
        return asinhc(c * x2) * sqrt(x2)

    @staticmethod
    def expmap(c, x, u):
        u0 = dot(x, u) / Lorentz.time(c, x)
        z = c * (dot(u, u) - u0 * u0)
        return coshq(z) * x + sinhc(z) * u

    @staticmethod
    def logmap(c, x, y):
        s = c * Lorentz._s(c, x, y)
        return (asinhc(s) / sqrt(1 + s)) * (y - (1 + 2 * s) * x)

    @staticmethod
    def parallel_transport(c, x, y, v):
        x0, y0 = Lorentz.time(c, x), Lorentz.time(c, y)
        v0 = dot(x, v) / x0
        return v + ((dot(y, v) - y0 * v0) / (recip(c) - (dot(x, y) - x0 * y0))) * (x + y)

    @staticmethod
    def parallel_transport0(c, y, v):
        r = recip(sqrt(c))
        return v + (dot(y, v) / (recip(c) + r * Lorentz.time(c, y))) * y


class Sphere:
    unit = staticmethod(lambda x: recip(sqrt(dot(x, x))) * x)
    tang = staticmethod(lambda n, u: u - dot(n, u) * n)

    @staticmethod
    def project(c, x, frac=None):
        return Sphere.unit(x)

    @staticmethod
    def sqdist(c, x, y):
        d = Sphere.unit(x) - Sphere.unit(y)
        z = dot(d, d) / 4
        a = asinc(z)
        return 4 * z * a * a

    @staticmethod
    def expmap(c, x, u):
        n = Sphere.unit(x)
        t = Sphere.tang(n, u)
        z = dot(t, t)
        return cosq(z) * n + sinc(z) * t

    @staticmethod
    def logmap(c, x, y):
        n, m = Sphere.unit(x), Sphere.unit(y)
        d = n - m
        z = dot(d, d) / 4                        # sin(theta/2)^2
        return (asinc(z) / sqrt(1 - z)) * (m - (1 - 2 * z) * n)

    @staticmethod
    def parallel_transport(c, x, y, v):
        n, m = Sphere.unit(x), Sphere.unit(y)
        t = Sphere.tang(n, v)
        return t - (dot(m, t) / (1 + dot(n, m))) * (n + m)


class Euclidean:
    mobius_add = staticmethod(lambda c, x, y: x + y)
    expmap = staticmethod(lambda c, x, u: x + u)
    logmap = staticmethod(lambda c, x, y: y - x)

    @staticmethod
    def sqdist(c, x, y):
        d = x - y
        return dot(d, d)


def _dist(M):
    return lambda c, x, y: sqrt(M.sqdist(c, x, y))


def _logprobs(M):
    def f(c, h, E, tau):
        lg = [-(M.sqdist(c, h, e) / tau) for e in E]
        top = max(l.v for l in lg)
        tot = exp(lg[0] - top)
        for l in lg[1:]:
            tot = tot + exp(l - top)
        lse = log(tot) + top
        return [l - lse for l in lg]
    return f


for _M in (Poincare, Lorentz, Sphere, Euclidean):
    _M.dist = staticmethod(_dist(_M))
    _M.distance_softmax = staticmethod(lambda c, h, E, tau, _f=_logprobs(_M): stack(_f(c, h, E, tau)))
    _M.nll = staticmethod(lambda c, h, E, tau, target, _f=_logprobs(_M): -_f(c, h, E, tau)[target])

MANIFOLDS = {"poincare": Poincare, "lorentz": Lorentz, "sphere": Sphere, "euclidean": Euclidean}
ARGS = {"mobius_add": "x y", "mobius_neg": "x", "gyration": "u v w", "mobius_scalar_mul": "r x",
        "expmap0": "u", "logmap0": "y", "expmap": "x u", "logmap": "x y", "dist": "x y",
        "sqdist": "x y", "dist0": "x", "conformal_factor": "x", "project": "x frac",
        "parallel_transport0": "y v", "parallel_transport": "x y v", "rilm_update": "h t s",
        "distance_softmax": "h E tau", "nll": "h E tau"}
ARGS = {k: v.split() for k, v in ARGS.items()}
