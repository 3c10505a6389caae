# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_objects.py GEOC NM OBJECT MODULE...: compiles each module for both targets; the
object asks for nothing but the runtime and the C library, and no cast is left over."""
import re, subprocess, sys

geoc, nm, out, *modules = sys.argv[1:]
known = re.compile(
    "_mlir_memref_to_llvm_(alloc|aligned_alloc|free)|geo_rt_(num_threads|report_outside|skips_tiles|count_tiles)|__kmpc_[a-z_0-9]+|mem(cpy|set|move)"
    "|(exp|expm1|log|log1p|sin|cos|sincos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|pow|fma)f?")


def run(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


for module in modules:
    for target in ["loops", "cpu"]:
        run(geoc, module, f"--target={target}", "-o", out)
        wanted = [line.split()[-1] for line in run(nm, "--undefined-only", out).splitlines()]
        strange = [name for name in wanted if not known.fullmatch(name)]
        assert not strange, (module, target, strange)
        left = run(geoc, module, f"--target={target}", "--stop-after=llvm")
        assert "unrealized_conversion_cast" not in left, (module, target)
