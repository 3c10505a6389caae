# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A text of 200 lines of 11 words that mostly follow a chain, the same each time."""
import random


def write(path):
    rng = random.Random(3)
    with open(path, "w") as f:
        for _ in range(200):
            k, line = rng.randrange(9), []
            for _ in range(rng.randrange(3, 9)):
                line.append(f"w{k}")
                k = (2 * k + 1) % 11 if rng.random() < 0.8 else rng.randrange(11)
            f.write(" ".join(line) + "\n")
