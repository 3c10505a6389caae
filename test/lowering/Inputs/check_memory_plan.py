# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds that no buffer of a memory plan is as large as one byte per pair.

check_memory_plan.py ROWS STEPS COLUMNS THREADS < plan.json

Arguments of two unknown sizes have STEPS x B with B = ROWS / STEPS, those of one B.
"""
import json
import sys


def evaluate(formula, dims, threads, thread):
    """The value of a size; `/` rounds down."""
    names = {
        "dim": lambda argument, i: dims[argument][i],
        "min": min,
        "max": max,
        "ceildiv": lambda x, y: -(-x // y),
        "threads": threads,
        "thread": thread,
        "__builtins__": {},
    }
    return eval(formula.replace("/", "//"), names)


def main():
    rows, steps, columns, threads = map(int, sys.argv[1:])
    plan = json.load(sys.stdin)
    shapes = {1: [rows // steps], 2: [steps, rows // steps]}
    largest = 0
    for function in plan["functions"]:
        dims = {}
        for argument in function["arguments"]:
            unknown = argument["type"].count("?")
            if unknown:
                dims[argument["number"]] = shapes[unknown]
        for buffer in function["buffers"]:
            assert 0 <= buffer["first"] < buffer["last"] < function["ops"], buffer
            if "formula" in buffer:
                parts = [evaluate(buffer["formula"], dims, threads, t)
                         for t in range(threads)]
                size = sum(parts) if buffer["per_thread"] else parts[0]
            else:
                size = buffer["bytes"] * (threads if buffer["per_thread"] else 1)
            largest = max(largest, size)
            if size >= rows * columns:
                sys.exit(f"{function['name']}: expects no buffer of rows x V, but "
                         f"got {size} bytes for {rows} x {columns}: {buffer}")
    print(f"largest {largest}")


if __name__ == "__main__":
    main()
