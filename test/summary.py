#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of one test run, from ctest's and lit's JUnit files.

usage: summary.py CTEST.xml LIT.xml

Prints a line for each, then `N passed, N failed[, N skipped]` over both, ctest's
entry for the lit suite left out. A suite that did not run counts as failed.
"""
import sys
import xml.etree.ElementTree as tree

LIT = "lit"  # the name of ctest's entry for the lit suite


def count(path, skip_name=None):
    """(passed, failed, skipped), or None if the file has no test."""
    try:
        cases = list(tree.parse(path).iter("testcase"))
    except (OSError, tree.ParseError):
        return None
    if not cases:
        return None
    passed = failed = skipped = 0
    for case in cases:
        if skip_name and case.get("name") == skip_name:
            continue
        children = {child.tag: child.get("message") or "" for child in case}
        # ctest calls a test whose program is missing skipped, too.
        missing = children.get("skipped", "").startswith("Unable to find")
        if "failure" in children or "error" in children or missing:
            failed += 1
        elif "skipped" in children:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(ctest_path, lit_path):
    total = [0, 0, 0]
    for name, counts in (
        ("ctest", count(ctest_path, skip_name=LIT)),
        ("lit", count(lit_path)),
    ):
        if counts is None:
            print(f"{name}: did not run")
            counts = (0, 1, 0)
        else:
            print(f"{name}: %d passed, %d failed, %d skipped" % counts)
        total = [a + b for a, b in zip(total, counts)]
    print("%d passed, %d failed" % tuple(total[:2]) + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
