#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures Geoc beside PyTorch and JAX.

usage: bench.py RILM [--rows step,generate] [--rounds 3] [--json FILE]

Engines take turns, round by round, so that a busy machine slows each of them
alike; figures are the best of all rounds. Before a row is timed, the engines
compute the same loss from the same parameters and words, or the row fails.
B = 128, T = 64, V = 2000, d = 128 where a row does not say otherwise. Peers run
where --python or GEOC_PEER_PYTHON names a Python with torch and jax. The exit
code is 1 if a row failed; a bar that does not hold is reported only.
"""
import argparse
import json
import os
import pathlib
import sys

import scaling
from engines import Engines, Failed
from rows import GROUPS


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expects 1 or more, but got {text}")
    return value


def row_names(text):
    names = text.split(",")
    for name in names:
        if name not in GROUPS:
            raise argparse.ArgumentTypeError(f"expects {', '.join(GROUPS)}, but got {name}")
    return names


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"bench: {message}\nbench: --help shows the options\n")


def parse(arguments):
    parser = Parser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rilm")
    parser.add_argument(
        "--rows", type=row_names, default=list(GROUPS), help=f"of {', '.join(GROUPS)}"
    )
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--repeat", type=positive, default=5, help="steps of a round")
    parser.add_argument("--json", metavar="FILE", help="write the figures here; - prints them")
    parser.add_argument("--scaling", metavar="FOLDER", help="write curves over sizes instead")
    parser.add_argument(
        "--no-skip", action="store_true", help="training steps compute what cannot count, too"
    )
    parser.add_argument(
        "--python", default=os.environ.get("GEOC_PEER_PYTHON"), help="with torch and jax"
    )
    parser.add_argument("--peers", help="folder of their scripts (default: ../shared/peers)")
    return parser.parse_args(arguments)


def write(path, text):
    part = pathlib.Path(f"{path}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def measure(rows, rounds):
    """One entry of the report for each row, in turns."""
    reports = {row.name: {"row": row.name, "runs": {}, "measures": []} for row in rows}
    for row in rows:
        try:
            row.check()
        except Failed as error:
            reports[row.name]["error"] = str(error)
    for _ in range(rounds):
        for row in rows:
            report = reports[row.name]
            if "error" in report:
                continue
            for name, run in row.runs.items():
                try:
                    result = run()
                except Failed as error:
                    report["error"] = f"{name}: {error}"
                    break
                best = report["runs"].get(name)
                if not best or result[row.key] < best[row.key]:
                    report["runs"][name] = {
                        row.key: result[row.key],
                        "cpu_per_wall": result["cpu_per_wall"],
                    }
    for row in rows:
        report = reports[row.name]
        if "error" not in report:
            best = {name: run[row.key] for name, run in report["runs"].items()}
            report["measures"] = [m.to_json() for m in row.measures(best)]
    return list(reports.values())


def print_rows(reports, stream):
    for report in reports:
        print(report["row"], file=stream)
        for name, run in report["runs"].items():
            (key, value), (_, cpu) = run.items()
            print(f"  {name:<14} {key} {value:.6g}   cpu/wall {cpu:.2f}", file=stream)
        for m in report["measures"]:
            sign = "<=" if m["at_most"] else ">="
            held = "held" if m["held"] else "NOT HELD"
            if m["aim_held"]:
                held = "aim held"
            print(
                f"  {m['name']}: {m['value']} (bar {sign} {m['bar']}, aim {m['aim']}): {held}",
                file=stream,
            )
        if "error" in report:
            print(f"  failed: {report['error']}", file=stream)


def main(arguments):
    options = parse(arguments)
    engines = Engines(options.rilm, options.python, options.peers)
    if options.scaling:
        try:
            scaling.run(engines, options.repeat, options.scaling, options.no_skip)
        except Failed as error:
            print(f"bench: {error}", file=sys.stderr)
            return 1
        return 0
    flags = ["--no-skip"] if options.no_skip else []
    rows = [
        row for name in options.rows for row in GROUPS[name](engines, options.repeat, flags)
    ]
    reports = measure(rows, options.rounds)
    text = json.dumps(
        {
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "no_skip": options.no_skip,
            "rows": reports,
        },
        indent=1,
    )
    print_rows(reports, sys.stderr if options.json == "-" else sys.stdout)
    if options.json == "-":
        print(text)
    elif options.json:
        write(options.json, text + "\n")
    return 1 if any("error" in report for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
