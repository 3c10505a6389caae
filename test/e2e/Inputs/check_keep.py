# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_keep.py RILM FOLDER: trains with limits of what is kept, and on batches of more and of
fewer words than the vocabulary has, by both targets (loops moves and keeps nothing)."""
import json, os, shutil, subprocess, sys

rilm, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
os.environ["GEOC_CACHE"] = at("cache")
with open(at("text.txt"), "w") as f:
    for i in range(60):
        print(*(f"w{(i * i + 3 * k + k * k + i // 3) % 53}" for k in range(12)), file=f)


def train(model, batch, *more):
    subprocess.run([rilm, "train", "--model", model, "--corpus", at("text.txt"), "--vocab", "50", "--dim", "8", "--protocol",
                    "windows", "--epochs", "1", "--batch", str(batch), "--context", "10", "--truncate", "4", "--out", at("out"),
                    "--force", *more], check=True, capture_output=True)
    with open(at("out/metrics.jsonl")) as f, open(at("out/last.safetensors"), "rb") as g:
        size = int.from_bytes(g.read(8), "little")
        g.seek(8 + size)
        return json.loads(f.readlines()[-1]), g.read()


for model, batch in ("hyp", 3), ("hyp", 7), ("flat", 3):  # 30 and 70 words
    metrics, tensors = train(model, batch)
    for limit in "0", "0.002":
        assert train(model, batch, "--keep-memory", limit)[1] == tensors, (model, batch, limit)
    slow, _ = train(model, batch, "--target", "loops")
    for key in "train_ppl", "valid_ppl":
        assert abs(metrics[key] / slow[key] - 1) < 1e-5, (model, batch, key, metrics[key], slow[key])
