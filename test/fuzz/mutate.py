# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutations of text, JSON, safetensors and npy files, all drawn from one
random.Random, so that a number brings an input back."""
import json
import re
import struct

NUMBERS = ["0", "-1", "1", "2", "3", "7", "8", "64", "1000", "65536", "2147483647", "2147483648", "-2147483649", "9223372036854775807",
           "9223372036854775808", "18446744073709551616", "0.0", "-0.0", "1.0", "-1.0", "0.5", "1.0e-320", "1.0e308", "1e400", "0x7F800000", "0x7FC00000",
           "0xFFFFFFFFFFFFFFFF", "?", "*", "-", ""]
ODD_BYTES = [b"\0", b"\xff", b"\xc3", b"\xe2\x80\x8b", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"<", b">", b"(", b")",
             b"%", b"#", b"!", b"@", b":", b",", b"//", b"-->", b"\x1b[0m"]
TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[A-Za-z_][\w.$]*|-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|->|::|\s+|.', re.S)


def span(rng, size, longest=40):
    """A place and an end in 0..size, close to each other."""
    begin = rng.randrange(size + 1)
    return begin, min(size, begin + 1 + int(longest ** rng.random()))


def mutate_bytes(rng, data, others):
    begin, end = span(rng, len(data))
    kind = rng.randrange(7)
    if kind == 0 and begin < len(data):
        return data[:begin] + bytes([data[begin] ^ 1 << rng.randrange(8)]) + data[begin + 1 :]
    if kind == 1:
        return data[:begin] + rng.choice(ODD_BYTES) * rng.choice([1, 1, 1, 2, 50]) + data[begin:]
    if kind == 2:
        return data[:begin] + data[end:]
    if kind == 3:
        return data[:end] + data[begin:end] * rng.choice([1, 2, 20]) + data[end:]
    if kind == 4:
        return data[:begin]
    if kind == 5:
        other = rng.choice(others)
        a, b = span(rng, len(other), 200)
        return data[:begin] + other[a:b] + data[end:]
    return data[:begin] + bytes(rng.randrange(256) for _ in range(end - begin)) + data[end:]


def mutate_tokens(rng, data, words):
    """`words`: tokens of all seeds, to choose from."""
    tokens = TOKEN.findall(data)
    solid = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not solid:
        return data
    at = rng.choice(solid)
    numbers = [i for i in solid if tokens[i][-1:].isdigit()]
    kind = rng.randrange(7)
    if kind <= 1 and numbers:
        at = rng.choice(numbers)
        digits = re.search(rb"\d+", tokens[at])
        number = rng.choice(NUMBERS).encode()
        tokens[at] = number if kind == 0 else tokens[at][: digits.start()] + number + tokens[at][digits.end() :]
    elif kind == 2:
        tokens[at] = rng.choice(words)
    elif kind == 3:
        del tokens[at]
    elif kind == 4:
        tokens.insert(at, rng.choice(words))
    elif kind == 5:
        other = rng.choice(solid)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        # Another of the same kind: a name for a name, a type for a type.
        same = [t for t in set(tokens) if t[:1].isalpha() == tokens[at][:1].isalpha() and not t.isspace()]
        tokens[at] = rng.choice(sorted(same) or words)
    return b"".join(tokens)


def balanced(data, begin):
    """The end of the bracketed text that starts at `begin`."""
    pairs, depth = {b"{"[0]: b"}"[0], b"("[0]: b")"[0], b"<"[0]: b">"[0], b"["[0]: b"]"[0]}, 0
    opening, closing = data[begin], pairs[data[begin]]
    for i in range(begin, len(data)):
        depth += (data[i] == opening) - (data[i] == closing)
        if depth == 0:
            return i + 1
    return len(data)


def mutate_structure(rng, data, others):
    kind = rng.randrange(6)
    if kind <= 2:
        lines = data.split(b"\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        if kind == 0:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 1:
            del lines[at : at + rng.choice([1, 1, 1, 3])]
        else:
            lines.insert(at, lines[other])
        return b"\n".join(lines)
    places = [m.start() for m in re.finditer(rb"[{(<\[]", data)]
    if not places:
        return data
    begin = rng.choice(places)
    end = balanced(data, begin)
    if kind == 3:
        return data[:begin] + data[end:]
    if kind == 4:  # what is in one pair of brackets into another
        other = rng.choice(others)
        same = [m.start() for m in re.finditer(re.escape(data[begin : begin + 1]), other)]
        if not same:
            return data
        at = rng.choice(same)
        return data[:begin] + other[at : balanced(other, at)] + data[end:]
    inner = data[begin + 1 : end - 1]  # or nested in itself
    return data[:begin] + data[begin : begin + 1] * rng.choice([2, 3, 300]) + inner + data[end - 1 : end] * rng.choice([1, 2]) + data[end:]


TYPES = [b"f32", b"f64", b"i32", b"i64", b"f16", b"i1", b"index"]


MANIFOLDS = [b"#geo.euclidean", b"#geo.poincare<1.0>", b'#geo.poincare<"c">', b"#geo.lorentz<0.5>", b"#geo.sphere<2.0>", b"#geo.stereographic<-1.0>",
             b"#geo.stereographic<0.0>", b'#geo.stereographic<"k">', b"#geo.product<#geo.poincare<1.0> x 2, #geo.sphere<1.0> x 2>",
             b"#geo.product<#geo.euclidean x 1, #geo.lorentz<\"c\"> x 7>", b"#geo.manifold<@m, 1.0>", b"#geo.poincare<1.0e300>", b"#geo.poincare<0.0>"]


def mutate_everywhere(rng, data, words):
    """One number, type or name becomes another in all places: what it leaves
    often verifies, and gets further."""
    kind = rng.randrange(5)
    if kind == 4 and b"#geo." in data:
        old, new = rng.choice(re.findall(rb"#geo\.\w+(?:<[^<>]*>)?", data)), rng.choice(MANIFOLDS)
        return data.replace(old, new)
    if kind <= 1:
        found = re.findall(rb"(?<![\w.%#@])\d+(?![\d.])|(?<=x)\d+(?=x)", data)
        if found:
            new = rng.choice(["0", "1", "1", "2", "3", "5", "17", "?", "100000", "4294967296"]).encode()
            return re.sub(rb"(?<![\w.%#@])" + rng.choice(found) + rb"(?![\d.])|(?<=x)" + rng.choice(found) + rb"(?=x)", new, data)
    if kind == 2:
        old, new = rng.choice(TYPES), rng.choice(TYPES)
        return re.sub(rb"(?<![a-zA-Z])" + old + rb"|(?<=x)" + old, new, data)
    names = sorted(set(re.findall(rb"geo\.\w+|arith\.\w+|math\.\w+|#geo[\w.]*(?:<[^<>]*>)?|[%@]\w+", data)))
    if not names:
        return data
    old = rng.choice(names)
    same = [n for n in names + ([w for w in words if b"." in w] if rng.random() < 0.5 else []) if n[:4] == old[:4]]
    return re.sub(re.escape(old) + rb"(?!\w)", lambda _: rng.choice(same), data, count=rng.choice([0, 1]))


def mutate_text(rng, data, others, words):
    if rng.random() < 0.5:
        data = mutate_everywhere(rng, data, words)
        if rng.random() < 0.6:
            return data
    for _ in range(1 + int(rng.random() ** 3 * 6)):
        kind = rng.random()
        if kind < 0.2:
            data = mutate_bytes(rng, data, others)
        elif kind < 0.7:
            data = mutate_tokens(rng, data, words)
        else:
            data = mutate_structure(rng, data, others)
        data = data[:200000]
    return data


def odd_value(rng):
    return rng.choice([None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 0.5, 1e308, -1e-320, "", "x", "\u0000", "nan", "inf", "-1", "1e400", "\ud800",
                       [], {}, [[]], {"": 0}, "y" * 3000])


def mutate_json(rng, value):
    """Replaces, removes, adds or renames something somewhere in `value`."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.85:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = rng.choice(keys)
        copy = value.copy()
        kind = rng.random()
        if kind < 0.6:
            copy[key] = mutate_json(rng, value[key])
        elif kind < 0.75:
            del copy[key]
        elif kind < 0.9 and isinstance(copy, dict):
            copy[rng.choice(keys + ["", "x", "lr"])] = copy.pop(key)
        elif isinstance(copy, dict):
            copy[rng.choice(["x", "E", "frozen", "dtype"])] = odd_value(rng)
        else:
            copy.append(rng.choice([odd_value(rng), copy[key]]))
        return copy
    if isinstance(value, str) and rng.random() < 0.5:
        try:  # strings of metadata hold numbers and JSON
            return json.dumps(mutate_json(rng, json.loads(value)))
        except ValueError:
            return mutate_bytes(rng, value.encode("utf-8", "surrogatepass"), [value.encode("utf-8", "surrogatepass")]).decode("latin-1")
    return odd_value(rng)


