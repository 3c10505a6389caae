# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_ptb.py RILM DATA: one epoch on the Penn Treebank with the defaults."""
import json, os, subprocess, sys, tempfile

rilm, data = sys.argv[1], os.path.join(sys.argv[2], "ptb")
if not os.path.isdir(data):
    print(f"skipped: no {data}")
    sys.exit()
for model, bound in [("flat", 95), ("hyp", 175)]:
    with tempfile.TemporaryDirectory() as out:
        r = subprocess.run([rilm, "train", "--model", model, "--corpus", data, "--epochs", "1", "--out", out, "--json"],
                           check=True, capture_output=True, text=True)
        m = json.loads(r.stdout)
        print(model, m)
        assert m["scored_tokens"] == 70390 and m["parameters"] == (289025 if model == "hyp" else 289024)
        assert m["valid_ppl"] < bound
