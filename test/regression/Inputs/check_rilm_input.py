# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_rilm_input.py RILM FOLDER: inputs that once got past rilm's checks.

Bad ones must end with exit code 2 (1 for output that cannot be written), at
most three short lines on stderr, nothing on stdout and no new file or folder.
"""
import json, os, random, resource, struct, subprocess, sys

rilm, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
failures = 0


def run(*args, stdout=subprocess.PIPE):
    return subprocess.run([rilm, *args], stdout=stdout, stderr=subprocess.PIPE, timeout=300)


def fail(why, args, r):
    global failures
    failures += 1
    print("FAIL", why, args, r.returncode, r.stdout, r.stderr[:600], sep="\n  ")


def bad(expected, *args, code=2, stdout=subprocess.PIPE):
    listing = lambda: sorted(os.path.join(d, n) for d, folders, files in os.walk(folder) for n in folders + files)
    before = listing()
    r = run(*args, stdout=stdout)
    lines = r.stderr.decode().splitlines()
    if r.returncode != code or r.stdout or len(lines) > 3 or len(r.stderr) > 1000 or expected not in r.stderr.decode() or listing() != before:
        fail(f"not rejected with {expected!r}", args, r)


rng = random.Random(1)
words = [f"w{i}" for i in range(30)]
with open(at("text.txt"), "w") as f:
    f.writelines(" ".join(rng.choices(words, range(30, 0, -1), k=rng.randint(3, 9))) + "\n" for _ in range(150))
defaults = {"--dim": "4", "--vocab": "20", "--target": "loops", "--epochs": "1", "--batch": "16", "--context": "8"}


def train(out, *more):
    kept = [text for flag, value in defaults.items() if flag not in more for text in (flag, value)]
    return ["train", "--model", "hyp", "--corpus", at("text.txt"), "--out", at(out), *kept, *more]


# Numbers: nothing is clamped, wrapped, or read from an empty text.
for flag in ["--seed", "--batch", "--context", "--epochs", "--dim", "--vocab", "--threads", "--truncate"]:
    for value in ["", "1.5", "0x10", "99999999999999999999", "3 4"]:
        bad(flag, *train("out", flag, value))
bad("--seed", *train("out", "--seed", "-1"))
bad("--epochs", *train("out", "--epochs", str(2**63 - 1)))
bad("--truncate", *train("out", "--truncate", str(2**63 - 1)))
for flag in ["--lr", "--tau", "--max-minutes"]:
    for value in ["", "1e999", "1,5"]:
        bad(flag, *train("out", flag, value))
bad("--top", "generate", "--checkpoint", at("none"), "--top", "99999999999999999999")
bad("--repeat", "bench", "step", "--repeat", "99999999999999999999")

# Nothing is made for a target that does not exist, or trained for a checkpoint that cannot be written.
bad("--target", *train("out", "--target", "gpu"))
for name in ["last", "best"]:
    os.makedirs(at(f"taken-{name}/{name}.safetensors"))
    bad(f"{name}.safetensors", *train(f"taken-{name}", "--force"))

# Output that cannot be written is an error, not an abort and not a success.
with open("/dev/full", "w") as full:
    bad("standard output", "export", "--dim", "4", "--vocab", "20", code=1, stdout=full)
    bad("standard output", "counts", "--corpus", at("text.txt"), "--vocab", "20", code=1, stdout=full)

# A path may hold any byte; a prompt is text.
r = run(*(os.fsencode(a) for a in train("run", "--learn-curvature", "--learn-tau")))
if r.returncode:
    fail("training", (), r)
last = at("run/last.safetensors")
odd = os.fsencode(at("odd-")) + b"\xff"
r = run(*(odd if a == at("odd") else os.fsencode(a) for a in train("odd", "--json")))
if r.returncode or "checkpoint" not in json.loads(r.stdout):
    fail("a folder whose name is not UTF-8", (), r)
bad("--prompt", "generate", "--checkpoint", last, "--target", "loops", "--json", "--prompt", b"w1 \xff\xfe")

# Checkpoints whose parts contradict each other, or whose predictions are no numbers.
good = open(last, "rb").read()
size = struct.unpack("<Q", good[:8])[0]
header, data = json.loads(good[8 : 8 + size]), good[8 + size :]


def altered(metadata={}, numbers={}):
    h, body = json.loads(json.dumps(header)), bytearray(data)
    h["__metadata__"].update(metadata)
    for name, value in numbers.items():
        code = "<d" if h[name]["dtype"] == "F64" else "<f"
        begin = h[name]["data_offsets"][0]
        body[begin : begin + struct.calcsize(code)] = struct.pack(code, value)
    text = json.dumps(h).encode()
    return struct.pack("<Q", len(text)) + text + bytes(body)


os.makedirs(at("altered"))
metrics = open(at("run/metrics.jsonl")).read()


def try_altered(expected, commands, **how):
    with open(at("altered/last.safetensors"), "wb") as f:
        f.write(altered(**how))
    with open(at("altered/metrics.jsonl"), "w") as f:
        f.write(metrics)
    arguments = {"eval": ["--corpus", at("text.txt")], "generate": []}
    for command in commands:
        if command == "resume":
            bad(expected, *train("altered", "--learn-curvature", "--learn-tau", "--resume"))
        else:
            bad(expected, command, "--checkpoint", at("altered/last.safetensors"), "--target", "loops", *arguments[command])


everything = ["eval", "generate", "resume"]
try_altered("curvature", everything, metadata={"curvature": "7"})
try_altered("tau", everything, metadata={"tau": "0.5"})
try_altered("curvature", everything, numbers={"c": -1e5})
try_altered("tau", everything, numbers={"log_tau": 1e5})
try_altered("second moments", everything, numbers={"v.W": -1.0})
try_altered("second moments", everything, numbers={"v.c": -1.0})
try_altered("finite", ["eval", "generate"], numbers={"s": 1e300})
try_altered("--model", ["resume"], metadata={"training": json.dumps({"model": "x" * 100000})})
for key, value in {"context": "9", "protocol": "windows", "truncate": "3"}.items():
    try_altered("the model that its options name", ["resume"], metadata={key: value})

# Where memory is short, OpenMP and what knows no exceptions abort; rilm does not. (Sanitizers need their address space.)
def bad_in(mebibytes, expected, *args):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))
    r = subprocess.run([rilm, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, preexec_fn=limit)
    if r.returncode != 2 or expected not in r.stderr or len(r.stderr.splitlines()) > 3:
        fail(f"with {mebibytes} MiB", args, r)


if b"__asan_init" not in open(rilm, "rb").read():
    bad_in(3000, b"--threads", *train("out", "--threads", "4096"))
    bad_in(3000, b"memory", *train("out", "--dim", "65536", "--batch", "100000", "--context", "100000", "--threads", "1"))
    bad_in(400, b"memory", *train("out", "--dim", "65536", "--threads", "1"))
sys.exit(f"{failures} failures" if failures else 0)
