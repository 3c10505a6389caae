#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws loss.svg: the loss after training against the dimension, in the ball, on
the hyperboloid and in flat space. Needs matplotlib.

usage: plot.py EXAMPLE_ATTENTION_BINARY OUTPUT.svg
"""
import json
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DIMENSIONS = [2, 3, 4, 6, 8]
SEEDS = [1, 2, 3, 4, 5]
STYLES = {"flat": "s-", "ball": "o-", "hyperboloid": "x--"}


def measure(binary, space, dim, seed):
    run = subprocess.run(
        [binary, "--json", "--space", space, "--dim", str(dim), "--seed",
         str(seed), "--steps", "1000"],
        check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main(binary, output):
    matplotlib.rcParams["svg.hashsalt"] = "geoc"
    figure, axes = plt.subplots(figsize=(6, 4))
    for space, style in STYLES.items():
        medians = {"loss": [], "accuracy": []}
        for d in DIMENSIONS:
            runs = [measure(binary, space, d, s) for s in SEEDS]
            for key, values in medians.items():
                values.append(sorted(r[key] for r in runs)[len(runs) // 2])
        axes.plot(DIMENSIONS, medians["loss"], style, label=space)
        for key, values in medians.items():
            print(space, key, *(f"{m:.4f}" for m in values))
    axes.set(xlabel="dimension", ylabel="loss (nats an answer)",
             title="Retrieval by attention, 1000 steps")
    axes.set_xticks(DIMENSIONS)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    main(sys.argv[1], sys.argv[2])
