#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_refvec.py -- high-precision reference vectors for geometric ops and their VJPs.

Writes JSON lines.  Every number is computed with mpmath at WORK_DPS digits (100; far above
the 60 needed) and rounded ONCE, to nearest-even, to IEEE double.  Derivatives are exact:
reverse-mode differentiation runs in mpmath through formulae written so that they are analytic
where the function is (zero vectors, x == y, c -> 0 need no epsilon).  `--selfcheck N` compares
N random lines with central differences (h = 1e-30).

USAGE
    python make_refvec.py --set public  --seed 1 --scale 1.0 --out refvec.jsonl
    python make_refvec.py --selfcheck 60
The seed enters every draw: another seed gives the same layout (op x region) with no sample in common.

SCHEMA (one JSON object a line)
    id        "<set>-<number>"
    op        operation, see OPS below
    manifold  "euclidean" | "poincare" | "lorentz" | "sphere"
    c         curvature magnitude, exactly a float32: sectional curvature is -c (poincare, lorentz),
              +c (sphere, c = 1 always), 0 (euclidean, c = 0).  NOTE geoopt: k = -c for the ball
              and k = 1/c for its Lorentz class.
    dim       intrinsic coordinates a vector (length of the arrays); the sphere S^(dim-1) in R^dim
    region    tag of the numeric region, see REGIONS
    in        {name: scalar | [floats] | [[floats]]}: inputs.  Every value is EXACTLY a float32:
              parse as double, then cast to float32 without error.
    ints      {name: int} integer inputs (target class), when there are any
    out       scalar | [floats]: the outputs (double)
    ct        scalar | [floats]: the cotangent used (exactly float32, same shape as out)
    vjp       {name: ...}: d<ct,out>/d(input) for EVERY entry of `in`, and for "c" where c > 0
    cond      condition number along the cotangent: max over inputs z of
              sum|z_i dz_i| / (|ct| |out|), dz = vjp.  A kernel whose inputs are exact can beat
              cond * 2^-24; one that first rounds x or 1-c|x|^2 can not.  For setting tolerances.

CONVENTIONS
    poincare   x in R^dim, c|x|^2 < 1; lambda_x = 2/(1-c|x|^2).
    lorentz    SPACE coordinates only, as in facebookresearch/meru: x stands for the point
               (sqrt(1/c+|x|^2), x) with <X,X> = -1/c; a tangent vector u at x stands for
               (<x,u>/x_0, u); u at the origin for (0, u).  Outputs give the space part, too.
               An implementation in dim+1 ambient coordinates composes with these lifts; the
               pulled-back gradient does not depend on how it extends functions off the sheet.
    sphere     raw vectors of R^dim; points are normalised first (x/|x|) and tangent inputs are
               projected to the tangent space at x/|x|; vjp goes through both.
    kinks      dist at x == y has the zero (sub)gradient; everything else listed is smooth.
               project: points of norm <= max are the identity branch, as drawn none sits on the edge.
    tau        logits are -d(h, e_w)^2 / tau.

OPS (inputs)
    mobius_add(x,y)  gyration(u,v,w)  mobius_scalar_mul(r,x)  mobius_neg(x)
    expmap0(u)  logmap0(y)  expmap(x,u)  logmap(x,y)  dist(x,y)  sqdist(x,y)  dist0(x)
    conformal_factor(x)  project(x, frac)   [ball: clips the norm to frac/sqrt(c); frac is a plain
    input without a vjp.  sphere: x/|x|.  lorentz: the time coordinate sqrt(1/c+|x|^2)]
    parallel_transport0(y,v)  [origin -> y]   parallel_transport(x,y,v)  [x -> y]
    rilm_update(h,t,s) = h (+) exp0(s t)
    distance_softmax(h,E,tau) -> log-probabilities   nll(h,E,tau; target) -> scalar

