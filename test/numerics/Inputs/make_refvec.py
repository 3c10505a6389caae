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
import argparse
import json
import random
import sys

import mpmath
from mpmath import mp, mpf

from draw import Draw, make_case
from tape import T, WORK_DPS, f32, norm
from textbook import ARGS, MANIFOLDS


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
