# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_init_from.py RILM FOLDER: a checkpoint of another program, by a map of names:
rows in its own order of words, ambient coordinates, one matrix for two, a curvature
stored by softplus."""
import json, math, os, random, shutil, struct, subprocess, sys

rilm, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
os.environ["GEOC_CACHE"] = at("cache")
rng = random.Random(5)
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
WORDS, D = ["<unk>", "a", "b", "c", "d"], 3
with open(at("text.txt"), "w") as f:
    for i in range(60):
        f.write(" ".join(["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"] + ["e"] * (i == 0)) + "\n")


def write(name, tensors):
    header, blob = {}, b""
    for key, (shape, values) in tensors.items():
        data = struct.pack(f"<{len(values)}f", *values)
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header).encode()
    with open(at(name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + blob)


def read(path):
    blob = open(path, "rb").read()
    n = struct.unpack("<Q", blob[:8])[0]
    header = json.loads(blob[8 : 8 + n])
    metadata = header.pop("__metadata__")
    tensors = {}
    for key, e in header.items():
        a, b = e["data_offsets"]
        kind = {"F32": "f", "F64": "d"}[e["dtype"]]
        tensors[key] = struct.unpack(f"<{(b - a) // struct.calcsize(kind)}{kind}", blob[8 + n + a : 8 + n + b])
    return metadata, tensors


draw = lambda n: [f32(rng.gauss(0, 0.3)) for _ in range(n)]
space = {w: draw(D) for w in WORDS}
order = ["d", "<unk>", "b", "a", "c"]
ambient = []
for w in order:
    ambient += [f32(math.sqrt(2 + sum(x * x for x in space[w])))] + space[w]
cell, bias, step = draw(2 * D * D), draw(D), [f32(0.4)]
write("other.safetensors", {"emb.weight": ([5, D + 1], ambient), "cell.weight": ([2 * D, D], cell), "cell.bias": ([D], bias),
                            "cell.step": ([1], step), "m.k": ([], [f32(0.25)])})
json.dump(order, open(at("words.json"), "w"))
good = {"E": {"from": "emb.weight", "columns": [1, D + 1], "words": "words.json"},
        "Wh": {"from": "cell.weight", "transpose": True, "columns": [0, D]},
        "We": {"from": "cell.weight", "transpose": True, "columns": [D, 2 * D]},
        "b": "cell.bias", "s": "cell.step", "c": {"from": "m.k", "softplus": True, "inverse": True, "scale": 0.5}}


def train(rules, out, code=0):
    json.dump(rules, open(at("map.json"), "w"))
    done = subprocess.run([rilm, "train", "--model", "hyp", "--manifold", "#geo.lorentz<1.0>", "--learn-curvature", "--dim", str(D),
                           "--vocab", "5", "--corpus", at("text.txt"), "--epochs", "0", "--init-from", at("other.safetensors"),
                           "--init-map", at("map.json"), "--out", at(out)], capture_output=True, text=True)
    assert done.returncode == code, (rules, done.returncode, done.stderr)
    return done.stderr


train(good, "run")
metadata, got = read(at("run/last.safetensors"))
words = json.loads(metadata["vocabulary"])
assert sorted(words) == sorted(WORDS), words
assert list(got["E"]) == [x for w in words for x in space[w]], got["E"]
# Our W [d, 2d] has the state's half first; theirs is its transpose.
want = [cell[j * D + i] for i in range(D) for j in range(2 * D)]
assert list(got["W"]) == want, (got["W"], want)
assert list(got["b"]) == bias and got["s"][0] == step[0]
c = math.log1p(math.exp(got["c"][0]))
assert abs(c - 0.5 / math.log1p(math.exp(0.25))) < 1e-12, c
done = subprocess.run([rilm, "eval", "--checkpoint", at("run/last.safetensors"), "--corpus", at("text.txt"), "--json"],
                      capture_output=True, text=True)
assert done.returncode == 0 and json.loads(done.stdout)["ppl"] > 1, done.stderr

json.dump(order[1:] + ["z"], open(at("short.json"), "w"))
for change, what in [({"X": "emb.weight"}, "expects parameters of this model"), ({"b": "nothing"}, "expects a tensor 'nothing'"),
                     ({"b": "cell.weight"}, "expects numbers of shape [3]"), ({"b": 3}, "expects the name of a tensor"),
                     ({"b": {"from": "cell.bias", "scales": 2}}, "expects from, transpose"),
                     ({"E": {"from": "emb.weight", "columns": [1, 9], "words": "words.json"}}, "0 <= a < b <= 4"),
                     ({"E": {"from": "emb.weight", "columns": [1, 4], "words": "short.json"}}, "expects the word 'd'"),
                     ({"c": {"from": "m.k", "scale": -1}}, "expects positive numbers"),
                     ({"b": {"from": "cell.bias", "scale": "2"}}, '"scale" to be a number')]:
    error = train({**good, **change}, "bad", code=2)
    assert what in error and error.count("\n") <= 3, (change, error)
