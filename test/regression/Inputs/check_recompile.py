# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_recompile.py RILM FOLDER: one compilation for all batches and lengths of a run, and
for every text, seed, rate and number of threads; another size of the batch, which decides
what is computed on tables, takes one more at most. Counted by objects in the cache."""
import os, random, shutil, subprocess, sys

rilm, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
os.environ["GEOC_CACHE"] = at("cache")
rng = random.Random(5)
words = [f"w{i}" for i in range(30)]
for name, longest in ("short.txt", 4), ("long.txt", 23):
    with open(at(name), "w") as f:
        for _ in range(120):
            print(*rng.choices(words, range(30, 0, -1), k=rng.randint(2, longest)), file=f)


def run(*args):
    """Objects that the command added."""
    before = set(os.listdir(at("cache")) if os.path.isdir(at("cache")) else [])
    subprocess.run([rilm, *map(str, args)], check=True, capture_output=True, text=True)
    return len(set(os.listdir(at("cache"))) - before)


def train(*more, corpus="short.txt"):
    return run("train", "--corpus", at(corpus), "--vocab", 20, "--dim", 8, "--epochs", 1, "--out", at("out"), "--force", *more)


assert train() == 1  # lines of 2 to 4 words, and a last batch of fewer lines
for more in [["--seed", 9], ["--lr", 0.5], ["--threads", 1], ["--warmup", 3]]:
    assert train(*more) == 0, more
assert train(corpus="long.txt") == 0
for more in [["--batch", 7], ["--context", 3], ["--batch", 33, "--context", 11]]:
    assert train(*more) <= 1, more
    assert train(*more, corpus="long.txt") == 0, more
assert train("--protocol", "windows", corpus="long.txt") == 1
train()
evaluate = ["eval", "--checkpoint", at("out/last.safetensors"), "--corpus", at("short.txt")]
generate = ["generate", "--checkpoint", at("out/last.safetensors"), "--tokens"]
for command, others in [(evaluate, [["--split", "test"], ["--context", 5]]), (generate + [3], [])]:
    assert run(*command) <= 1, command
    for more in others:
        assert run(*command, *more) == 0, (command, more)
assert run(*generate, 40) == 0
