# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuzz.py --bin DIR --count N [--seed S] [--only I,J] [--keep DIR]: drives geo-opt,
geoc, rilm and geo-numerics with mutations of the tests' own inputs.

Fails on a signal, a sanitizer's report, a failed assertion, a hang, an exit code
other than 0, 1 or 2, or more than three lines on stderr of rilm. The inputs and
command lines of failures are kept; `--only` makes one of them again.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import random
import re
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What a program says that should not have gone on.
ALARM = re.compile(rb"Sanitizer|runtime error:|Assertion .* failed|LLVM ERROR|PLEASE submit a bug report|UNREACHABLE|terminate called|Stack dump")
# Faults of the MLIR that Geoc is built on, all in mlir-opt as well: array<T: ..> of odd T;
# an empty group of tensor.expand_shape.
UPSTREAM = re.compile(rb"Parser::parseDenseArrayAttr|getSymbolLessAffineMaps")
BATCH = 8  # modules that one geo-opt reads


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Inputs:
    """Seeds by kind, and what the mutations choose from."""

    def __init__(self, work, tools):
        self.modules, self.invalid, self.flags = [], [], []
        for folder in ["test", "bench", "docs", "dialect", "examples"]:
            paths = [p for kind in ["mlir", "cpp", "md"] for p in sorted(glob.glob(f"{SOURCE}/{folder}/**/*.{kind}", recursive=True))]
            for path in paths:
                text = read(path)
                if not path.endswith(".mlir"):
                    found = re.findall(rb'R"mlir\((.*?)\)mlir"' if path.endswith(".cpp") else rb"```mlir\n(.*?)```", text, re.S)
                    text = b"// -----".join(found)
                for line in re.findall(rb"RUN:\s*geo-opt([^|\n]*)", text):
                    flags = [f for f in shlex.split(line.decode()) if f.startswith("-") and not re.search("verify-diagnostics|split|help", f)]
                    if flags not in self.flags:
                        self.flags.append(flags)
                into = self.invalid if "invalid" in path else self.modules
                into += [part for part in text.split(b"// -----") if 40 < len(part) < 20000]
        self.flags.append(["--geo-check-points", "--geo-expand", "--geo-differentiate", "--canonicalize", "--cse"])
        known = subprocess.run([tools.path("geo-opt"), "--help"], capture_output=True).stdout
        names = set(re.findall(rb"\n\s+--([\w-]+)", known))
        self.flags += [["--" + name.decode()] for name in sorted(names) if name.startswith(b"geo-")]
        self.flags = [f for f in self.flags if all(re.match(r"-+([\w-]+)", x).group(1).encode() in names for x in f)]
        for model in ["flat", "hyp", "naive"]:
            command = [tools.path("rilm"), "export", "--model", model, "--vocab", "8", "--dim", "3", "--truncate", "2"]
            self.modules += 8 * [subprocess.run(command, check=True, capture_output=True).stdout]
        self.words = sorted({t for m in self.modules + self.invalid for t in mutate.TOKEN.findall(m) if not t.isspace()})
        self.models = [read(path) for path in sorted(glob.glob(f"{SOURCE}/test/frontend/Inputs/*.mlir"))]
        lines = [line for name in ["refvec", "extra"] for line in read(f"{SOURCE}/test/numerics/Inputs/{name}.jsonl").splitlines()]
        self.references = [line for line in lines if len(line) < 1500]
        self.make_models(work, tools)

    def make_models(self, work, tools):
        """A small corpus, its numbers, settings and checkpoints."""
        rng = random.Random(1)
        words = ["w%d" % i for i in range(12)]
        lines = [" ".join(rng.choices(words, range(12, 0, -1), k=rng.randint(1, 7))) for _ in range(60)]
        self.text = ("\n".join(lines) + "\n").encode()
        ids = [int(w[1:]) for line in lines for w in line.split()]
        header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % len(ids)
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        self.npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(ids)}i", *ids)
        self.settings = b'{"E": {"lr": 0.01, "weight-decay": 0.1}, "W": {"frozen": true}, "b": {"weight-decay": 0}}'
        with open(f"{work}/text.txt", "wb") as f:
            f.write(self.text)
        self.checkpoints = {}
        for model, more in {"flat": [], "hyp": ["--learn-curvature", "--learn-tau"], "naive": []}.items():
            out = f"{work}/{model}"
            command = [tools.path("rilm"), "train", "--model", model, "--corpus", f"{work}/text.txt", "--out", out, *self.size(), *more]
            subprocess.run(command, check=True, capture_output=True, env=tools.environment)
            self.checkpoints[model] = read(f"{out}/last.safetensors")
            self.metrics = read(f"{out}/metrics.jsonl")

    @staticmethod
    def size():
        return ["--dim", "3", "--vocab", "8", "--batch", "8", "--context", "4", "--epochs", "1", "--target", "loops", "--threads", "1"]


