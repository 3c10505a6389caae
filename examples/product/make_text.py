#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints sentences about a tree of living things and about a circle of numbers,
one a line.

make_text.py 3000 1 > text.txt   made the committed file: 3000 sentences, seed 1
"""
import random
import sys

TREE = {
    "animal": {
        "bird": ["sparrow", "eagle", "owl", "heron"],
        "fish": ["trout", "salmon", "carp", "eel"],
        "mammal": ["fox", "otter", "badger", "hare"],
    },
    "plant": {
        "tree": ["oak", "birch", "alder", "willow"],
        "herb": ["mint", "thyme", "sage", "basil"],
        "grass": ["rye", "oats", "barley", "reed"],
    },
}
# What an animal does, by its kind; the kind of what it does it to.
VERBS = {
    "bird": [("nests-in", "tree"), ("catches", "fish"), ("flies-over", "grass")],
    "fish": [("hides-under", "grass"), ("swims-with", "fish")],
    "mammal": [("sleeps-under", "tree"), ("hunts", "bird"), ("eats", "herb")],
}
NUMBERS = ("one two three four five six seven eight nine ten eleven "
           "twelve").split()


def sentence(rng):
    kind = rng.choice(list(TREE))
    family = rng.choice(list(TREE[kind]))
    thing = rng.choice(TREE[kind][family])
    form = rng.random()
    if form < 0.2:
        return f"the {thing} is a {family}"
    if form < 0.3:
        return f"the {thing} is no {rng.choice(sorted(set(families()) - {family}))}"
    if form < 0.4:
        return f"every {family} is {'an' if kind == 'animal' else 'a'} {kind}"
    if form < 0.7:
        family = rng.choice(list(VERBS))
        verb, whom = rng.choice(VERBS[family])
        other = rng.choice([t for f in TREE.values() for t in f.get(whom, [])])
        return f"the {rng.choice(TREE['animal'][family])} {verb} the {other}"
    # On a clock: a number, another, and where they lead to.
    start, step = rng.randrange(12), rng.choice([1, 2, 3])
    if form < 0.85:
        return (f"{NUMBERS[start]} and {NUMBERS[step - 1]} make "
                f"{NUMBERS[(start + step) % 12]}")
    return "count " + " ".join(NUMBERS[(start + i * step) % 12]
                               for i in range(5))


def families():
    return [family for kind in TREE.values() for family in kind]


if __name__ == "__main__":
    if len(sys.argv) != 3 or not all(a.isdigit() for a in sys.argv[1:]):
        sys.exit("make_text.py: expects SENTENCES SEED, but got "
                 + repr(" ".join(sys.argv[1:])))
    rng = random.Random(int(sys.argv[2]))
    for _ in range(int(sys.argv[1])):
        print(sentence(rng))
