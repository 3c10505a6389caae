#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the edges of a balanced tree, one `child<TAB>parent` a line.

make_tree.py 3 5 > tree.tsv   made the committed file: 3 children, 5 levels, 364 nodes
"""
import sys


def edges(name, branching, depth):
    if depth == 0:
        return
    for i in range(1, branching + 1):
        child = f"{name}.{i}"
        yield child, name
        yield from edges(child, branching, depth - 1)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not all(a.isdigit() for a in sys.argv[1:]):
        sys.exit("make_tree.py: expects BRANCHING DEPTH, but got "
                 + repr(" ".join(sys.argv[1:])))
    for child, parent in edges("root", int(sys.argv[1]), int(sys.argv[2])):
        print(f"{child}\t{parent}")
