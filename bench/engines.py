# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Geoc and its peers; each run prints one JSON object."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
MODULES = {"torch": "torch", "gemm": "torch", "jax": "jax"}
TOLERANCE = 1e-5  # relative, of a loss in float32 against another's


class Failed(Exception):
    """A run that gave no figures, or a result that its peer does not have."""


def run_json(command, environment=None):
    """The last JSON object that a command prints."""
    command = [str(part) for part in command]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **(environment or {})}
        )
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    rows = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if result.returncode or not rows:
        raise Failed(result.stderr.strip()[-300:] or f"exit code {result.returncode}")
    return json.loads(rows[-1])


class Engines:
    """rilm: its path. peers: folder of the peers' scripts. python: one with
    torch and jax; without it Geoc is timed alone."""

    def __init__(self, rilm, python, peers=None):
        self.rilm, self.python = rilm, python
        self.peers = pathlib.Path(peers or SHARED / "peers")
        self.found = {name: self._find(name) for name in MODULES}

    def _find(self, name):
        if not self.python:
            return False
        reason = None
        if not (self.peers / "torch_models.py").exists():
            reason = f"no peers in {self.peers}"
        elif subprocess.run(
            [self.python, "-c", f"import {MODULES[name]}"], capture_output=True
        ).returncode:
            reason = f"{self.python} cannot import {MODULES[name]}"
        if reason:
            print(f"bench: without {name}: {reason}", file=sys.stderr)
        return not reason

    def geoc(self, what, *arguments, environment=None):
        return run_json([self.rilm, "bench", what, "--json", *arguments], environment)

    def peer(self, name, what, *arguments):
        script = HERE / "peer.py"
        return run_json([self.python, script, name, what, "--peers", self.peers, *arguments])


def check_agreement(name, ours, theirs):
    """Raises Failed unless two losses are the same up to rounding."""
    if not abs(ours - theirs) <= TOLERANCE * max(1.0, abs(theirs)):
        raise Failed(f"results differ: loss {ours:.8g} here, {theirs:.8g} of {name}")