def mutate_json_text(rng, data, others, words):
    if rng.random() < 0.4:
        return mutate_text(rng, data, others, words)
    value = json.loads(data)
    for _ in range(rng.randint(1, 3)):
        value = mutate_json(rng, value)
    return json.dumps(value).encode("utf-8", "surrogatepass")


def mutate_safetensors(rng, data, others, words):
    if rng.random() < 0.25:
        for _ in range(rng.randint(1, 4)):
            data = mutate_bytes(rng, data, others)
        return data
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + size]), bytearray(data[8 + size :])
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.6:
            changed = mutate_json(rng, header)
            header = changed if isinstance(changed, dict) else header
        elif body:
            # Any float, at the place of one.
            value = rng.choice([0.0, -1.0, 1e30, -1e30, 1e-30, float("inf"), float("nan"), 0.999, 1.0, 5.0])
            for _ in range(rng.choice([1, 1, 10, 200])):
                at = rng.randrange(max(1, len(body) // 4)) * 4
                body[at : at + 4] = struct.pack("<f", value)[: len(body) - at]
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(body)


def mutate_npy(rng, data, others, words):
    for _ in range(rng.randint(1, 3)):
        data = rng.choice([mutate_bytes, lambda r, d, o: mutate_tokens(r, d[:128], words) + d[128:]])(rng, data, others)
    return data
