#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: text_size.py A.o B.o: fails unless their executable sections differ in size
by under 10%."""
import struct
import sys


def text_size(path):
    """Bytes of all executable sections (SHF_EXECINSTR) of a 64-bit ELF object."""
    data = open(path, "rb").read()
    assert data[:4] == b"\x7fELF", f"expects an ELF object, but got {path}"
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    total = 0
    for i in range(count):
        _, _, flags, _, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        if flags & 0x4:
            total += length
    return total


short, long = map(text_size, sys.argv[1:3])
print(f"text: {short} and {long} bytes")
assert short > 1000, "expects code, but got next to none"
assert abs(long - short) < 0.1 * short, "expects sizes that differ by under 10%"
