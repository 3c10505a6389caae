# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes EvenReferences.inc: even functions and derivatives, by mpmath.

python make_even_references.py > EvenReferences.inc
"""
import mpmath as mp

mp.mp.dps = 1000  # differences of functions of z = 1e-300 lose 600 digits


def value(name, order, z):
    n = mp.sqrt(z)
    f0 = {
        "tanhc": lambda: mp.tanh(n) / n, "artanhc": lambda: mp.atanh(n) / n,
        "asinhc": lambda: mp.asinh(n) / n, "sinhc": lambda: mp.sinh(n) / n,
        "coshq": lambda: mp.cosh(n), "sinc": lambda: mp.sin(n) / n,
        "cosq": lambda: mp.cos(n), "asinc": lambda: mp.asin(n) / n,
    }[name]()
    if order == 0:
        return f0
    if name == "coshq":
        return value("sinhc", order - 1, z) / 2
    if name == "cosq":
        return -value("sinc", order - 1, z) / 2
    g, dg = {
        "tanhc": lambda: (mp.sech(n) ** 2, -mp.sech(n) ** 2 * f0),
        "artanhc": lambda: (1 / (1 - z), 1 / (1 - z) ** 2),
        "asinhc": lambda: ((1 + z) ** -0.5, -(1 + z) ** -1.5 / 2),
        "sinhc": lambda: (mp.cosh(n), f0 / 2),
        "sinc": lambda: (mp.cos(n), -f0 / 2),
        "asinc": lambda: ((1 - z) ** -0.5, (1 - z) ** -1.5 / 2),
    }[name]()
    first = (g - f0) / (2 * z)
    return first if order == 1 else (dg - 3 * first) / (2 * z)


ZERO = {  # coefficients 0, 1, 2 of the series, times 0!, 1!, 2!
    "tanhc": (1, (-1, 3), (4, 15)), "artanhc": (1, (1, 3), (2, 5)),
    "asinhc": (1, (-1, 6), (3, 20)), "sinhc": (1, (1, 6), (1, 60)),
    "coshq": (1, (1, 2), (1, 12)), "sinc": (1, (-1, 6), (1, 60)),
    "cosq": (1, (-1, 2), (1, 12)), "asinc": (1, (1, 6), (3, 20)),
}
SMALL = [0.0, 1e-300, 1e-30, 1e-12, 1e-7, 0.001, 0.0078125, 0.015625, 0.03125,
         0.0625, 0.125, 0.21875, 0.375, 0.46875, 0.5]
UNIT = SMALL + [0.53125, 0.625, 0.75, 0.90625, 0.984375, 0.9998779296875,
                1 - 2.0**-24]
LARGE = SMALL + [0.75, 0.984375, 1.0, 1.0625, 1.5, 1.9375, 2.0, 2.25, 3.5,
                 4.0, 5.5, 9.0, 15.0, 16.0, 17.0, 25.5]
FAR = LARGE + [100.0, 400.0, 1e4, 1e8, 1e16, 1e30, 1e300]
POINTS = {"tanhc": FAR, "artanhc": UNIT, "asinhc": FAR,
          "sinhc": LARGE + [100.0, 2500.0, 7000.0, 250000.0, 480000.0, 1e6, 1e300],
          "coshq": LARGE + [100.0, 2500.0, 7000.0, 250000.0, 480000.0, 1e6, 1e300],
          "sinc": LARGE + [100.0, 1000.0], "cosq": LARGE + [100.0, 1000.0],
          "asinc": UNIT + [1.0]}
# For z < 0 each goes on as its twin, given -z.
TWINS = {"asinhc": "asinc", "asinc": "asinhc", "sinhc": "sinc", "sinc": "sinhc",
         "coshq": "cosq", "cosq": "coshq"}
NEGATIVE = {"tanhc": LARGE + [100.0], "artanhc": FAR,
            **{name: POINTS[twin] for name, twin in TWINS.items()}}

print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("// Written by make_even_references.py.")
for name, points in POINTS.items():
    for order in range(3):
        for z in points + [-z for z in NEGATIVE[name] if z != 0]:
            if z == 0:
                v = ZERO[name][order]
                v = mp.mpf(v) if isinstance(v, int) else mp.mpf(v[0]) / v[1]
            elif (name, z) in (("asinc", 1), ("asinhc", -1)) and order > 0:
                continue
            else:
                v = mp.re(value(name, order, mp.mpc(z)))
            if abs(v) > mp.mpf("1e4900"):
                text = "INFINITY" if v > 0 else "-INFINITY"
            elif abs(v) < mp.mpf("1e-4900"):
                text = "0.0L"
            else:
                text = mp.nstr(v, 30, strip_zeros=False)
                if "e" not in text and "." not in text:
                    text += ".0"
                text += "L"
            print('{"%s", %d, %s, %s},' % (name, order, repr(z), text))
