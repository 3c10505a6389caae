# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_cli.py RILM FOLDER: bad usage and bad input of every subcommand.

Each case must end with exit code 2, at most three lines on stderr that hold the
expected text, nothing on stdout, and leave the folder as it was.
"""
import json, os, random, struct, subprocess, sys

rilm, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
failures = 0


def write(name, data):
    with open(at(name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def run(*args):
    return subprocess.run([rilm, *map(str, args)], capture_output=True, text=True, timeout=300)


def snapshot():
    return sorted((os.path.join(d, f), os.stat(os.path.join(d, f)).st_mtime_ns) for d, _, fs in os.walk(folder) for f in fs)


def bad(expected, *args):
    global failures
    before = snapshot()
    r = run(*args)
    why = [w for w, wrong in [
        (f"exit code {r.returncode}", r.returncode != 2), ("stdout", r.stdout != ""), ("too many lines", len(r.stderr.splitlines()) > 3),
        (f"no {expected!r}", expected not in r.stderr), ("wrote files", snapshot() != before)] if wrong]
    if why:
        failures += 1
        print("FAIL", args, why, r.stderr[:400], sep="\n  ")


rng = random.Random(1)
words = ["w%d" % i for i in range(40)]
text = "\n".join(" ".join(rng.choices(words, range(40, 0, -1), k=rng.randint(3, 12))) for _ in range(200)) + "\n"
write("text.txt", text)
write("empty.txt", "")
write("binary.txt", bytes(range(256)) * 50)
write("short.txt", "a b c\n")
small = ["--dim", 4, "--vocab", 20, "--target", "loops", "--epochs", 1, "--batch", 16, "--context", 8]
train = lambda *more, corpus="text.txt", out="out": ["train", "--model", "hyp", "--corpus", at(corpus), "--out", at(out), *small, *more]

bad("subcommand")
bad("--corpus", "train", "--model", "hyp", "--out", at("out"))
bad("expects flat, hyp or naive, but got 'lstm'", "train", "--model", "lstm", "--corpus", at("text.txt"), "--out", at("out"))
bad("nosuch.txt", *train(corpus="nosuch.txt"))
for name in ["empty.txt", "binary.txt", "short.txt"]:
    bad(name, *train(corpus=name))
bad("vocab", *train("--vocab", 5000))
for flag, values in {"--curvature": [0, -1, "nan", "inf"], "--lr": [0, -1, "nan", "inf"], "--tau": [0, "nan"], "--clip": [-1, "nan"], "--init": [0],
                     "--dropout": [1, -0.1, "nan"], "--epochs": [0], "--batch": [0], "--context": [0], "--truncate": [-1], "--dim": [0],
                     "--threads": [-1], "--target": ["gpu"], "--schedule": ["linear"], "--optimizer": ["lion"], "--retraction": ["second"],
                     "--momentum": [1, -1, "nan"], "--beta1": [1], "--beta2": [-1], "--epsilon": [0], "--weight-decay": [-1, "inf"], "--warmup": [-1],
                     "--step-every": [0], "--step-factor": [0, 2], "--patience": [-1], "--checkpoint-every": [-1], "--param": ["E", "X:lr=1", "E:lr=0"], "--protocol": ["pages"], "--dtype": ["f16", ""], "--max-minutes": [-1]}.items():
    for value in values:
        bad(flag, *train(flag, value))
bad("--lr", *train("--lr", "fast"))
bad("--learn-curvature: expects a curvature, but got flat", "train", "--model", "flat", "--corpus", at("text.txt"), "--out", at("out"), "--vocab", 20, "--learn-curvature")
bad("--learn-curvature: expects a curvature, but got '#geo.euclidean'", *train("--manifold", "#geo.euclidean", "--learn-curvature"))
bad("--curvature", *train("--manifold", "#geo.lorentz<1.0>", "--curvature", 2))
write("settings.json", '{"E": {"lr": 1, "lr": 2}}')
bad("settings.json", *train("--param-file", at("settings.json")))
bad("nosuch.json", *train("--param-file", at("nosuch.json")))
write("file", "")
bad("--out", *train(out="file/run"))
bad("", *train("--resume"))  # nothing to resume
bad("--split", "counts", "--corpus", at("text.txt"), "--vocab", 20, "--split", "all")
bad("--vocab", "export", "--model", "hyp", "--vocab", 1)
bad("--repeat", "bench", "step", "--model", "hyp", "--repeat", 0)

# A good run, then its checkpoint altered in every way that counts.
r = run(*train("--json", out="run"))
assert r.returncode == 0, r.stderr
good = open(at("run/last.safetensors"), "rb").read()
length = struct.unpack("<Q", good[:8])[0]
header, data = json.loads(good[8:8 + length]), good[8 + length:]


def altered(change=lambda h: None, body=data):
    h = json.loads(json.dumps(header))
    change(h)
    text = json.dumps(h).encode()
    return struct.pack("<Q", len(text)) + text + body


def set_meta(key, value):
    return lambda h: h["__metadata__"].update({key: value})


def nan_first(name):
    begin = header[name]["data_offsets"][0]
    return data[:begin] + struct.pack("<f", float("nan")) + data[begin + 4:]


def far_point():
    begin = header["E"]["data_offsets"][0]
    return data[:begin] + struct.pack("<f", 1.5) + data[begin + 4:]


cases = {
    "truncated": good[:len(good) // 2], "no-header": good[:4], "empty-file": b"", "text": b"hello world\n" * 20,
    "rest": good + b"xxxx", "huge-header": struct.pack("<Q", 1 << 62) + good[8:],
    "model": altered(set_meta("model", "lstm")), "other-model": altered(set_meta("model", "flat")), "format": altered(set_meta("format", "x")),
    "curvature": altered(set_meta("curvature", "-1")), "tau": altered(set_meta("tau", "nan")), "dim": altered(set_meta("dim", "99999999999999999999")),
    "dim-other": altered(set_meta("dim", "5")), "vocabulary": altered(set_meta("vocabulary", '["a", "<unk>"]')),
    "vocabulary-json": altered(set_meta("vocabulary", "[")), "no-vocabulary": altered(lambda h: h["__metadata__"].pop("vocabulary")),
    "offsets": altered(lambda h: h["E"].update(data_offsets=[0, 1 << 60])), "overlap": altered(lambda h: h["E"].update(data_offsets=h["W"]["data_offsets"])),
    "overflow": altered(lambda h: h["E"].update(shape=[1 << 40, 1 << 40])), "dtype": altered(lambda h: h["E"].update(dtype="I32")),
    "dtype-unknown": altered(lambda h: h["E"].update(dtype="Q8")), "renamed": altered(lambda h: h.update(F=h.pop("E"))),
    "wide": altered(set_meta("dtype", "f64")), "half": altered(set_meta("dtype", "f16")),
    "nan": altered(body=nan_first("E")), "nan-moment": altered(body=nan_first("v.W")), "outside": altered(body=far_point()),
}
os.makedirs(at("altered"))
for name, content in cases.items():
    write(f"altered/{name}.safetensors", content)
    bad(name, "eval", "--checkpoint", at(f"altered/{name}.safetensors"), "--corpus", at("text.txt"), "--target", "loops")
    bad(name, "generate", "--checkpoint", at(f"altered/{name}.safetensors"), "--target", "loops")
bad("nosuch", "eval", "--checkpoint", at("nosuch.safetensors"), "--corpus", at("text.txt"))
bad("nosuch", "eval", "--checkpoint", at("run/last.safetensors"), "--corpus", at("nosuch.txt"))
bad("--split", "eval", "--checkpoint", at("run/last.safetensors"), "--corpus", at("text.txt"), "--split", "dev")
bad("--tokens", "generate", "--checkpoint", at("run/last.safetensors"), "--tokens", -1)
bad("--temperature", "generate", "--checkpoint", at("run/last.safetensors"), "--temperature", "nan")
bad("--out", *train(out="run"))  # holds a run
bad("--lr", *train("--resume", "--lr", 0.5, out="run"))  # another run's options
bad("--dtype", *train("--resume", "--dtype", "f64", out="run"))
bad("expects f32 as in", "eval", "--checkpoint", at("run/last.safetensors"), "--corpus", at("text.txt"), "--dtype", "f64")
bad("expects f32 as in", "generate", "--checkpoint", at("run/last.safetensors"), "--dtype", "f64")
write("text2.txt", text.replace("w1 ", "w2 "))
bad("--corpus", *train("--resume", out="run", corpus="text2.txt"))

# What must work: --help everywhere, a prompt with unknown words, evaluation of the run.
for command in [[], ["train"], ["eval"], ["generate"], ["export"], ["bench"], ["bench", "step"], ["counts"]]:
    r = run(*command, "--help")
    if r.returncode != 0 or "Example" not in r.stdout:
        failures += 1
        print("FAIL: no help with examples", command)
common = ["--checkpoint", at("run/last.safetensors"), "--target", "loops"]
r = run("generate", *common, "--prompt", "w1 zebra w2", "--tokens", 5)
if r.returncode or "'zebra'" not in r.stderr or "<unk>" not in r.stderr or len(r.stdout.split()) != 8:
    failures += 1
    print("FAIL: generate", r)
again = run("generate", *common, "--prompt", "w1 zebra w2", "--tokens", 5)
other = run("generate", *common, "--prompt", "w1 zebra w2", "--tokens", 5, "--seed", 7)
if again.stdout != r.stdout or other.stdout == r.stdout:
    failures += 1
    print("FAIL: the seed does not decide", r.stdout, again.stdout, other.stdout)
r = run("eval", *common, "--corpus", at("text.txt"), "--json")
metrics = json.loads(open(at("run/metrics.jsonl")).read().splitlines()[-1])
if r.returncode or abs(json.loads(r.stdout)["ppl"] / metrics["valid_ppl"] - 1) > 1e-9:
    failures += 1
    print("FAIL: eval differs from the run's own validation", r, metrics)

# f64: a checkpoint of that type, a run that resumes, nearly the same numbers.
r = run(*train("--json", "--dtype", "f64", out="wide"))
wide = open(at("wide/last.safetensors"), "rb").read()
types = {v["dtype"] for k, v in json.loads(wide[8:8 + struct.unpack("<Q", wide[:8])[0]]).items() if k != "__metadata__"}
if r.returncode or types != {"F64"} or abs(json.loads(r.stdout)["valid_ppl"] / metrics["valid_ppl"] - 1) > 1e-5:
    failures += 1
    print("FAIL: f64", r, types, metrics)
common = ["--checkpoint", at("wide/last.safetensors"), "--target", "loops", "--dtype", "f64"]
for command in [train("--resume", "--dtype", "f64", out="wide"), ["eval", *common, "--corpus", at("text.txt")], ["generate", *common, "--prompt", "w1 w2"]]:
    r = run(*command)
    if r.returncode or not r.stdout:
        failures += 1
        print("FAIL: f64", command, r)
sys.exit(f"{failures} failures" if failures else 0)
