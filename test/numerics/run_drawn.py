# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference vectors of another seed, drawn now: what is right for the file in the repository is so for others.

run_drawn.py GEO_NUMERICS ALLOWED [SEED]
"""
import os
import subprocess
import sys
import tempfile

tool, allowed = sys.argv[1:3]
seed = sys.argv[3] if len(sys.argv) > 3 else "20"
inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
ok = True
with tempfile.TemporaryDirectory() as folder:
    for script, scale in (("make_refvec.py", ["--scale", "0.3"]), ("make_extra_refvec.py", [])):
        path = os.path.join(folder, script + ".jsonl")
        subprocess.run([sys.executable, os.path.join(inputs, script), "--seed", seed, "--out", path] + scale,
                       check=True)
        ok &= subprocess.run([tool, path, "--target=loops", "--check=" + allowed]).returncode == 0
sys.exit(not ok)
