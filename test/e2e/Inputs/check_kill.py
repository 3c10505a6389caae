# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_kill.py RILM FOLDER KILLS SEED: training that is killed KILLS times, at
random moments, and resumed each time, loses no checkpoint and ends in the bytes
of a run that was left alone. Options that follow go to rilm train."""
import json, os, random, shutil, signal, struct, subprocess, sys, time

rilm, folder, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
rng = random.Random(seed)
words = ["w%d" % i for i in range(30)]
with open(at("text.txt"), "w") as f:
    for _ in range(900):
        f.write(" ".join(rng.choices(words, range(30, 0, -1), k=rng.randint(2, 14))) + "\n")
os.environ["GEOC_CACHE"] = at("cache")
interval, epochs = 7, 4
model = ["--model", "hyp", "--dim", "6", "--dropout", "0.1", "--learn-tau", "--learn-curvature"]
if "--model-file" in sys.argv:
    model = []
outputs = ["best.safetensors", "last.safetensors", "metrics.jsonl"]


def command(out):
    resume = ["--resume"] if os.path.exists(at(out + "/last.safetensors")) else []
    return [rilm, "train", *model, "--corpus", at("text.txt"), "--out", at(out), "--vocab", "25", "--batch", "8", "--lr", "0.02",
            "--context", "10", "--epochs", str(epochs), "--threads", "1",
            "--checkpoint-every", str(interval), "--patience", "3", *sys.argv[5:], *resume]


def start(out):
    return subprocess.Popen(command(out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def contents(out):
    result = {name: open(at(f"{out}/{name}"), "rb").read() for name in outputs}
    # Only the time that an epoch took may differ.
    result["metrics.jsonl"] = [{**json.loads(line), "seconds": 0} for line in result["metrics.jsonl"].splitlines()]
    return result


def updates(out):
    path = at(out + "/last.safetensors")
    if not os.path.exists(path):
        return -1
    blob = open(path, "rb").read()
    header = json.loads(blob[8 : 8 + struct.unpack("<Q", blob[:8])[0]])
    return int(header["__metadata__"]["updates"])


def finish(process):
    error = process.communicate()[1].decode()
    assert process.returncode == 0, (process.returncode, error)


finish(start("warm"))  # fills the cache, so that a run takes equally long each time
begin = time.monotonic()
finish(start("whole"))
whole, length = contents("whole"), time.monotonic() - begin
assert len(whole["metrics.jsonl"]) == epochs

done, runs, middle = 0, 0, 0
while done < kills or runs == 0:
    out, seen = f"killed{runs}", -1
    while True:
        process = start(out)
        try:
            # Long runs and short ones, some into the very start.
            process.wait(timeout=rng.random() ** 2 * length if done < kills else None)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            done += 1
            now = updates(out)
            assert now >= seen, f"killed at {seen} updates, then {now}"
            middle += now > seen
            seen = now
            continue
        finish(process)
        break
    assert contents(out) == whole, f"run {runs} differs after {done} kills"
    # A process that was killed leaves temporary files, which the next one removes.
    assert sorted(os.listdir(at(out))) == outputs, os.listdir(at(out))
    runs += 1
print(f"{done} kills, {middle} of them with progress, {runs} runs")
assert middle >= min(kills // 4, 1)
