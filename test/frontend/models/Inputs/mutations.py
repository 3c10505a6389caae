# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutations.py RILM FOLDER GRU.mlir CELL.mlir: one change to a good model file,
and what rilm says about it, at the line of the change (or of the function)."""
import os, subprocess, sys

rilm, folder, gru, cell = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
CASES = [
    # file, old text, new text, message, text of the line that is named
    (gru, "func.func @step", "func.func @stop", "expects a function @step, but got none", None),
    (gru, '{geo.state = "h", geo.from = "root", ', '{geo.from = "root", ', "expects one of geo.param", "geo.from"),
    (gru, 'geo.from = "root"', 'geo.from = "E"', 'expects geo.from of state h to name a parameter of type', "func.func @step"),
    (gru, 'geo.decode = "E"', 'geo.decode = "F"', 'expects geo.decode to name a parameter of type', "geo.decode"),
    (gru, 'geo.decode = "E", ', "", "expects geo.decode to name a parameter, but got", "geo.tau"),
    (gru, 'geo.tau = "tau"', "geo.tau = 0.0", "expects geo.tau to be a positive number", "geo.tau"),
    (gru, 'geo.tau = "tau"', 'geo.tau = "bz"', "expects geo.tau to name a parameter of type f64", "geo.tau"),
    (gru, 'geo.init = "uniform(-0.3, 0.3)"},\n                %Ur', 'geo.init = "uniform(1, 0)"},\n                %Ur', "expects geo.init to be a number", "%Uz: tensor<6x6xf64> {geo.param"),
    (gru, '%bz: tensor<6xf64> {geo.param = "bz"', '%bz: tensor<6xf64> {geo.param = "b.z"', "expects geo.param = \"NAME\" of letters", "b.z"),
    (gru, '%bz: tensor<6xf64> {geo.param = "bz", geo.init = -1.0}', '%bz: tensor<6xf64> {geo.param = "bz", geo.init = "identity"}', "expects a square matrix", '"identity"'),
    (gru, 'geo.param = "bz"', 'geo.param = "tau"', "expects parameter \"tau\" of type", "%tau: f64"),
    (gru, 'geo.positive = "softplus"', 'geo.positive = "square"', "expects geo.positive to be", "square"),
    (gru, 'geo.init = 1.0, geo.positive', 'geo.init = -1.0, geo.positive', "a positive number as geo.init", None),
    (gru, "%xn: tensor<?x6xf64> {geo.input}", "%xn: tensor<?x6xf64> {geo.input}, %more: tensor<?x6xf64> {geo.input}", "expects an input to be tensor<?xi32>", "%more"),
    (gru, "%xn: tensor<?x6xf64> {geo.input}", "%xn: tensor<?x6xf64> {geo.targets}", "only, but got another", "{geo.targets}"),
    (gru, "geo.matmul %rh", "geo.matmul %rn", "use of undeclared SSA value", "%rn"),
    (gru, "tanh(a + b + bias)", "tanh(a + b + bios)", "expects an argument, a curvature or a name", "bios"),
    (cell, 'geo.param = "c"', 'geo.param = "k"', 'expects a parameter of type f64 of the name of the curvature "c"', None),
    (cell, "func.func @loss", "func.func @lost", "expects @loss beside @decode, but got none", "func.func @decode"),
    (cell, "%targets: tensor<?xi32> {geo.targets}", "%more: tensor<?xi64> {geo.targets}, %targets: tensor<?xi32> {geo.targets}", "expects targets of type tensor<?xi32>", "%more"),
    (cell, '{geo.state = "h"},\n                %ids', '{geo.state = "h", geo.decode = "E"},\n                %ids', "expects geo.decode or a function @loss, but got both", 'geo.decode = "E"'),
    (cell, 'func.func @loss(%h: tensor<?x4xf32, #geo.lorentz<"c">> {geo.state = "h"}', 'func.func @loss(%h: tensor<?x4xf32, #geo.lorentz<"c">> {geo.state = "g"}', 'expects a state of @step, but got "g"', '"g"'),
    (cell, "-lorentz.dist(x, e, c)", "-lorentz.dist(x, x, c) * dot(x * e, e)", "expects", None),
]
failures = 0
for number, (path, old, new, message, place) in enumerate(CASES):
    text = open(path).read()
    assert old in text, old
    text = text.replace(old, new)
    file = os.path.join(folder, f"case{number}.mlir")
    with open(file, "w") as f:
        f.write(text)
    done = subprocess.run([rilm, "bench", "step", "--model-file", file, "--vocab", "12", "--batch", "2", "--context", "3", "--repeat", "1"], capture_output=True, text=True)
    error = done.stderr
    good = done.returncode == 2 and message in error and error.count("\n") <= 3 and f"{file}:" in error
    if good and place:
        line = text.splitlines()[int(error.split(f"{file}:")[1].split(":")[0]) - 1]
        good = place in line
    if not good:
        failures += 1
        print(f"case {number}: {new}\n  expects {message!r} at {place!r}, but got exit {done.returncode}: {error}")
sys.exit(failures > 0)
