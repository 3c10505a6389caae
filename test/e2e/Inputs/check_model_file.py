# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_model_file.py RILM FOLDER MODEL.mlir..: models that are only a file train,
on both targets to the same perplexities, and are evaluated and continued from
their checkpoint alone."""
import json, os, shutil, struct, subprocess, sys

import chain_text

rilm, folder, models = sys.argv[1], sys.argv[2], sys.argv[3:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
chain_text.write(at("text.txt"))
os.environ["GEOC_CACHE"] = at("cache")


def run(*args):
    done = subprocess.run([rilm, *args], capture_output=True, text=True)
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout


def near(a, b):
    return abs(a - b) <= 1e-4 * abs(b)


for path in models:
    name = os.path.splitext(os.path.basename(path))[0]
    # A copy, so that the checkpoint has to know the model.
    file = at(name + ".mlir")
    shutil.copy(path, file)
    lines = {}
    for target in ["loops", "cpu"]:
        out = at(f"{name}-{target}")
        run("train", "--model-file", file, "--corpus", at("text.txt"), "--vocab", "12", "--batch", "16", "--context", "8",
            "--epochs", "4", "--lr", "0.02", "--out", out, "--target", target)
        lines[target] = [json.loads(line) for line in open(out + "/metrics.jsonl")]
    perplexities = [line["valid_ppl"] for line in lines["cpu"]]
    assert all(b < a for a, b in zip(perplexities, perplexities[1:])), perplexities
    assert perplexities[-1] < 0.85 * perplexities[0], perplexities
    for a, b in zip(lines["loops"], lines["cpu"]):
        assert near(a["valid_ppl"], b["valid_ppl"]) and near(a["gradient_norm"], b["gradient_norm"]), (a, b)

    checkpoint = at(f"{name}-cpu/last.safetensors")
    blob = open(checkpoint, "rb").read()
    header = json.loads(blob[8 : 8 + struct.unpack("<Q", blob[:8])[0]])
    metadata = header.pop("__metadata__")
    assert metadata["model"] == "file" and metadata["model_file"] == open(file).read()
    rows = json.loads(run("params", "--model-file", file, "--vocab", "12", "--json"))["rows"]
    for row in rows:
        for prefix in ["", "m.", "v."]:
            assert header[prefix + row["name"]]["shape"] == row["shape"], row
    os.remove(file)
    again = json.loads(run("eval", "--checkpoint", checkpoint, "--corpus", at("text.txt"), "--json"))
    assert near(again["ppl"], perplexities[-1]), (again, perplexities)
    made = json.loads(run("generate", "--checkpoint", checkpoint, "--prompt", "w1 w3", "--tokens", "5", "--top", "12", "--json"))
    assert len(made["text"].split()) == 7 and abs(sum(p for _, p in made["top"]) - 1) < 1e-5, made
    step = json.loads(run("bench", "step", "--model-file", path, "--vocab", "50", "--batch", "4", "--context", "5", "--repeat", "2", "--json"))
    assert step["median_ms"] > 0 and step["loss"] > 0, step
    print(name, perplexities)
