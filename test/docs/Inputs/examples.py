#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the IR examples of a Markdown page.

usage: examples.py GEO_OPT PAGE.md

Every ```mlir block must parse, verify and pass geo-check-points. A comment on
the line before a block says more:
  <!-- example: NAME -->         names the block
  <!-- geo-opt FLAG.. NAME -->   the block is an excerpt of what geo-opt prints
                                 for block NAME with these flags: its lines stand
                                 in the output in this order, "..." for the rest;
                                 values may have other names, used consistently
  <!-- rejected: TEXT -->        geo-opt refuses the block, and says TEXT
Fails if the page has no example.
"""
import re
import subprocess
import sys

VALUE = re.compile(r"%[\w$-]+")
BLOCK = re.compile(r"(?:^<!-- (?P<what>.*?) -->\n)?^```mlir\n(?P<code>.*?)^```$", re.M | re.S)


def run(geo_opt, flags, code):
    return subprocess.run(
        [geo_opt, "--geo-check-points", *flags, "-"], input=code, capture_output=True, text=True
    )


def lines(text):
    """Words of each line that is not a comment, so that layout does not count."""
    stripped = (line.split("//")[0].split() for line in text.splitlines())
    return [words for words in stripped if words and words != ["..."]]


def same(line, printed, names):
    """Whether the lines are equal once the excerpt's names are replaced."""
    ours, theirs = " ".join(line), " ".join(printed)
    if VALUE.sub("%", ours) != VALUE.sub("%", theirs):
        return False
    pairs = dict(zip(VALUE.findall(ours), VALUE.findall(theirs)))
    if any(names.get(name, value) != value for name, value in pairs.items()):
        return False
    names.update(pairs)
    return True


def check(geo_opt, what, code, named):
    """An error text, or None."""
    kind, _, rest = what.partition(" ")
    if kind == "geo-opt":
        *flags, name = rest.split()
        if name not in named:
            return f"no example {name}"
        result = run(geo_opt, flags, named[name])
        if result.returncode:
            return result.stderr
        printed, names = iter(lines(result.stdout)), {}
        for line in lines(code):
            if not any(same(line, candidate, names) for candidate in printed):
                return f"not printed here: {' '.join(line)}\nall of it:\n{result.stdout}"
        return None
    result = run(geo_opt, [], code)
    if kind == "rejected:":
        if result.returncode == 0:
            return "accepted"
        return None if rest in result.stderr else f"expects {rest!r}, but got {result.stderr}"
    if kind == "example:":
        named[rest] = code
    elif kind:
        return f"unknown comment {what!r}"
    return result.stderr if result.returncode else None


def main(geo_opt, page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    named, count, errors = {}, 0, 0
    for match in BLOCK.finditer(text):
        count += 1
        error = check(geo_opt, match["what"] or "", match["code"], named)
        if error is not None:
            errors += 1
            line = text.count("\n", 0, match.start("code"))
            print(f"{page}:{line}: {error}", file=sys.stderr)
    if text.count("```mlir") != count:
        print(f"{page}: an ```mlir block is indented or not closed", file=sys.stderr)
        errors += 1
    print(f"{page}: {count} examples, {errors} errors")
    return 1 if errors or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
