# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_stay.py RILM FOLDER: after many large steps every point is on its manifold, with
curvatures other than 1, and so are the moments of the optimiser, which are tangent."""
import json, math, os, shutil, struct, subprocess, sys

rilm, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)
os.environ["GEOC_CACHE"] = at("cache")
with open(at("text.txt"), "w") as f:
    for i in range(300):
        print(*(f"w{(i * i + 3 * k + k * k) % 17}" for k in range(3 + i % 5)), file=f)


def read(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        header, data = json.loads(f.read(size)), f.read()
    rows = {}
    for name, tensor in header.items():
        if name not in ("E", "root", "m.E", "m.root"):
            continue
        begin, end = tensor["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        d = tensor["shape"][-1]
        rows[name] = [values[i : i + d] for i in range(0, len(values), d)]
    return rows


dot = lambda x, y: math.fsum(a * b for a, b in zip(x, y))
for manifold, c in ("sphere", 2.5), ("sphere", 0.1), ("poincare", 2.5), ("poincare", 0.1), ("stereographic", 0.4):
    for optimizer, lr in ("radam", 0.3), ("rsgd", 5):
        subprocess.run([rilm, "train", "--manifold", f"#geo.{manifold}<{c}>", "--corpus", at("text.txt"), "--vocab", "12", "--dim", "5",
                        "--epochs", "6", "--optimizer", optimizer, *(["--momentum", "0.9"] if optimizer == "rsgd" else []),
                        "--lr", str(lr), "--out", at("out"), "--force"], check=True, capture_output=True)
        tensors = read(at("out/last.safetensors"))
        for name in "E", "root":
            for x, m in zip(tensors[name], tensors["m." + name]):
                size = c * dot(x, x)
                if manifold == "sphere":
                    assert abs(size - 1) < 1e-6, (manifold, c, optimizer, name, size)
                    lean = abs(dot(x, m)) * math.sqrt(c)
                    assert lean <= 1e-6 * math.sqrt(dot(m, m)) + 1e-30, (manifold, c, optimizer, name, lean)
                else:
                    assert size < 1 and dot(m, m) < math.inf, (manifold, c, optimizer, name, size)
