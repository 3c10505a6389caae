# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fill_in.py GEO_NEW BIN FOLDER: a page and an op by geo-new, checked as they are
written, then filled in, checked again and trained on."""
import os, shutil, subprocess, sys

geo_new, tools, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.environ["GEOC_CACHE"] = ""


def run(tool, *args):
    done = subprocess.run([tool, *args], capture_output=True, text=True)
    assert done.returncode == 0, (tool, args, done.stdout, done.stderr)
    return done.stdout


def tool(name, *args):
    return run(os.path.join(tools, name), *args)


def check(file):
    tool("geo-opt", file, "--geo-check-points")
    table = tool("geoc", file, "--check-gradients", "--check-functions")
    tool("geoc", file, "-o", file + ".o")
    return table


run(sys.executable, geo_new, "manifold", "Stretched", "--out", folder)
run(sys.executable, geo_new, "op", "gated", "--args", "h:point,x:point,t:number", "--out", folder)
page, op = os.path.join(folder, "stretched.mlir"), os.path.join(folder, "gated.mlir")
for file in [page, op]:
    assert "FILL IN" in open(file).read()
    check(file)

# Flat space measured in units of 1 / c.
filled = open(page).read()
for old, new in [
    ("@expmap0(v: row) = v", "@expmap0(v: row) = v / c"),
    ("@logmap0(x: row) = x", "@logmap0(x: row) = c * x"),
    ("@expmap(x: row, v: row) = x + v", "@expmap(x: row, v: row) = x + v / c"),
    ("@logmap(x: row, y: row) = y - x", "@logmap(x: row, y: row) = c * (y - x)"),
    ("@sqdist(x: row, y: row) = sqnorm(x - y)", "@sqdist(x: row, y: row) = c * c * sqnorm(x - y)"),
    ("@dist0(x: row) = sqrt(sqnorm(x))", "@dist0(x: row) = c * sqrt(sqnorm(x))"),
]:
    assert filled.count(old) == 1, old
    filled = filled.replace(old, new)
filled = "\n".join(line for line in filled.splitlines() if "domain_" not in line) + "\n"
with open(page, "w") as f:
    f.write(filled)
table = check(page)
assert "@stretched::@sqdist" in table and "@loss" in table, table

with open(op) as f:
    filled = f.read().replace("= h\n", "= poincare.geodesic(h, x, t, c)\n")
with open(op, "w") as f:
    f.write(filled)
assert "@gated" in check(op)

# The page as the space of a model that is trained.
model = os.path.join(folder, "model.mlir")
points = "tensor<?x4xf32, #geo.manifold<@stretched, 2.0>>"
with open(model, "w") as f:
    f.write(open(page).read().split("!p =")[0] + f"""
func.func @step(%h: {points} {{geo.state = "h", geo.decode = "E"}}, %ids: tensor<?xi32> {{geo.input}},
                %E: {points} {{geo.param = "E", geo.init = "normal(0.3)"}}) -> {points} {{
  %e = geo.gather %E[%ids] : {points}, tensor<?xi32> -> {points}
  %n = geo.mobius_add %h, %e : {points}
  return %n : {points}
}}
""")
tool("rilm", "bench", "step", "--model-file", model, "--vocab", "20", "--batch", "2", "--context", "3", "--repeat", "2")
