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

import draw
from draw import Draw
from make_refvec import fl, wrap
from tape import T, f32, norm
from textbook_more import MODELS

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
        x, y = draw.points(D, "poincare", region, d, abs(c))
        if region == "wide":          # beyond the equator of the sphere
            x = D.vec(d, rad * D.r.uniform(1, 4)) if c < 0 else x
        if region == "opposite" and c < 0:
            n = sum(q * q for q in x)  # near the antipode -x / (|c| |x|^2)
            y = D.near([f32(q / (c * n)) for q in x], 1e-3 * rad)
    else:
        x, y = draw.points(D, man, region, d, c)
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


def facing(D, d, c):
    """A point of a sphere, c < 0, and one near its antipode x / (c |x|^2)."""
    x = D.vec(d, 10 ** D.r.uniform(-0.5, 0.5) / math.sqrt(-c))
    n = -c * sum(q * q for q in x)
    apart = 10 ** D.r.uniform(-6.5, -1) / (-c * math.sqrt(sum(q * q for q in x)))
    return x, [f32(-q / n + apart * k) for q, k in zip(x, D.unit(d))]


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
    for op in "sqdist dist logmap transport geodesic add gyration".split():
        for d in (2, 3, 16):
            c = rng.choice([-1.0, f32(-0.1), -2.5])
            row = dict(op=op, manifold="stereographic", c=c, dim=d, region="facing")
            row["in"] = make_inputs(D, "stereographic", op, "generic", d, c)
            x, y = facing(D, d, c)
            if op in ("add", "gyration"):  # of the other sign
                y = [-q for q in y]
            row["in"].update({"u": x, "v": y} if op == "gyration" else {"x": x, "y": y})
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
