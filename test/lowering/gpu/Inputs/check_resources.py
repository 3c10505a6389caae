# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_resources.py BOUNDS.json RESOURCES.json...

Fails unless every kernel of each file has no spills and no stack, and no more
registers and shared memory than the bounds say, by name without its number ("*":
any other); every bound must be for a kernel that is there.
"""
import json
import re
import sys


def check(bounds, path):
    with open(path) as file:
        report = json.load(file)
    problems, seen = [], set()
    for kernel in report["kernels"]:
        name = re.sub(r"_\d+$", "", kernel["name"])
        seen.add(name)
        bound = bounds.get(name, bounds.get("*"))
        if bound is None:
            problems.append(f"{name}: expects a bound, but got none")
            continue
        limits = {"spills": 0, "stack": 0, **bound}
        for key, limit in limits.items():
            if kernel[key] > limit:
                problems.append(f"{name}: expects at most {limit} {key}, but got {kernel[key]}")
        if kernel["registers"] == 0 or kernel["occupancy"] == 0:
            problems.append(f"{name}: expects registers and occupancy, but got none")
    problems += [f"{name}: expects such a kernel, but got none" for name in bounds if name not in {*seen, "*"}]
    return [f"{report['target']}: {problem}" for problem in problems]


def main(bounds_path, *paths):
    with open(bounds_path) as file:
        bounds = json.load(file)
    problems = [problem for path in paths for problem in check(bounds, path)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
