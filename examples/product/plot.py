#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws perplexity.svg: perplexity of held-out text against the dimension, on a
product of ball and flat space, in the ball, in flat space. Needs matplotlib.

usage: plot.py EXAMPLE_PRODUCT_BINARY OUTPUT.svg
"""
import json
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DIMENSIONS = [4, 6, 8, 12, 16]
SEEDS = [1, 2, 3, 4, 5]
SPACES = {
    "flat": (lambda d: "#geo.euclidean", "s-"),
    "ball": (lambda d: "#geo.poincare<1.0>", "o-"),
    "product": (lambda d: f"#geo.product<#geo.poincare<1.0> x {d // 2}, "
                          f"#geo.euclidean x {d // 2}>", "x--"),
}


def measure(binary, manifold, dim, seed):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [binary, "--json", "--manifold", manifold, "--dim", str(dim),
             "--seed", str(seed), "--out", folder + "/run"],
            check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["best"]


def main(binary, output):
    matplotlib.rcParams["svg.hashsalt"] = "geoc"
    figure, axes = plt.subplots(figsize=(6, 4))
    for name, (manifold, style) in SPACES.items():
        means = []
        for d in DIMENSIONS:
            runs = [measure(binary, manifold(d), d, s) for s in SEEDS]
            means.append(sum(runs) / len(runs))
        axes.plot(DIMENSIONS, means, style, label=name)
        print(name, *(f"{m:.3f}" for m in means))
    axes.set(xlabel="dimension", ylabel="perplexity of held-out text",
             title="A language model of 61 words, 20 epochs")
    axes.set_xticks(DIMENSIONS)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], sys.argv[2])
