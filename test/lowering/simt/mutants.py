#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks kernels on purpose, and demands that the simt machine notices.

usage: mutants.py SIMT_RUN GEOC GEO_OPT FILE...

Every FILE is a module with kernels, or one that the compiler makes kernels of.
A line `// ARGS: ...` says with what its function `run` (or, after
`// FUNCTION:`, another) is called; see simt-run.cpp. A line `// HOST: A -> B`
changes the launches first, so that a block gets more to do. A mutant is one change of the text of a kernel: a barrier removed,
an index off by one, a wait dropped or one group short, a mask or bound widened,
a stage of a buffer confused with another. The kernels as they are must have no
report; every mutant must have one, or numbers that differ, but for as many as
a line `// UNNEEDED: KIND: N (why)` says.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-4  # of the largest number of an array
PER_KIND = 4  # mutants of one kind in one file


class Broken(Exception):
    pass


def run(simt_run, path, function, arguments):
    """Reports, and arrays of numbers."""
    try:
        done = subprocess.run([simt_run, path, function, *arguments],
                              capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return ["no end within two minutes"], []
    if done.returncode == 1:
        raise Broken(done.stderr)
    if done.returncode:
        return [f"exit {done.returncode}"], []
    reports, arrays = [], []
    for line in done.stdout.splitlines():
        if line.startswith("report "):
            reports.append(line[len("report "):])
        elif line.startswith("array"):
            arrays.append([float(x) for x in line.split()[1:]])
    return reports, arrays


def differs(got, want):
    for a, b in zip(got, want):
        size = max((abs(y) for y in b if y == y), default=0) or 1
        for x, y in zip(a, b):
            if (x != x) != (y != y):
                return True
            if x == x and abs(x - y) > TOLERANCE * size:
                return True
    return False


class Text:
    """The lines of a module; which of them are in kernels."""

    def __init__(self, text):
        self.lines = text.splitlines()
        start = next(i for i, l in enumerate(self.lines) if "gpu.module" in l)
        depth = 0
        for i in range(start, len(self.lines)):
            depth += self.lines[i].count("{") - self.lines[i].count("}")
            if depth == 0:
                self.kernel = range(start + 1, i)
                break

    def find(self, pattern):
        return [(i, m) for i in self.kernel
                if (m := re.search(pattern, self.lines[i]))]

    def replaced(self, i, *lines):
        return "\n".join([*self.lines[:i], *lines, *self.lines[i + 1:]]) + "\n"

    def following(self, i):
        """Where control goes after line i: on, and to the start of its loop."""
        yield i + 1
        depth = 0
        for j in range(i + 1, self.kernel.stop):
            depth += self.lines[j].count("{") - self.lines[j].count("}")
            if depth < 0:
                break
            if re.search(ACCESS, self.lines[j]):
                return
        indent = len(self.lines[i]) - len(self.lines[i].lstrip())
        for j in range(i, self.kernel.start, -1):
            line = self.lines[j]
            if line.strip() and len(line) - len(line.lstrip()) < indent:
                if "scf.for" in line:
                    yield j + 1
                return

    def with_next(self, i, name, add="addi"):
        """Line i with 1 added to the operand `name`."""
        line = self.lines[i]
        at = [m.start() for m in re.finditer(re.escape(name) + r"\b", line)][-1]
        new = line[:at] + "%mutant" + line[at + len(name):]
        return self.replaced(i, "%mutant_one = arith.constant 1 : index",
                             f"%mutant = arith.{add} {name}, %mutant_one : index",
                             new)


BARRIER = r"^\s*gpu\.barrier\b"
ACCESS = (r"(memref\.(load|store)|vector\.(load|store|maskedload|maskedstore)|"
          r"nvgpu\.(device_async_copy|ldmatrix)) ")


def barriers(text):
    # Barriers with no access between them are one; none is needed at the end.
    groups, needed = [], set()
    for i, _ in text.find(BARRIER):
        group = {i}
        for start in text.following(i):
            for j in range(start, text.kernel.stop):
                if re.search(BARRIER, text.lines[j]):
                    group.add(j)
                elif re.search(ACCESS, text.lines[j]):
                    needed.add(i)
                    break
                elif re.search(r"^\s*gpu\.return", text.lines[j]):
                    break
        for other in [g for g in groups if g & group]:
            groups.remove(other)
            group |= other
        groups.append(group)
    for group in groups:
        if group & needed:
            yield min(group), "\n".join(
                "" if i in group else line
                for i, line in enumerate(text.lines)) + "\n"


def indices(text):
    for i, _ in text.find(ACCESS):
        line = text.lines[i]
        if m := re.search(r"\[([^\]]*%\w+)\]", line):
            last = m.group(1).split(",")[-1].strip()
            head = line[:m.end() - 1]
            at = head.rindex(last)
            yield i, text.replaced(
                i, "%mutant_one = arith.constant 1 : index",
                f"%mutant = arith.addi {last}, %mutant_one : index",
                line[:at] + "%mutant" + line[at + len(last):])


def waits(text):
    for i, m in text.find(r"^\s*nvgpu\.device_async_wait\b"):
        yield i, text.replaced(i)
        line = text.lines[i]
        if n := re.search(r"numGroups = (\d+)", line):
            # One more would often be an empty group.
            yield i, text.replaced(
                i, line.replace(n.group(0), f"numGroups = {int(n[1]) + 2}"))


def masks(text):
    # Not where addresses of copies, or copies, depend on it: these may be of no
    # element.
    kernel = "\n".join(text.lines[i] for i in text.kernel)
    for i, m in text.find(r"arith\.cmpi (ult|slt), "):
        # Not what the loop around says again.
        _, a, b = re.search(r"cmpi (\w+), (%\w+), (%\w+)", text.lines[i]).groups()
        if re.search(rf"scf\.for {a} = %\w+ to {b} ", kernel):
            continue
        guarded = kernel.split(f"scf.if {text.lines[i].split()[0]} ")[1:]
        if not guarded or "device_async_copy" in guarded[0].split("}")[0]:
            continue
        wider = {"ult": "ule", "slt": "sle"}[m.group(1)]
        line = text.lines[i]
        yield i, text.replaced(i, line.replace(f"cmpi {m.group(1)},",
                                               f"cmpi {wider},"))
    for i, m in text.find(r"vector\.create_mask (%\w+) "):
        yield i, text.with_next(i, m.group(1))
    for i, m in text.find(r"nvgpu\.device_async_copy .*\], \d+, (%\w+)"):
        yield i, text.with_next(i, m.group(1))


def stages(text):
    # The first index of a workgroup buffer of two to four stages.
    for i, m in text.find(r"%\w+\[(%\w+), [^\]]+\][^\[\]]* "
                          r"memref<[234]x\w+x\w+x\w+, #gpu"):
        line = text.lines[i]
        yield i, text.replaced(
            i, "%mutant_one = arith.constant 1 : index",
            f"%mutant = arith.xori {m.group(1)}, %mutant_one : index",
            line[:m.start(1)] + "%mutant" + line[m.end(1):])


KINDS = {"barrier removed": barriers, "index off by one": indices,
         "wait dropped": waits, "mask widened": masks, "stage wrong": stages}


def spread(mutants):
    """At most PER_KIND of them, from the first to the last."""
    mutants = list(mutants)
    if len(mutants) <= PER_KIND:
        return mutants
    return [mutants[i * (len(mutants) - 1) // (PER_KIND - 1)]
            for i in range(PER_KIND)]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    simt_run, geoc, geo_opt = sys.argv[1:4]
    jobs, failures, unneeded = [], [], {}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path in sys.argv[4:]:
            source = open(path).read()
            arguments = re.search(r"^// ARGS: (.*)$", source, re.M)[1].split()
            function = re.search(r"^// FUNCTION: (.*)$", source, re.M)
            function = function[1] if function else "run"
            command = [geo_opt, path] if "gpu.module" in source else [
                geoc, path, "--target=sm_90a", "--emit=gpu", "-o", "-"]
            printed = subprocess.run(command, capture_output=True, text=True,
                                     check=True).stdout
            if host := re.search(r"^// HOST: (.*) -> (.*)$", source, re.M):
                if host[1] not in printed:
                    sys.exit(f"mutants.py: expects {host[1]} in {path}")
                printed = printed.replace(host[1], host[2])
            name = os.path.basename(path)
            unneeded |= {(name, kind): n for kind, n in re.findall(
                r"^// UNNEEDED: ([^:]*): (\d+)", source, re.M)}
            original = os.path.join(folder, name)
            with open(original, "w") as out:
                out.write(printed)
            reports, want = run(simt_run, original, function, arguments)
            if reports:
                failures.append(f"{name}: as it is: {reports[0]}")
                continue
            text = Text(printed)
            for kind, make in KINDS.items():
                for i, mutant in spread(make(text)):
                    file = os.path.join(folder, f"{len(jobs)}.mlir")
                    with open(file, "w") as out:
                        out.write(mutant)
                    jobs.append((kind, f"{name}:{i + 1}", text.lines[i].strip(),
                                 want,
                                 pool.submit(run, simt_run, file, function,
                                             arguments)))
        counts = {kind: [0, 0, 0] for kind in KINDS}
        spare = {key: int(n) for key, n in unneeded.items()}
        for kind, name, line, want, job in jobs:
            where = f"{name}: {kind}: {line}"
            try:
                reports, got = job.result()
            except Broken as error:
                failures.append(f"{where}: does not compile: {error}")
                continue
            counts[kind][0] += 1
            if reports:
                counts[kind][1] += 1
            elif differs(got, want):
                counts[kind][2] += 1
            elif spare.get((name.split(":")[0], kind)):
                spare[name.split(":")[0], kind] -= 1
                counts[kind][0] -= 1
            else:
                failures.append(f"{where}: not noticed")
        failures += [f"{name}: {kind}: expects {left} more that is not noticed"
                     for (name, kind), left in spare.items() if left]
    for kind, (total, reported, wrong) in counts.items():
        print(f"{kind}: {total} mutants, {reported} reported, "
              f"{wrong} with wrong numbers")
        if total < 3:
            failures.append(f"{kind}: expects 3 mutants or more, but got {total}")
    total = sum(c[0] for c in counts.values())
    print(f"mutants: {total}, noticed: {sum(c[1] + c[2] for c in counts.values())}")
    if total < 30:
        failures.append(f"expects 30 mutants or more, but got {total}")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