REGIONS
    generic      c-scaled norms 0.1..0.8          zero       one or both vectors exactly 0
    tiny         norms about 1e-8                 equal      x == y bit for bit
    near_1e-3/1e-5/1e-7  |x-y| about that         bd_5e-3, bd_1e-3, bd_1e-5  sqrt(c)|x| = 1 - that
                 (bd_5e-3 lies inside the float32 projection radius of geoopt, hgcn and hypll, 1-4e-3)
    bd_ulp       the float32 point nearest the boundary that is still inside (1-c|x|^2 ~ 1e-7)
    antipodal    y ~ -x, both far out (ball/lorentz) or nearly opposite (sphere)
    big          large tangent vectors or far-out points (norm 6..12 in the lorentz sheet)
    small_c      c = 1e-6: the flat limit         tau_small/tau_large   tau = 0.01 / 100
    clip / inside   project: beyond / within the limit
"""
import argparse, json, random, struct, sys
from mpmath import mp, mpf
import mpmath

WORK_DPS = 100
mp.dps = WORK_DPS
U32 = mpf(2) ** -24


def f32(v):
    """Round to float32, return the double that holds it exactly."""
    return struct.unpack("f", struct.pack("f", float(v)))[0]


# ------------------------------------------------------------------ reverse-mode AD over mpf
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


# ------------------------------------------------------------------ geometry
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


# ------------------------------------------------------------------ evaluate one case
def wrap(v):
    if isinstance(v, list):
        return [wrap(r) for r in v] if isinstance(v[0], list) else T([mpf(p) for p in v])
    return T(mpf(v))


def call(manifold, op, c, inp, ints):
    """Forward pass; returns (tape, leaves, output node)."""
    T.tape = []
    leaves = {k: wrap(inp[k]) for k in ARGS[op] if k in inp}
    leaves["c"] = T(mpf(c))
    fn = getattr(MANIFOLDS[manifold], op)
    out = fn(leaves["c"], *[leaves[k] for k in ARGS[op] if k in leaves], **ints)
    tape, T.tape = T.tape, None
    return tape, leaves, out


def vjp(manifold, op, c, inp, ints, ct):
    tape, leaves, out = call(manifold, op, c, inp, ints)
    out.acc([mpf(q) for q in ct] if out.vec else mpf(ct))
    for n in reversed(tape):
        if n.back is not None and (any(n.g) if n.vec else n.g != 0):
            n.back(n.g)
    grads = {k: ([r.g for r in v] if isinstance(v, list) else v.g) for k, v in leaves.items()}
    return out.v, grads


def norm(v):
    return mpmath.sqrt(mpmath.fsum(q * q for q in v)) if isinstance(v, list) else abs(v)


# ------------------------------------------------------------------ drawing inputs
class Draw:
    def __init__(self, rng):
        self.r = rng

    def unit(self, d):
        while True:
            v = [self.r.gauss(0, 1) for _ in range(d)]
            n = sum(q * q for q in v) ** 0.5
            if n > 1e-3:
                return [q / n for q in v]

    def vec(self, d, n):
        return [f32(n * q) for q in self.unit(d)]

    def near(self, x, sep):
        """A float32 vector at about `sep` from x (never equal to x)."""
        for k in range(40):
            y = [f32(a + sep * b * 2 ** (k / 4)) for a, b in zip(x, self.unit(len(x)))]
            if y != x:
                return y
        raise RuntimeError

    def inside(self, d, c, gap):
        """Ball point with sqrt(c)|x| = 1-gap; gap 0 means the last float32 shell inside."""
        u, rad = self.unit(d), 1 / float(c) ** 0.5
        n = rad * (1 - gap)
        while True:
            x = [f32(n * q) for q in u]
            if mpf(c) * mpmath.fdot(map(mpf, x), map(mpf, x)) < 1:
                return x
            n *= 1 - 2.0 ** -26

    def ball(self, d, c):
        return self.vec(d, self.r.uniform(0.1, 0.8) / float(c) ** 0.5)


def points(D, man, region, d, c):
    """Two points for the region."""
    rad = 1 / float(c) ** 0.5 if c else 1.0
    if man == "poincare":
        base = {"bd_5e-3": 5e-3, "bd_1e-3": 1e-3, "bd_1e-5": 1e-5, "bd_ulp": 0.0}
        if region in base:
            return D.inside(d, c, base[region]), D.inside(d, c, base[region])
        if region == "antipodal":
            x = D.inside(d, c, 10 ** D.r.uniform(-4, -1))
            y = D.near([-q for q in x], 1e-3 * rad)
            return x, [f32(q * 0.998) for q in y]
    if man == "lorentz":
        if region in ("big", "antipodal"):
            import math
            m = lambda: rad * math.sinh(D.r.uniform(6, 12))
            x = D.vec(d, m())
            return (x, D.vec(d, m())) if region == "big" else (x, [f32(-q * 1.001) for q in x])
    if man == "sphere":
        x = D.vec(d, 1.0)
        if region == "antipodal":
            return x, D.near([-q for q in x], 1e-3)
        if region.startswith("near"):
            return x, D.near(x, float(region[5:]))
        if region == "equal":
            return x, list(x)
        return x, D.vec(d, 1.0)
    x = D.ball(d, c or 1.0)
    if region == "zero":
        z = [0.0] * d
        return [(z, x), (x, z), (z, list(z))][D.r.randrange(3)]
    if region == "tiny":
        return D.vec(d, 1e-8 * rad), D.vec(d, 1e-8 * rad)
    if region == "equal":
        return x, list(x)
    if region.startswith("near"):
        return x, D.near(x, float(region[5:]) * rad)
    return x, D.ball(d, c or 1.0)


def make_case(D, man, op, region, d, c):
    """Inputs (all float32) and integer inputs for one line."""
    rad = 1 / float(c) ** 0.5 if c else 1.0
    x, y = points(D, man, region, d, c)
    tangent = {"zero": 0.0, "tiny": 1e-8, "big": D.r.uniform(4, 12)}.get(region, D.r.uniform(0.2, 1.5))
    if man == "sphere" and region == "big":
        tangent = D.r.uniform(2.0, 3.1)
    u = D.vec(d, tangent * rad) if tangent else [0.0] * d
    if op == "gyration":
        return {"u": x, "v": y, "w": D.vec(d, rad * D.r.uniform(0.1, 0.9))}, {}
    if op == "mobius_scalar_mul":
        return {"r": f32(D.r.choice([0.5, -1.5, 3.0, D.r.uniform(-2, 2)])), "x": x}, {}
    if op == "expmap0":
        return {"u": u}, {}
    if op == "expmap":
        if man == "poincare" and region.startswith("bd"):     # keep the image off saturation
            lam2 = float(1 / (1 - mpf(c) * mpmath.fdot(map(mpf, x), map(mpf, x))))
            u = D.vec(d, tangent * rad / lam2)
        return {"x": x, "u": u}, {}
    if op in ("parallel_transport0", "parallel_transport"):
        v = D.vec(d, D.r.uniform(0.2, 2.0)) if region != "tiny" else D.vec(d, 1e-8)
        return ({"y": y, "v": v} if op.endswith("0") else {"x": x, "y": y, "v": v}), {}
    if op == "rilm_update":
        return {"h": x, "t": u, "s": f32(D.r.uniform(0.05, 1.0))}, {}
    if op == "project":
        if man == "poincare":
            n = D.r.uniform(1.01, 4) if region == "clip" else D.r.uniform(0.2, 0.99)
            return {"x": D.vec(d, n * rad), "frac": f32(0.999)}, {}
        if man == "sphere":
            return {"x": D.vec(d, D.r.choice([1e-8, 0.3, 5.0, 1e4]))}, {}
        return {"x": x}, {}
    if op in ("distance_softmax", "nll"):
        n = {2: 12, 3: 17, 16: 8, 128: 4}[d]
        E = [points(D, man, region, d, c)[1] for _ in range(n)]
        if region == "equal":
            E[D.r.randrange(n)] = list(x)
        if region.startswith("near"):
            E = [D.near(x, float(region[5:]) * rad * 2 ** D.r.uniform(0, 3)) for _ in range(n)]
        tau = {"tau_small": 0.01, "tau_large": 100.0}.get(region, D.r.uniform(0.3, 2))
        ints = {"target": D.r.randrange(n)} if op == "nll" else {}
        return {"h": x, "E": E, "tau": f32(tau)}, ints
    both = {"x": x, "y": y}
    return {k: both[k] for k in ARGS[op]}, {}


# ------------------------------------------------------------------ the plan: op -> regions
NEAR = ["near_1e-3", "near_1e-5", "near_1e-7"]
BD = ["bd_5e-3", "bd_1e-3", "bd_1e-5", "bd_ulp"]
PLAN = {
    "poincare": {
        "mobius_add": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD,
        "mobius_neg": ["generic"],
        "gyration": ["generic", "zero", "tiny", "antipodal", "bd_1e-3", "bd_1e-5"],
        "mobius_scalar_mul": ["generic", "zero", "tiny", "small_c"] + BD,
        "expmap0": ["generic", "zero", "tiny", "big", "small_c"],
        "logmap0": ["generic", "zero", "tiny", "small_c"] + BD,
        "expmap": ["generic", "zero", "tiny", "big", "small_c"] + BD,
        "logmap": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD,
        "dist": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD,
        "sqdist": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD,
        "dist0": ["generic", "zero", "tiny"] + BD,
        "conformal_factor": ["generic", "zero"] + BD,
        "project": ["clip", "inside"],
        "parallel_transport0": ["generic", "zero", "tiny"] + BD,
        "parallel_transport": ["generic", "zero", "equal", "near_1e-5", "antipodal", "bd_1e-3", "bd_1e-5"],
        "rilm_update": ["generic", "zero", "tiny", "big", "small_c"] + BD,
        "distance_softmax": ["generic", "zero", "equal", "near_1e-3", "near_1e-5", "antipodal",
                             "bd_5e-3", "bd_1e-3", "bd_1e-5", "tau_small", "tau_large", "small_c"],
        "nll": ["generic", "equal", "near_1e-3", "bd_5e-3", "tau_small", "tau_large"],
    },
    "lorentz": {
        "project": ["generic", "zero", "big"],
        "expmap0": ["generic", "zero", "tiny", "big"],
        "logmap0": ["generic", "zero", "tiny", "big"],
        "expmap": ["generic", "zero", "tiny", "big"],
        "logmap": ["generic", "zero", "tiny", "equal", "big", "antipodal"] + NEAR,
        "dist": ["generic", "zero", "tiny", "equal", "big", "antipodal", "small_c"] + NEAR,
        "sqdist": ["generic", "zero", "tiny", "equal", "big", "antipodal", "small_c"] + NEAR,
        "dist0": ["generic", "zero", "tiny", "big"],
        "parallel_transport0": ["generic", "zero", "tiny", "big"],
        "parallel_transport": ["generic", "equal", "near_1e-5", "big"],
        "distance_softmax": ["generic", "equal", "near_1e-3", "near_1e-5", "big", "tau_small", "tau_large"],
        "nll": ["generic", "near_1e-3", "tau_small"],
    },
    "sphere": {
        "project": ["generic"],
        "expmap": ["generic", "zero", "tiny", "big"],
        "logmap": ["generic", "equal", "antipodal"] + NEAR,
        "dist": ["generic", "equal", "antipodal"] + NEAR,
        "sqdist": ["generic", "equal", "antipodal"] + NEAR,
        "parallel_transport": ["generic", "equal", "near_1e-5", "antipodal"],
        "distance_softmax": ["generic", "equal", "near_1e-3", "tau_small", "tau_large"],
        "nll": ["generic", "tau_small"],
    },
    "euclidean": {
        "mobius_add": ["generic"], "expmap": ["generic"], "logmap": ["generic", "near_1e-5"],
        "dist": ["generic", "equal", "near_1e-5", "tiny"], "sqdist": ["generic", "near_1e-5"],
        "distance_softmax": ["generic", "near_1e-3", "tau_small", "tau_large"], "nll": ["generic"],
    },
}
COUNT = {"poincare": 3.0, "lorentz": 2.4, "sphere": 2.2, "euclidean": 1.5}
DIMS, WEIGHT = [2, 3, 16, 128], [0.36, 0.25, 0.27, 0.12]
CURV = [f32(0.1), 1.0, 2.5]


def build(setname, seed, scale):
    rng = random.Random("%s/%d" % (setname, seed))
    D, rows = Draw(rng), []
    for man, ops in PLAN.items():
        for op, regions in ops.items():
            for region in regions:
                n = COUNT[man] * scale
                n = max(1, int(n) + (rng.random() < n - int(n)))
                for _ in range(n):
                    d = rng.choices(DIMS, WEIGHT)[0]
                    c = {"sphere": 1.0, "euclidean": 0.0}.get(man, rng.choice(CURV))
                    if region == "small_c":
                        c = f32(1e-6)
                    inp, ints = make_case(D, man, op, region, d, c)
                    _, _, out = call(man, op, c, inp, ints)
                    ct = [f32(rng.gauss(0, 1)) for _ in out.v] if out.vec else f32(rng.uniform(0.5, 1.5))
                    rows.append(dict(op=op, manifold=man, c=c, dim=d, region=region,
                                     ints=ints, ct=ct, **{"in": inp}))
    for i, r in enumerate(rows):
        r["id"] = "%s-%04d" % (setname, i)
    return rows


def fl(v):
    """Round to double; what is below 1e-60 here is an exact 0 plus rounding of the tape."""
    if isinstance(v, list):
        return [fl(q) for q in v]
    return 0.0 if abs(v) < mpf(10) ** -60 else float(v)


def finish(r):
    out, g = vjp(r["manifold"], r["op"], r["c"], r["in"], r["ints"], r["ct"])
    keep = [k for k in ARGS[r["op"]] if k in r["in"] and k != "frac"]
    if r["c"] and r["manifold"] != "sphere":
        keep.append("c")
    flat = lambda v: [q for p in v for q in flat(p)] if isinstance(v, list) else [v]
    s = max((mpmath.fsum(abs(a * mpf(b)) for a, b in zip(flat(g[k]), flat(r["in"].get(k, r["c"]))))
             for k in keep), default=mpf(0))
    den = norm([mpf(q) for q in flat(r["ct"])]) * norm(out)
    rec = {k: r[k] for k in ("id", "op", "manifold", "c", "dim", "region")}
    rec["in"] = r["in"]
    if r["ints"]:
        rec["ints"] = r["ints"]
    rec.update(out=fl(out), ct=r["ct"], vjp={k: fl(g[k]) for k in keep},
               cond=float("%.3g" % float(s / den)) if den else 0.0)
    return rec


def selfcheck(n):
    """Central differences against the tape, on a random direction of every input."""
    rng, worst = random.Random(7), mpf(0)
    rows = [r for r in build("public", 1, 1.0) if r["region"] != "equal" or r["op"] != "dist"]
    h = mpf(10) ** -30
    for r in rng.sample(rows, n):
        a = (r["manifold"], r["op"])
        _, g = vjp(*a, r["c"], r["in"], r["ints"], r["ct"])
        for k in list(r["in"]) + (["c"] if r["c"] and r["manifold"] != "sphere" else []):
            if k == "frac":
                continue
            flat = lambda v: [q for p in v for q in flat(p)] if isinstance(v, list) else [v]
            base = mpf(r["c"]) if k == "c" else r["in"][k]
            dirn = [mpf(rng.uniform(-1, 1)) for _ in flat(base)]

            def at(s):
                it = iter(dirn)
                mv = lambda v: [mv(q) for q in v] if isinstance(v, list) else mpf(v) + s * next(it)
                moved = mv(base)
                inp = dict(r["in"]) if k == "c" else {**r["in"], k: moved}
                _, _, o = call(*a, moved if k == "c" else r["c"], inp, r["ints"])
                return mpmath.fdot(o.v, map(mpf, r["ct"])) if o.vec else o.v * r["ct"]
            with mp.workdps(WORK_DPS):
                fd = (at(h) - at(-h)) / (2 * h)
            ad = mpmath.fdot(flat(g[k]), dirn)
            scale = mpmath.fsum(abs(p * q) for p, q in zip(flat(g[k]), dirn))
            scale = scale if scale > mpf(10) ** -40 else mpf(1)      # exact zeros
            e = abs(fd - ad) / scale
            if e > mpf(10) ** -20:
                print("MISMATCH", r["id"], a, r["region"], k, mpmath.nstr(e, 5))
            worst = max(worst, e)
    print("selfcheck: %d lines, worst relative difference %s" % (n, mpmath.nstr(worst, 3)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--set", default="public")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--scale", type=float, default=1.0, help="cases a region, 1.0 = about 690 lines")
    p.add_argument("--out")
    p.add_argument("--selfcheck", type=int, metavar="N")
    a = p.parse_args()
    if a.selfcheck:
        return selfcheck(a.selfcheck)
    rows = build(a.set, a.seed, a.scale)
    with open(a.out, "w") if a.out else sys.stdout as f:
        for r in rows:
            f.write(json.dumps(finish(r), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
