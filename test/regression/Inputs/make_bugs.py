#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes bugs.jsonl: inputs on which other libraries went wrong, with the right values and gradients.

    python make_bugs.py > bugs.jsonl

Schema and digits of test/numerics/Inputs/make_refvec.py. The comments name one report of each family; each
stands here on every manifold where it can occur.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../numerics/Inputs"))
import make_extra_refvec as extra  # noqa: E402
from make_refvec import f32  # noqa: E402

CURVED = ("poincare", "lorentz", "sphere", "stereographic")
rows = []


def add(bug, man, op, c=1.0, true=None, ct=None, **inputs):
    """A line; `true` is the report's own value, of the output's first number."""
    exact = lambda v: [f32(q) for q in v] if isinstance(v, list) else f32(v)
    row = dict(op=op, manifold=man, c=0.0 if man == "euclidean" else c, region=bug)
    row["in"] = {k: exact(v) for k, v in inputs.items()}
    row["dim"] = max(len(v) for v in row["in"].values() if isinstance(v, list))
    row["id"] = "%s-%02d" % (bug, len(rows))
    _, _, out = extra.call(row)
    if ct is None:
        ct = [1.0] + [0.5] * (len(out.v) - 1) if out.vec else 1.0
    row["ct"] = ct
    if true is not None:
        got = float(out.v[0] if out.vec else out.v)
        assert abs(got - true) <= 1e-15 * abs(true), (bug, man, op, got, true)
    rows.append(extra.finish(row))


def lift(x, c=1.0):
    """Of the ball to the hyperboloid."""
    a = 1 - c * sum(q * q for q in x)
    return [2 * q / a for q in x]


# Distance of a point from itself, and its gradient (SauersML/gam 239).
a = [.1, -.2, .05, 0]
for man in CURVED + ("euclidean",):
    for op in ("sqdist", "dist"):
        add("self", man, op, x=a, y=a)
    for op in ("logmap",) if man != "euclidean" else ():
        add("self", man, op, x=a, y=a)
# x close to y (NicolasBoumal/manopt 23, JuliaManifolds/Manifolds.jl 631).
add("close", "poincare", "dist", x=[.5, .5], y=[.500001, .5], true=4.0531199516712045750657492329e-6)
for man in ("lorentz", "sphere", "stereographic"):
    add("close", man, "dist", x=[.5, .5], y=[.500001, .5])
    add("close", man, "logmap", x=[.5, .5], y=[.500001, .5])
add("close", "stereographic", "dist", c=-1.0, x=[.5, .5], y=[.500001, .5])
# Far out (poincare-embeddings 41, Differentiable-Frechet-Mean 2, hoomd-rs 303).
add("far", "poincare", "dist", x=[.999, 0], y=[0, .999], true=14.507683751181366659830359636193)
add("far", "lorentz", "dist", x=lift([.999, 0]), y=lift([0, .999]))
add("far", "lorentz", "dist", x=[300, 400], y=[300.5, 400], true=.39726301353451607426489908025)
add("far", "lorentz", "logmap", x=[300, 400], y=[300.5, 400])
add("far", "lorentz", "dist", x=[1e4, 0], y=[2e4, 0])
# Clamps of artanh: values that stop growing, gradients of 0 (geoopt PR 100, SauersML/gam 3972).
add("clamp", "poincare", "dist", x=[.99999, 0], y=[-.99999, 0], true=24.409421055585357324340784185)
add("clamp", "poincare", "dist0", x=[f32(1 - 1e-5), 0])
add("clamp", "poincare", "logmap0", x=[f32(1 - 2.0 ** -20), 0])
add("clamp", "lorentz", "dist0", x=[1e6, 0])
add("clamp", "lorentz", "logmap0", x=[1e6, 0])
# Near and at 0: logarithms that vanish, gradients that are 0 or NaN (geoopt 243, paz 383).
for man in ("poincare", "lorentz", "stereographic"):
    for y in ([1e-8, 0], [1e-5, 0], [0, 0]):
        add("origin", man, "logmap0", x=y)
        add("origin", man, "expmap0", v=y)
    add("origin", man, "expmap", x=[.3, .4], v=[0, 0])
    add("origin", man, "dist0", x=[0, 0])
    add("origin", man, "dist", x=[0, 0], y=[0, 0])
    add("origin", man, "norm", x=[.3, .4], v=[0, 0])
