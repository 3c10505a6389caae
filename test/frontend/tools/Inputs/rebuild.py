# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rebuild.py SOURCE LIT FOLDER: a built-in page and a named op by geo-new in a copy
of the sources, filled in, built, and their tests run."""
import os, shutil, subprocess, sys

source, lit, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
copy = os.path.join(folder, "source")
os.makedirs(copy)
tracked = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True).stdout.decode()
for name in filter(None, tracked.split("\0")):
    path = os.path.join(copy, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.isfile(os.path.join(source, name)):
        shutil.copy(os.path.join(source, name), path)
# Two copies of one source hit one cache.
os.environ["CCACHE_BASEDIR"], os.environ["CCACHE_NOHASHDIR"] = copy, "1"
os.environ["CCACHE_SLOPPINESS"] = "pch_defines,time_macros,include_file_mtime,include_file_ctime"


def run(*args):
    print("+", *args, flush=True)
    subprocess.run(args, cwd=copy, check=True)


def fill(name, *pairs):
    path = os.path.join(copy, name)
    text = open(path).read()
    for old, new in pairs:
        assert text.count(old) == 1, (name, old, text.count(old))
        text = text.replace(old, new)
    with open(path, "w") as f:
        f.write(text)


new = [sys.executable, os.path.join(copy, "geo-new")]
run(*new, "manifold", "Stretched")
run(*new, "op", "reflect", "--args", "x:point,m:point")
# Flat space measured in units of 1 / c: at c = 1 the number of the test stays.
fill(
    "dialect/manifolds/Stretched.mlir",
    ("@expmap0(v: row) = v", "@expmap0(v: row) = v / c"),
    ("@logmap0(x: row) = x", "@logmap0(x: row) = c * x"),
    ("@expmap(x: row, v: row) = x + v", "@expmap(x: row, v: row) = x + v / c"),
    ("@logmap(x: row, y: row) = y - x", "@logmap(x: row, y: row) = c * (y - x)"),
    ("@sqdist(x: row, y: row) = sqnorm(x - y)", "@sqdist(x: row, y: row) = c * c * sqnorm(x - y)"),
    ("@dist0(x: row) = sqrt(sqnorm(x))", "@dist0(x: row) = c * sqrt(sqnorm(x))"),
)
fill("dialect/manifolds/Any.mlir", ("@reflect(x: row, m: row) = x", "@reflect(x: row, m: row) = geodesic(x, m, 2)"))
run("cmake", "--preset", "release")
run("ninja", "-C", "build", "-j2", "geo-opt", "geoc", "DialectTests")
run("build/bin/DialectTests", "--gtest_filter=Stretched.*")
run(lit, "-v", "build/test", "--filter", "page-stretched|op-reflect")
