#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws accuracy.svg: test accuracy against the deviation of the classes, in the
ball, on the hyperboloid and in flat space. Needs matplotlib.

usage: plot.py EXAMPLE_MLR_BINARY OUTPUT.svg
"""
import json
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DEVIATIONS = [0.5, 0.9, 1.2, 1.5, 2.0]
SEEDS = [1, 2, 3]
STYLES = {"flat": "s-", "ball": "o-", "hyperboloid": "x--"}


def measure(binary, space, deviation, seed):
    run = subprocess.run(
        [binary, "--json", "--space", space, "--deviation", str(deviation),
         "--seed", str(seed)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main(binary, output):
    matplotlib.rcParams["svg.hashsalt"] = "geoc"
    figure, axes = plt.subplots(figsize=(6, 4))
    for space, style in STYLES.items():
        runs = [[measure(binary, space, d, s) for s in SEEDS]
                for d in DEVIATIONS]

        def mean(key):
            return [sum(r[key] for r in row) / len(row) for row in runs]

        axes.plot(DEVIATIONS, mean("test"), style, label=space)
        if space == "ball":
            axes.plot(DEVIATIONS, mean("nearest"), ":", color="gray",
                      label="nearest true centre")
        print(space, *(f"{m:.3f}" for m in mean("test")))
    axes.set(xlabel="deviation of a class", ylabel="accuracy on the test set",
             title="13 classes in the hyperbolic plane")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], sys.argv[2])
