#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_extra_refvec.py -- reference vectors of the formulas that make_refvec.py has not.

    python make_extra_refvec.py --seed 1 --out extra.jsonl

Same schema and digits (see make_refvec.py), with the formulas' own names for ops and inputs, also on
"stereographic" (c of either sign and 0) and on the sphere of radius 1/sqrt(c). The definitions are not the
pages': textbook forms in 100 digits (Moebius addition by its fraction, exp and log by it), and for the
hyperboloid the isometry with the ball, for the sphere the composition of exp, log and transport.
"""
import argparse
import json
import math
import random

import mpmath
from mpmath import mpf

import make_refvec as base
from make_refvec import (T, Draw, Lorentz, Poincare, dot, f32, fl, norm, recip, sqrt, unary, wrap)

DIGITS = 2 * base.WORK_DPS


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
ARGS = {"add": "x y", "neg": "x", "scalar_mul": "r x", "gyration": "u v w", "expmap0": "v", "logmap0": "x",
        "expmap": "x v", "logmap": "x y", "geodesic": "x y t", "retract": "x v", "egrad2rgrad": "x g",
        "project": "x", "transport0": "y v", "transport": "x y v", "wrapped_normal": "m z",
        "midpoint_lift": "x", "midpoint_weight": "x", "midpoint_drop": "s w", "sqdist": "x y", "dist": "x y",
        "dist0": "x", "conformal_factor": "x", "inner": "x u v", "norm": "x v", "plane_dist": "x p a",
        "lift_time": "x", "to_lorentz": "x", "to_poincare": "x"}

NEAR = ["near_1e-3", "near_1e-5", "near_1e-7"]
BD = ["bd_5e-3", "bd_1e-3", "bd_1e-5"]
FAR = ["big", "antipodal"]
PLAN = {
    "poincare": {
        "geodesic": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD + ["bd_ulp"],
        "retract": ["generic", "zero", "tiny", "big", "small_c"] + BD,
        "egrad2rgrad": ["generic", "zero"] + BD, "inner": ["generic", "zero"] + BD, "norm": ["generic", "zero"] + BD,
        "plane_dist": ["generic", "zero", "tiny", "equal", "antipodal", "small_c"] + NEAR + BD,
        "wrapped_normal": ["generic", "zero", "tiny", "big", "small_c"] + BD,
        "midpoint_lift": ["generic", "zero"] + BD, "midpoint_weight": ["generic", "zero"] + BD,
        "midpoint_drop": ["generic", "zero", "tiny", "small_c"] + BD, "to_lorentz": ["generic", "zero"] + BD},
    "lorentz": {
        "add": ["generic", "zero", "tiny", "equal", "small_c"] + NEAR + FAR, "neg": ["generic"],
        "scalar_mul": ["generic", "zero", "tiny", "big", "small_c"],
        "gyration": ["generic", "zero", "tiny", "big", "antipodal"],
        "geodesic": ["generic", "zero", "tiny", "equal", "small_c"] + NEAR + FAR,
        "retract": ["generic"], "egrad2rgrad": ["generic", "zero", "big"], "inner": ["generic", "zero"],
        "norm": ["generic", "zero"], "plane_dist": ["generic", "zero", "tiny", "small_c", "big"] + NEAR,
        "wrapped_normal": ["generic", "zero", "tiny", "big", "small_c"],
        "midpoint_weight": ["generic", "zero", "big"], "midpoint_drop": ["generic", "zero", "small_c"],
        "lift_time": ["small_c"], "to_poincare": ["generic", "zero", "tiny", "big", "small_c"]},
    "sphere": {
        "project": ["generic"], "expmap": ["generic", "zero", "tiny", "big"],
        "logmap": ["generic", "equal", "antipodal"] + NEAR, "sqdist": ["generic", "equal", "antipodal"] + NEAR,
        "dist": ["generic", "equal", "antipodal"] + NEAR,
        "transport": ["generic", "equal", "near_1e-5", "antipodal"], "add": ["generic"], "neg": ["generic"],
        "scalar_mul": ["generic"], "gyration": ["generic"], "expmap0": ["generic", "zero", "tiny", "big"],
        "logmap0": ["generic"], "transport0": ["generic"], "dist0": ["generic"],
        "geodesic": ["generic", "equal", "antipodal"] + NEAR, "retract": ["generic", "zero"],
        "egrad2rgrad": ["generic"], "inner": ["generic"], "norm": ["generic"],
        "plane_dist": ["generic"] + NEAR, "wrapped_normal": ["generic", "zero", "tiny"],
        "midpoint_lift": ["generic"], "midpoint_drop": ["generic", "tiny"]},
    "euclidean": {op: ["generic"] for op in ("neg scalar_mul gyration expmap0 logmap0 geodesic retract egrad2rgrad "
                                             "transport0 transport wrapped_normal midpoint_drop dist0 inner norm "
                                             "plane_dist").split()},
    "stereographic": {
        "add": ["generic", "zero", "tiny", "equal"] + NEAR, "neg": ["generic"],
        "scalar_mul": ["generic", "zero", "tiny"], "gyration": ["generic", "zero"],
        "expmap0": ["generic", "zero", "tiny"], "logmap0": ["generic", "zero", "tiny", "wide"],
        "expmap": ["generic", "zero", "tiny"], "logmap": ["generic", "zero", "equal", "opposite"] + NEAR,
        "sqdist": ["generic", "zero", "equal", "opposite", "wide"] + NEAR, "dist": ["generic", "opposite"] + NEAR,
        "dist0": ["generic", "wide"], "conformal_factor": ["generic"], "transport": ["generic", "equal"],
        "transport0": ["generic"], "geodesic": ["generic", "equal"] + NEAR, "retract": ["generic"],
        "egrad2rgrad": ["generic"], "inner": ["generic"], "norm": ["generic"],
        "plane_dist": ["generic"] + NEAR, "wrapped_normal": ["generic"], "midpoint_lift": ["generic"],
        "midpoint_weight": ["generic", "wide"], "midpoint_drop": ["generic", "opposite"]}}
CURVATURES = {"poincare": [f32(0.1), 1.0, 2.5], "lorentz": [f32(0.1), 1.0, 2.5], "sphere": [f32(0.1), 1.0, 2.5],
              "euclidean": [0.0], "stereographic": [-1.0, f32(-0.1), -2.5, f32(-1e-6), 0.0, f32(1e-6), 1.0]}


def make_inputs(D, man, op, region, d, c):
    """Inputs, all float32."""
    rad = 1 / math.sqrt(abs(c)) if c else 1.0
    if man == "stereographic":
        x, y = base.points(D, "poincare", region, d, abs(c))
        if region == "wide":          # beyond the equator of the sphere
            x = D.vec(d, rad * D.r.uniform(1, 4)) if c < 0 else x
        if region == "opposite" and c < 0:
            n = sum(q * q for q in x)  # near the antipode -x / (|c| |x|^2)
            y = D.near([f32(q / (c * n)) for q in x], 1e-3 * rad)
    else:
        x, y = base.points(D, man, region, d, c)
    size = {"zero": 0.0, "tiny": 1e-8, "big": D.r.uniform(4, 12)}.get(region, D.r.uniform(0.2, 1.2))
    if man == "sphere" and region == "big":
        size = D.r.uniform(2.0, 3.1)
    if man == "poincare" and region.startswith("bd") and op in ("expmap", "retract"):
        size *= float(1 - mpf(c) * mpmath.fdot(map(mpf, x), map(mpf, x)))
    u = D.vec(d, size * rad) if size else [0.0] * d
    if op == "retract" and region == "big":
        u = D.vec(d, D.r.uniform(0.5, 1.5) * rad)
    other = D.vec(d, D.r.uniform(0.2, 2.0))
    if region == "opposite" and op == "midpoint_drop":
        s, w = D.vec(d, 0.5 * rad), f32(-0.7)
    elif op == "midpoint_drop" and man in ("poincare", "stereographic"):
        w = f32(D.r.uniform(0.5, 3))
        s = [f32(q * w * 0.999) for q in x]
    elif op == "midpoint_drop" and man == "lorentz":
        w = f32(math.sqrt(1 + c * sum(q * q for q in x)) * D.r.uniform(1.001, 2))
        s = x
    elif op == "midpoint_drop":
        w, s = f32(D.r.uniform(0.5, 3)), D.vec(d, 1e-5 if region == "tiny" else 1.7)
    else:
        w, s = D.vec(d, rad * D.r.uniform(0.1, 0.8)), None
    names = {"x": x, "y": y, "u": u, "v": u, "z": u, "m": x, "g": other, "a": other, "p": y, "s": s, "w": w,
             "t": f32(D.r.choice([0.25, 0.5, D.r.uniform(0, 1)])),
             "r": f32(D.r.choice([0.5, -1.5, D.r.uniform(-2, 2)]))}
    if op == "gyration":
        names.update(u=x, v=y)
    if op in ("transport", "transport0", "inner"):
        names["v"] = other
    if man == "sphere" and op in ("add", "gyration", "w"):
        names["w"] = D.vec(d, 1.0)
    return {k: names[k] for k in ARGS[op].split()}


def along(D, d, region):
    """Rows of other lengths whose directions are nearly the same or opposite."""
    x = D.vec(d, D.r.uniform(0.3, 3))
    apart, n = 10 ** D.r.uniform(-6.5, -1), D.unit(d)
    ratio = D.r.choice([1.0, 1.001, 5.0, 0.2]) * (-1 if region == "opposite_row" else 1)
    return x, [f32(ratio * (q + apart * k)) for q, k in zip(x, n)]


def call(row):
    T.tape = []
    leaves = {k: wrap(v) for k, v in row["in"].items()}
    c = T(mpf(row["c"]))
    out = getattr(MODELS[row["manifold"]], row["op"])(c, *[leaves[k] for k in ARGS[row["op"]].split()])
    tape, T.tape = T.tape, None
    leaves["c"] = c
    return tape, leaves, out


def finish(row):
    tape, leaves, out = call(row)
    ct = row["ct"]
    out.acc([mpf(q) for q in ct] if out.vec else mpf(ct))
    for n in reversed(tape):
        if n.back is not None and (any(n.g) if n.vec else n.g != 0):
            n.back(n.g)
    keep = list(row["in"]) + ([] if row["manifold"] == "euclidean" else ["c"])
    flat = lambda v: v if isinstance(v, list) else [v]
    s = max(mpmath.fsum(abs(a * mpf(b)) for a, b in zip(flat(leaves[k].g), flat(row["in"].get(k, row["c"]))))
            for k in keep)
    den = norm([mpf(q) for q in flat(ct)]) * norm(out.v)
    return {**{k: row[k] for k in ("id", "op", "manifold", "c", "dim", "region", "in")}, "out": fl(out.v), "ct": ct,
            "vjp": {k: fl(leaves[k].g) for k in keep}, "cond": float("%.3g" % float(s / den)) if den else 0.0}


def cotangent(rng, out):
    return [f32(rng.gauss(0, 1)) for _ in out.v] if out.vec else f32(rng.uniform(0.5, 1.5))


def build(seed, per_region):
    rng = random.Random("extra/%d" % seed)
    D = Draw(rng)
    for man, ops in PLAN.items():
        for op, regions in ops.items():
            for region in regions:
                curvatures = CURVATURES[man]
                n = len(curvatures) if man == "stereographic" and region in ("generic", "opposite") else per_region
                for k in range(n):
                    d = rng.choices([2, 3, 16], [0.45, 0.35, 0.2])[0]
                    c = curvatures[k] if n == len(curvatures) else rng.choice(curvatures)
                    if region == "small_c":
                        c = f32(1e-6)
                    if man == "stereographic" and region in ("wide", "opposite") and c >= 0:
                        continue
                    row = dict(op=op, manifold=man, c=c, dim=d, region=region)
                    row["in"] = make_inputs(D, man, op, region, d, c)
                    _, _, out = call(row)
                    row["ct"] = cotangent(rng, out)
                    yield row
    rng = random.Random("rows/%d" % seed)
    D = Draw(rng)
    for op in "sqdist dist logmap transport geodesic".split():
        for region in ("same_row", "opposite_row"):
            for d in (2, 3, 16):
                row = dict(op=op, manifold="sphere", c=rng.choice(CURVATURES["sphere"]), dim=d, region=region)
                row["in"] = make_inputs(D, "sphere", op, "generic", d, row["c"])
                row["in"]["x"], row["in"]["y"] = along(D, d, region)
                row["ct"] = cotangent(rng, call(row)[2])
                yield row


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--per-region", type=int, default=1)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    with open(a.out, "w") as f:
        for i, row in enumerate(build(a.seed, a.per_region)):
            row["id"] = "extra%d-%04d" % (a.seed, i)
            f.write(json.dumps(finish(row), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
