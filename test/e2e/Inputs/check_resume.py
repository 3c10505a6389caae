# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_resume.py RILM FOLDER: same seed, same bytes; and a run that is killed
and resumed ends in the same bytes as one that was not."""
import os, random, signal, subprocess, sys, time

rilm, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
rng = random.Random(2)
words = ["w%d" % i for i in range(30)]
with open(at("text.txt"), "w") as f:
    for _ in range(1500):
        f.write(" ".join(rng.choices(words, range(30, 0, -1), k=rng.randint(2, 14))) + "\n")


def command(out, *more):
    return [rilm, "train", "--model", "hyp", "--corpus", at("text.txt"), "--out", at(out), "--dim", "6", "--vocab", "25", "--batch", "8",
            "--context", "10", "--epochs", "6", "--dropout", "0.1", "--learn-tau", "--learn-curvature", "--threads", "2", *sys.argv[3:], *more]


def train(out, *more):
    subprocess.run(command(out, *more), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return open(at(out + "/last.safetensors"), "rb").read()


whole = train("whole")
assert train("again") == whole, "two runs of one seed differ"
process = subprocess.Popen(command("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while not os.path.exists(at("killed/last.safetensors")) and process.poll() is None:
    time.sleep(0.002)
process.send_signal(signal.SIGKILL)
process.wait()
lines = len(open(at("killed/metrics.jsonl")).read().splitlines())
print(f"killed after {lines} epochs")
assert train("killed", "--resume") == whole, "the resumed run differs"
assert len(open(at("killed/metrics.jsonl")).read().splitlines()) == 6
assert open(at("killed/best.safetensors"), "rb").read() == open(at("whole/best.safetensors"), "rb").read()
assert not [f for f in os.listdir(at("killed")) if f not in ("metrics.jsonl", "last.safetensors", "best.safetensors")] or lines < 6