add("origin", "sphere", "expmap", x=[.3, .4], v=[0, 0])
add("origin", "sphere", "norm", x=[.3, .4], v=[0, 0])
add("origin", "sphere", "expmap0", v=[0, 0])
# Odd functions of large negative numbers (geoopt PR 215, jax-js 218).
add("negative", "lorentz", "logmap0", x=[-1e4, 0], true=-9.903487555036128036114197992279)
for man in ("poincare", "lorentz"):
    add("negative", man, "plane_dist", x=[-.9999, 0] if man == "poincare" else [-1e4, 0], p=[.1, 0], a=[1, 0])
# Curvature through 0: the sign of its gradient (geoopt's series in |k|).
for c in (-1e-9, 0.0, 1e-9):
    for op in ("dist", "add", "logmap"):
        add("flat", "stereographic", op, c=f32(c), x=[.5, .3], y=[-.2, .6])
for man in ("poincare", "lorentz"):
    for op in ("dist", "add"):
        add("flat", man, op, c=f32(1e-9), x=[.5, .3], y=[-.2, .6])
# The edge of the ball.
add("edge", "poincare", "conformal_factor", x=[1 - 2.0 ** -24, 0], true=16777216.500000014901)
add("edge", "poincare", "transport0", y=[1 - 2.0 ** -24, 0], v=[1, 0])
# Sums of nearly opposite points (hyperbolic-image-embeddings 9).
add("opposite", "poincare", "add", x=[.9999, 0], y=[-.9998, .0001])
x, y = lift([.9999, 0]), lift([-.9998, .0001])
add("opposite", "lorentz", "add", x=x, y=y)
add("opposite", "sphere", "dist", x=[1, 0, 0], y=[-1, 1e-3, 0])
add("opposite", "sphere", "transport", x=[1, .5, 0], y=[-1, -.499, 1e-3], v=[.3, -1, 2])
# The curvature in the precision of rows (hypll 62): its error is magnified here.
add("double", "poincare", "conformal_factor", c=.1, x=[math.sqrt(10) * (1 - 1e-5), 0])
add("double", "lorentz", "lift_time", c=1e-6 / 3, x=[1, 2])
# What c means (geoopt 59, 137; Frechet 4; HyboNet's cdist without k).
for c in (.3, 2.0):
    add("scale", "poincare", "dist", c=c, x=[.3, .2], y=[-.1, .4])
    add("scale", "lorentz", "dist", c=c, x=[.3, .2], y=[-.1, .4])
    add("scale", "sphere", "dist", c=c, x=[.3, .2], y=[-.1, .4])
    # A gradient scaled by a curvature that is no longer the current one (Hyp-OW 3).
    for man in ("poincare", "lorentz", "sphere"):
        add("stale", man, "egrad2rgrad", c=c, x=[.3, .2], g=[1, -2])
# acos near 1 (geoopt PR 79, pytorch 8069, Manifolds.jl 583).
near = [f32(math.cos(.001)), f32(math.sin(.001)), 0]
add("acos", "sphere", "dist", x=[1, 0, 0], y=near, true=9.9999995817068001725922315303e-4)
add("acos", "sphere", "logmap", x=[1, 0, 0], y=near)
add("acos", "sphere", "plane_dist", x=near, p=[1, 0, 0], a=[0, 1, 0])

for row in rows:
    print(json.dumps(row, separators=(",", ":")))
