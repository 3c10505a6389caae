# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_ids.py RILM FOLDER: word numbers from .npy files train as the same
words from a text do, to the bit, and targets are what is predicted."""
import json, os, random, struct, subprocess, sys

rilm, folder = sys.argv[1], sys.argv[2]
at = lambda name: os.path.join(folder, name)
os.makedirs(at("ids"))
rng = random.Random(3)
words = ["w%d" % i for i in range(20)]
for split, lines in [("train", 150), ("valid", 30), ("test", 20)]:
    with open(at(f"t.{split}.txt"), "w") as f:
        f.writelines(" ".join(rng.choices(words, range(20, 0, -1), k=rng.randint(2, 9))) + "\n" for _ in range(lines))


def run(*args, code=0):
    r = subprocess.run([rilm, *args, "--target", "loops"], capture_output=True, text=True)
    assert r.returncode == code, (args, r.returncode, r.stderr)
    return json.loads(r.stdout) if code == 0 else r.stderr


def train(out, *more, code=0):
    epochs = [] if "--epochs" in more else ["--epochs", "2"]
    return run("train", "--model", "hyp", "--out", at(out), "--dim", "4", "--batch", "8", "--context", "8", *epochs, "--json", *more, code=code)


def parse(path):
    blob = open(path, "rb").read()
    size = struct.unpack("<Q", blob[:8])[0]
    return json.loads(blob[8 : 8 + size]), blob[8 + size :]


def npy(name, numbers, code="i"):
    header = "{'descr': '<i%d', 'fortran_order': False, 'shape': (%d,), }" % (struct.calcsize("<" + code), len(numbers))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(at(name), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers))


text = train("text", "--corpus", folder, "--vocab", "20", "--protocol", "windows")
header, tensors = parse(at("text/last.safetensors"))
rows = {word: i for i, word in enumerate(json.loads(header["__metadata__"]["vocabulary"]))}
streams = {}
for split in ["train", "valid", "test"]:
    streams[split] = [rows.get(word, rows["<unk>"]) for word in open(at(f"t.{split}.txt")).read().split()]
    npy(f"ids/ids.{split}.npy", streams[split], "iq"[split == "valid"])
    npy(f"ids/targets.{split}.npy", streams[split][1:] + [0])

ids = train("by-ids", "--ids", at("ids"), "--vocab", "20")
assert parse(at("by-ids/last.safetensors"))[1] == tensors, "ids and text train differently"
train("by-targets", "--ids", at("ids"), "--targets", at("ids"), "--vocab", "20")
assert parse(at("by-targets/last.safetensors"))[1] == tensors, "targets that are the next word change training"
for split in ["valid", "test"]:
    a = run("eval", "--checkpoint", at("text/last.safetensors"), "--corpus", folder, "--split", split, "--json")
    b = run("eval", "--checkpoint", at("by-ids/last.safetensors"), "--ids", at("ids"), "--split", split, "--json")
    assert a == b, (a, b)

# Targets of their own, and one file for all splits: a function of the word that was read is learnt.
stream = streams["train"] + streams["valid"]
npy("all.npy", stream)
npy("own.npy", [(7 * word + 3) % 20 for word in stream], "q")
own = train("own", "--ids", at("all.npy"), "--targets", at("own.npy"), "--lr", "0.1", "--epochs", "30", "--tau", "0.2")
assert own["valid_ppl"] < 4 < ids["valid_ppl"], (own["valid_ppl"], ids["valid_ppl"])
assert json.loads(parse(at("own/last.safetensors"))[0]["__metadata__"]["vocabulary"]) == [str(i) for i in range(20)]
assert run("generate", "--checkpoint", at("own/last.safetensors"), "--prompt", "3 19 0", "--tokens", "2", "--json")["text"].startswith("3 19 0 ")

for expected, command in {
    "expects windows with --targets, but got lines": ["--ids", at("all.npy"), "--targets", at("own.npy"), "--protocol", "lines"],
    "--corpus: expects a text, or --ids instead of it, but got both": ["--ids", at("all.npy"), "--corpus", folder],
    "--targets: expects --ids beside it": ["--corpus", folder, "--targets", at("own.npy")],
    "expects word numbers of 0 to 9, but got": ["--ids", at("all.npy"), "--vocab", "10"],
}.items():
    assert expected in train("bad", *command, code=2), expected
    assert not os.path.exists(at("bad"))
checkpoint = ["--checkpoint", at("own/last.safetensors")]
assert "expects --ids for a model trained on them" in run("eval", *checkpoint, "--corpus", folder, code=2)
assert "expects word numbers of 0 to 19, but got 'w1'" in run("generate", *checkpoint, "--prompt", "w1", code=2)
stream[5] += 1
npy("other.npy", stream)
error = train("own", "--ids", at("other.npy"), "--targets", at("own.npy"), "--lr", "0.1", "--epochs", "30", "--tau", "0.2", "--resume", code=2)
assert "--corpus" in error or "--ids" in error, error