class Tools:
    def __init__(self, folder, work, seconds, memory):
        self.folder, self.seconds, self.memory = os.path.abspath(folder), seconds, memory
        self.codes = collections.Counter()
        self.environment = {**os.environ, "GEOC_CACHE": f"{work}/cache", "OMP_WAIT_POLICY": "passive",
                            "ASAN_OPTIONS": "detect_leaks=0:allow_user_poisoning=0", "UBSAN_OPTIONS": "print_stacktrace=1"}

    def path(self, name):
        return os.path.join(self.folder, name)

    def limit(self):
        if self.memory:
            resource.setrlimit(resource.RLIMIT_AS, (self.memory << 20, self.memory << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, command, folder):
        """What is wrong with this run; None if nothing."""
        with open(f"{folder}/stderr", "w+b") as errors:
            try:
                code = subprocess.run([self.path(command[0]), *command[1:]], stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL,
                                      env=self.environment, timeout=self.seconds, preexec_fn=self.limit).returncode
            except subprocess.TimeoutExpired:
                return f"hangs for {self.seconds} s"
            errors.seek(0)
            said = errors.read(1 << 20)
        self.codes[command[0] if command[0] != "rilm" else "rilm " + command[1], code] += 1
        alarm = ALARM.search(said)
        if (code < 0 or alarm) and UPSTREAM.search(said):
            return None
        if code < 0 or code > 2 or alarm:
            # The report, or the innermost frame that tells something.
            place = re.search(rb"[^\n]*(?:Sanitizer|runtime error:|Assertion|LLVM ERROR|what\(\))[^\n]*", said)
            place = place or re.search(rb"#\d+ \S+ [^\n]*\bgeo::[^\n]*", said) or re.search(rb"#[4-9] \S+ \w[^\n]*", said)
            return f"exit code {code}: {(place.group(0)[:300] if place else said[-300:]).decode(errors='replace')}"
        if command[0] == "rilm" and said.count(b"\n") > 3:
            return f"{said.count(bytes([10]))} lines on stderr"
        return None


def module_command(rng, inputs, path):
    """geoc, with everything it can be asked for."""
    command = ["geoc", path, "-o", path + ".out"]
    stage = rng.choice(["geo", "expanded", "gradient", "linalg", "llvm", "obj", "obj", ""])
    return command + ([f"--emit={stage}"] if stage else []) + [f"--target={rng.choice(['cpu', 'cpu', 'loops'])}"]


def numerics_command(rng, inputs, path):
    lines = []
    for _ in range(rng.randint(1, 4)):
        line = rng.choice(inputs.references)
        lines.append(mutate.mutate_json_text(rng, line, [line], [b"-1", b'"x"', b"1e400", b"[]"]) if rng.random() < 0.8 else line)
    with open(path, "wb") as f:
        f.write(b"\n".join(lines) + b"\n")
    return ["geo-numerics", path, "--target=loops"]


def rilm_command(rng, inputs, folder):
    """A mutated file of a kind that rilm reads; the command that reads it."""
    size = inputs.size()
    kind = rng.choice(["text", "npy", "settings", "eval", "generate", "resume", "model", "model"])
    path = f"{folder}/input"

    def write(data, name=path):
        with open(name, "wb") as f:
            f.write(data)
        return name

    if kind == "text":
        write(mutate.mutate_text(rng, inputs.text, [inputs.text], [b"w1", b"<unk>", b"\n", b"w99"]))
        tail = rng.choice([["train", "--model", rng.choice(["flat", "hyp"]), "--out", f"{folder}/out", *size], ["counts", "--vocab", "8"]])
        return [tail[0], "--corpus", path, *tail[1:]]
    if kind == "model":
        write(mutate.mutate_text(rng, rng.choice(inputs.models), inputs.models, inputs.words))
        small = [x for x in size if x not in ("--dim", "3")]
        optimizer = ["--optimizer", rng.choice(["adam", "rsgd", "radam"])]
        return rng.choice([["train", "--corpus", f"{folder}/../text.txt", "--out", f"{folder}/out", *small, *optimizer], ["params", "--vocab", "8"],
                           ["export", "--vocab", "8", *optimizer]]) + ["--model-file", path]
    if kind == "npy":
        write(mutate.mutate_npy(rng, inputs.npy, [inputs.npy], [b"'<i8'", b"'<f4'", b"True", b"(3,)", b"'shape'", b"-1", b"99"]))
        more = rng.choice([["--ids", path], ["--ids", path], ["--ids", write(inputs.npy, path + "2"), "--targets", path]])
        size.remove("--vocab"), size.remove("8")
        return ["train", "--model", "flat", *more, "--out", f"{folder}/out", *size, "--vocab", "12"]
    if kind == "settings":
        write(mutate.mutate_json_text(rng, inputs.settings, [inputs.settings], [b'"lr"', b"1e400", b'"E"', b"true", b"-1"]))
        return ["train", "--model", "flat", "--corpus", f"{folder}/../text.txt", "--out", f"{folder}/out", *size, "--param-file", path]
    model = rng.choice(sorted(inputs.checkpoints))
    seed = inputs.checkpoints[model]
    data = mutate.mutate_safetensors(rng, seed, [seed], [])
    if kind == "resume":
        os.makedirs(f"{folder}/out")
        write(data if rng.random() < 0.8 else seed, f"{folder}/out/last.safetensors")
        write(inputs.metrics if rng.random() < 0.5 else mutate.mutate_text(rng, inputs.metrics, [seed], [b"1"]), f"{folder}/out/metrics.jsonl")
        more = ["--learn-curvature", "--learn-tau"] if model == "hyp" else []
        return ["train", "--model", model, "--corpus", f"{folder}/../text.txt", "--out", f"{folder}/out", "--resume", *size, *more]
    write(data)
    tail = ["--target", "loops", "--threads", "1"]
    if kind == "eval":
        return ["eval", "--checkpoint", path, "--corpus", f"{folder}/../text.txt", *tail]
    return ["generate", "--checkpoint", path, "--prompt", "w1 w2 zz", "--tokens", "3", "--top", "2", *tail]


class Fuzzer:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.tools = Tools(options.bin, work, options.timeout, options.memory)
        self.inputs = Inputs(work, self.tools)

    def mutant(self, rng):
        m = self.inputs.modules if rng.random() < 0.85 else self.inputs.invalid
        return mutate.mutate_text(rng, rng.choice(m), [rng.choice(m), rng.choice(m)], self.inputs.words)

    def case(self, number):
        """Runs inputs `number` .. number + BATCH - 1; yields (number, command, why)."""
        rng = random.Random(f"{self.options.seed}:{number}")
        folder = f"{self.work}/{number}"
        os.makedirs(folder)
        failures = []
        kind = rng.random()
        if kind < 0.6:  # most inputs are modules for geo-opt, which reads several at once
            path, parts = f"{folder}/input.mlir", [self.mutant(rng) for _ in range(BATCH)]
            flags = rng.choice(self.inputs.flags)
            with open(path, "wb") as f:
                f.write(b"\n// -----\n".join(parts))
            command = ["geo-opt", *flags, "--split-input-file", "--mlir-disable-threading", path]
            why = self.tools.run(command, folder)
            if why:
                failures.append((command, self.single(command, parts, folder) or why))
        else:
            for k in range(BATCH):
                inner = f"{folder}/{k}"
                os.makedirs(inner)
                if kind < 0.62 and os.path.exists(self.tools.path("geo-numerics")):
                    command = numerics_command(rng, self.inputs, f"{inner}/input.jsonl")
                elif kind < 0.8:
                    with open(f"{inner}/input.mlir", "wb") as f:
                        f.write(self.mutant(rng))
                    command = module_command(rng, self.inputs, f"{inner}/input.mlir")
                else:
                    os.path.exists(f"{folder}/text.txt") or shutil.copy(f"{self.work}/text.txt", folder)
                    command = ["rilm", *rilm_command(rng, self.inputs, inner)]
                why = self.tools.run(command, inner)
                if why:
                    failures.append((command, why))
        if failures and self.options.keep:
            shutil.copytree(folder, f"{self.options.keep}/{number}", dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        return number, failures

    def single(self, command, parts, folder):
        """Which of the modules it was; leaves only that one."""
        for part in parts:
            with open(command[-1], "wb") as f:
                f.write(part)
            alone = [c for c in command if c != "--split-input-file"]
            why = self.tools.run(alone, folder)
            if why:
                return why
        with open(command[-1], "wb") as f:
            f.write(b"\n// -----\n".join(parts))
        return None

    def run(self):
        o = self.options
        numbers = [int(n) for n in o.only.split(",")] if o.only else range(0, o.count, BATCH)
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            for number, failures in pool.map(self.case, numbers):
                for command, why in failures:
                    failed += 1
                    where = f"{o.keep}/{number}" if o.keep else f"--seed {o.seed} --only {number}"
                    print(f"FAIL {where}: {why}\n  {shlex.join(command)}", flush=True)
        names = sorted({name for name, _ in self.tools.codes})
        codes = "; ".join(name + "".join(f" {n} x {c}" for (other, c), n in sorted(self.tools.codes.items()) if other == name) for name in names)
        print(f"{len(numbers) * BATCH} inputs, {failed} failures; runs by exit code: {codes}")
        return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="numbers of inputs to make again")
    parser.add_argument("--keep", help="folder for the inputs of failures")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60, help="seconds; inputs take well below one")
    parser.add_argument("--memory", type=int, default=6000, help="MiB of address space; 0: no limit (sanitizers)")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="geoc-fuzz-")
    try:
        return Fuzzer(options, work).run()
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
