# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the inputs of reference vectors, all float32, region by region (see make_refvec.py)."""
import mpmath
from mpmath import mpf

from tape import f32
from textbook import ARGS


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
