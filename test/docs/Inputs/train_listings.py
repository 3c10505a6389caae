# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""train_listings.py RILM PAGE.md FOLDER: trains each listing that is a model."""
import os, re, subprocess, sys

rilm, page, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
models = [code for code in re.findall(r"^```mlir\n(.*?)^```$", open(page).read(), re.M | re.S) if "@step" in code]
for number, code in enumerate(models):
    file = os.path.join(folder, f"listing{number}.mlir")
    with open(file, "w") as f:
        f.write(code)
    subprocess.run([rilm, "bench", "step", "--model-file", file, "--vocab", "20", "--batch", "3", "--context", "4", "--repeat", "2", "--json"], check=True)
assert models
