#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws distortion.svg: the distortion of tree.tsv in the ball, on the hyperboloid
and in flat space, against the dimension. Needs matplotlib.

usage: plot.py EXAMPLE_TREE_BINARY OUTPUT.svg
"""
import json
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DIMENSIONS = [2, 3, 4, 5, 7, 10, 15, 20]
SEEDS = [1, 2, 3]
SPACES = {
    "flat": ("#geo.euclidean", "s-"),
    "ball": ("#geo.poincare<1.0>", "o-"),
    "hyperboloid": ("#geo.lorentz<1.0>", "x--"),
}


def measure(binary, manifold, dim, seed):
    run = subprocess.run(
        [binary, "--json", "--loss", "distances", "--manifold", manifold,
         "--dim", str(dim), "--seed", str(seed)],
        check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["distortion"]


def main(binary, output):
    matplotlib.rcParams["svg.hashsalt"] = "geoc"
    figure, axes = plt.subplots(figsize=(6, 4))
    for name, (manifold, style) in SPACES.items():
        rows = [sorted(measure(binary, manifold, d, s) for s in SEEDS)
                for d in DIMENSIONS]
        medians = [row[len(row) // 2] for row in rows]
        axes.plot(DIMENSIONS, medians, style, label=name)
        print(name, *(f"{m:.3f}" for m in medians))
    axes.set(xlabel="dimension", ylabel="distortion", xscale="log",
             ylim=(0, None), title="A tree of 364 nodes, 3 children each")
    axes.set_xticks(DIMENSIONS, [str(d) for d in DIMENSIONS])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], sys.argv[2])
