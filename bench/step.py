#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a full training step of Geoc against PyTorch and JAX.

usage: step.py RILM [--models hyp,flat] [--rounds 3] [--repeat 5] [--out FILE]

All engines take turns, round by round, so that a busy machine slows each of them
alike; figures are minima over all rounds. B = 128, T = 64, V = 2000, d = 128.
Peers run where GEOC_PEER_PYTHON (a Python with torch or jax) is set and
../shared/peers is there; without them Geoc is timed alone. Prints one JSON object.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

PEERS = pathlib.Path(__file__).resolve().parents[2] / "shared" / "peers"
SCRIPTS = {"torch": "torch_models.py", "jax": "jax_rilm.py"}


def run(command):
    """The last JSON object that a command prints, or an error text."""
    result = subprocess.run(command, capture_output=True, text=True)
    rows = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if result.returncode or not rows:
        return None, result.stderr.strip()[-300:] or f"exit code {result.returncode}"
    return json.loads(rows[-1]), None


def engines(rilm, repeat):
    """Name -> command of one round, without the model."""
    found = {"geoc": [rilm, "bench", "step", "--json", "--repeat", str(repeat)]}
    python = os.environ.get("GEOC_PEER_PYTHON")
    for name, script in SCRIPTS.items():
        reason = None
        if not python:
            reason = "GEOC_PEER_PYTHON is not set"
        elif not (PEERS / script).exists():
            reason = "no ../shared/peers"
        elif subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode:
            reason = f"{python} cannot import {name}"
        if reason:
            print(f"step.py: without {name}: {reason}", file=sys.stderr)
        else:
            found[name] = [python, str(PEERS / script), "--bench", str(repeat)]
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rilm")
    parser.add_argument("--models", default="hyp,flat")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", help="also write the JSON here")
    options = parser.parse_args()

    commands = engines(options.rilm, options.repeat)
    report = {"batch": 128, "context": 64, "vocab": 2000, "dim": 128, "models": {}}
    failed = False
    for model in options.models.split(","):
        best = {}
        for _ in range(options.rounds):
            for name, command in commands.items():
                row, error = run([*command, "--model", model])
                if error:
                    print(f"step.py: {name}, {model}: {error}", file=sys.stderr)
                    failed = True
                    continue
                ms = row["min_ms"]
                best[name] = min(ms, best.get(name, ms))
        rows = {name: {"min_ms": round(ms, 1)} for name, ms in best.items()}
        for name in rows:
            if name != "geoc" and "geoc" in best:
                rows[name]["times_geoc"] = round(best[name] / best["geoc"], 2)
        report["models"][model] = rows
    text = json.dumps(report)
    print(text)
    if options.out:
        pathlib.Path(options.out).write_text(text + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
