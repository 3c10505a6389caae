# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_manifolds.py RILM FOLDER: the recurrence trains on every manifold, on all
targets to the same perplexities; curvatures are learnt, each factor's its own; and a
checkpoint knows its manifold."""
import json, os, shutil, subprocess, sys

import chain_text

rilm, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
chain_text.write(at("text.txt"))
os.environ["GEOC_CACHE"] = at("cache")


def run(*args, code=0):
    done = subprocess.run([rilm, *args], capture_output=True, text=True)
    assert done.returncode == code, (args, done.returncode, done.stdout[-500:], done.stderr)
    return done.stdout if code == 0 else done.stderr


def train(manifold, out, *more, code=0):
    return run("train", "--model", "hyp", "--manifold", manifold, "--corpus", at("text.txt"), "--vocab", "12", "--dim", "6",
               "--batch", "16", "--context", "8", "--epochs", "6", "--lr", "0.05", "--out", at(out), *more, code=code)


def near(a, b):
    return abs(a - b) <= 1e-4 * abs(b)


def metrics(out):
    return [json.loads(line) for line in open(at(out) + "/metrics.jsonl")]


manifolds = ["#geo.lorentz<0.5>", "#geo.sphere<1.0>", "#geo.stereographic<-0.5>", "#geo.stereographic<0.0>",
             "#geo.product<#geo.poincare<1.0> x 2, #geo.lorentz<2.0> x 3, #geo.euclidean x 1>"]
for i, manifold in enumerate(manifolds):
    for target in ["loops", "cpu", "simt"]:
        train(manifold, f"{i}-{target}", "--target", target, "--learn-curvature")
    lines = {target: metrics(f"{i}-{target}") for target in ["loops", "cpu", "simt"]}
    perplexities = [line["valid_ppl"] for line in lines["cpu"]]
    assert perplexities[-1] < 0.95 * perplexities[0], (manifold, perplexities)
    for a, b in [*zip(lines["loops"], lines["cpu"]), *zip(lines["loops"], lines["simt"])]:
        assert near(a["valid_ppl"], b["valid_ppl"]) and near(a["gradient_norm"], b["gradient_norm"]), (manifold, a, b)
    last = lines["cpu"][-1]
    begin = [float(c) for c in ["0.5", "1", "-0.5", "0"][i : i + 1]] or [1, 2]
    end = last.get("curvatures", [last["curvature"]])
    assert len(begin) == len(end) and all(abs(a - b) > 1e-4 for a, b in zip(begin, end)), (manifold, begin, end)
    assert manifold.startswith("#geo.stereo") or all(c > 0 for c in end), (manifold, end)
    again = json.loads(run("eval", "--checkpoint", at(f"{i}-cpu/last.safetensors"), "--corpus", at("text.txt"), "--json"))
    assert near(again["ppl"], perplexities[-1]), (manifold, again, perplexities)
    print(manifold, perplexities, end)

for manifold, what in [("#geo.lorentz<-1.0>", "expects curvature c > 0"), ("#geo.lorentz<1.0", "expects a manifold of built-in pages"),
                       ("#geo.manifold<@m>", "expects a manifold of built-in pages"), ("#geo.poincare<\"c\">", "curvatures that are numbers"),
                       ("#geo.functions", "expects a manifold with the formula add"),
                       ("#geo.product<#geo.euclidean x 3>", "expects a manifold of 6 coordinates")]:
    error = train(manifold, "bad", code=2)
    assert error.startswith("rilm: --manifold: ") and what in error and error.count("\n") <= 3, error
    assert not os.path.exists(at("bad")), manifold
