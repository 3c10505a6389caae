# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_score.py RILM FOLDER [OPTIONS OF TRAIN]: the perplexities that rilm reports are right.

Trains small models, then scores the validation text from the checkpoint alone, in
plain Python. The state that predicts a word must not have seen it: with the words
to be predicted permuted, the model is no better than one that knows no context.
"""
import collections, json, math, os, random, struct, subprocess, sys

rilm, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
os.makedirs(folder)
text = os.path.join(folder, "text.txt")
rng = random.Random(3)
with open(text, "w") as f:
    for _ in range(1200):  # each word decides much of the next
        w, line = rng.randrange(20), []
        for _ in range(rng.randint(1, 15)):
            line.append("w%d" % w)
            w = (3 * w + rng.choice([1, 1, 1, 7])) % 23
        f.write(" ".join(line) + "\n")


def load(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    meta = header.pop("__metadata__")
    tensors = {}
    for name, t in header.items():
        raw = data[t["data_offsets"][0]:t["data_offsets"][1]]
        flat = struct.unpack("<%d%s" % (len(raw) // (4 if t["dtype"] == "F32" else 8), "f" if t["dtype"] == "F32" else "d"), raw)
        width = t["shape"][-1] if t["shape"] else 1
        rows = [flat[i:i + width] for i in range(0, len(flat), width)]
        tensors[name] = rows if len(t["shape"]) == 2 else flat
    return tensors, meta


dot = lambda x, y: math.fsum(a * b for a, b in zip(x, y))
norm = lambda x: math.sqrt(dot(x, x))


class Model:
    def __init__(self, path):
        self.t, meta = load(path)
        self.words = {w: i for i, w in enumerate(json.loads(meta["vocabulary"]))}
        self.flat, self.c, self.tau = meta["model"] == "flat", float(meta["curvature"]), float(meta["tau"])
        self.root = self.t["root"]

    def log0(self, x):
        r = math.sqrt(self.c) * norm(x)
        return x if self.flat else [math.atanh(r) / r * a for a in x]

    def add(self, x, y):  # the textbook's form, not the compiler's
        c, xy, xx, yy = self.c, dot(x, y), dot(x, x), dot(y, y)
        n = 1 + 2 * c * xy + c * c * xx * yy
        return [((1 + 2 * c * xy + c * yy) * a + (1 - c * xx) * b) / n for a, b in zip(x, y)]

    def distance(self, x, y):
        difference = [a - b for a, b in zip(x, y)]
        if self.flat:
            return norm(difference)
        c = self.c
        z = 1 + 2 * c * dot(difference, difference) / ((1 - c * dot(x, x)) * (1 - c * dot(y, y)))
        return math.acosh(z) / math.sqrt(c)

    def move(self, h, word):
        joined = [*self.log0(h), *self.log0(self.t["E"][word])]
        phi = [math.tanh(dot(row, joined) + b) for row, b in zip(self.t["W"], self.t["b"])]
        if self.flat:
            return [a + b for a, b in zip(h, phi)]
        v = [self.t["s"][0] * a for a in phi]
        r = math.sqrt(self.c) * norm(v)
        return self.add(h, [math.tanh(r) / r * a for a in v])

    def nll(self, h, word):
        z = [-self.distance(h, e) ** 2 / self.tau for e in self.t["E"]]
        return max(z) + math.log(math.fsum(math.exp(a - max(z)) for a in z)) - z[word]


def sequences(model, protocol, context):
    lines = [l.split() for l in open(text)]
    # 90/5/5 in order
    valid = lines[len(lines) * 90 // 100:len(lines) * 95 // 100]
    valid = [[model.words.get(w, model.words["<unk>"]) for w in l] for l in valid]
    if protocol == "lines":
        return [l[i:i + context] for l in valid for i in range(0, len(l), context)]
    stream = [w for l in valid for w in l]
    return [stream[i * context:i * context + context + 1] for i in range((len(stream) - 1) // context)]


def score(model, seqs, first, shuffled=False):
    targets = [w for s in seqs for w in s[first:]]
    random.Random(4).shuffle(targets)
    total = count = 0
    for s in seqs:
        h = model.root
        for p, w in enumerate(s):
            if p >= first:
                total += model.nll(h, targets[count] if shuffled else w)
                count += 1
            h = model.move(h, w)
    return math.exp(total / count), count


for kind, protocol, c in [("flat", "lines", 1), ("hyp", "lines", 0.5), ("hyp", "windows", 1)]:
    out = os.path.join(folder, kind + protocol)
    more = ["--curvature", str(c)] + (["--learn-tau"] if kind == "flat" else [])
    r = subprocess.run([rilm, "train", "--model", kind, "--protocol", protocol, "--corpus", text, "--out", out, "--dim", "5", "--vocab", "22",
                        "--context", "9", "--batch", "16", "--epochs", "8", "--lr", "0.02", "--init", "0.2", "--weight-scale", "1", "--json",
                        *more, *options], check=True, capture_output=True, text=True)
    reported = json.loads(r.stdout)
    model = Model(os.path.join(out, "last.safetensors"))
    seqs = sequences(model, protocol, 9)
    ppl, count = score(model, seqs, int(protocol == "windows"))
    shuffled, _ = score(model, seqs, int(protocol == "windows"), shuffled=True)
    counts = collections.Counter(w for s in seqs for w in s)
    unigram = math.exp(-sum(n / counts.total() * math.log(n / counts.total()) for n in counts.values()))
    print(kind, protocol, reported["valid_ppl"], ppl, count, "shuffled", shuffled, "unigram", unigram)
    assert count == reported["scored_tokens"]
    assert abs(ppl / reported["valid_ppl"] - 1) < 1e-4
    assert ppl < 0.6 * unigram, "learnt nothing"
    assert shuffled > unigram, "the predicted word leaks into its state"
