# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of a hyp training step over one size at a time, as CSV and a plot."""
import csv
import pathlib
import sys

BASE = {"batch": 128, "context": 64, "vocab": 2000, "dim": 128, "threads": 1}
CURVES = {
    "batch": (16, 32, 64, 128, 256),
    "context": (16, 32, 64, 128, 256),
    "vocab": (500, 1000, 2000, 4000, 8000),
    "dim": (32, 64, 128, 256),
    "threads": (1, 2),
}
FIELDS = ("curve", *BASE, "min_ms", "cpu_per_wall", "us_per_row")


def points(engines, repeat, no_skip):
    for curve, values in CURVES.items():
        for value in values:
            sizes = {**BASE, curve: value}
            flags = [part for name, v in sizes.items() for part in (f"--{name}", v)]
            flags += ["--no-skip"] if no_skip else []
            result = engines.geoc("step", "--model", "hyp", "--repeat", repeat, *flags)
            rows = sizes["batch"] * sizes["context"]
            yield {
                "curve": curve,
                **sizes,
                "min_ms": round(result["min_ms"], 3),
                "cpu_per_wall": round(result["cpu_per_wall"], 2),
                "us_per_row": round(1e3 * result["min_ms"] / rows, 3),
            }


def plot(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(CURVES), figsize=(4 * len(CURVES), 3.5))
    for axis, curve in zip(axes, CURVES):
        own = [row for row in rows if row["curve"] == curve]
        axis.plot([row[curve] for row in own], [row["us_per_row"] for row in own], "o-")
        axis.set_xlabel(curve)
        axis.set_ylabel("µs per row")
        axis.set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(path)


def run(engines, repeat, folder, no_skip):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(points(engines, repeat, no_skip))
    part = folder / "scaling.csv.part"
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    part.replace(folder / "scaling.csv")
    try:
        plot(rows, folder / "scaling.svg")
    except ImportError:
        print("bench: no plot: matplotlib is not there", file=sys.stderr)
    for row in rows:
        print(f"{row['curve']:<8} {row[row['curve']]:>6}  {row['us_per_row']} us a row")
