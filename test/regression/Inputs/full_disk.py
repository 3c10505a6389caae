# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""full_disk.py BIN FOLDER: no room for what the tools write. They say so, and leave no half of a file."""
import os
import resource
import shutil
import subprocess
import sys

tools, folder = sys.argv[1:3]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
at = lambda name: os.path.join(folder, name)


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def expect(code, message, *command, **more):
    run = subprocess.run([os.path.join(tools, command[0]), *command[1:]], stderr=subprocess.PIPE, text=True, **more)
    assert run.returncode == code, (command, run)
    assert message in run.stderr and run.stderr.count("\n") <= 3, (command, run)


with open(at("f.mlir"), "w") as f:
    f.write("func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n  return %x : tensor<?x4xf32>\n}\n")
with open(at("text.txt"), "w") as f:
    f.write("a b c d\n" * 100)

tooLarge = "expects room to write, but got File too large"
expect(2, "f.o: " + tooLarge, "geoc", at("f.mlir"), "-o", at("f.o"), preexec_fn=limit)
expect(1, "last.safetensors: " + tooLarge, "rilm", "train", "--corpus", at("text.txt"), "--vocab", "4", "--dim", "4", "--epochs", "1",
       "--target", "loops", "--out", at("run"), preexec_fn=limit, stdout=subprocess.DEVNULL)
assert sorted(os.listdir(folder)) == ["f.mlir", "run", "text.txt"], os.listdir(folder)
assert os.listdir(at("run")) == ["metrics.jsonl"], os.listdir(at("run"))

with open("/dev/full", "w") as full:
    noSpace = "standard output: expects to be written, but got No space left on device"
    expect(1, "geoc: " + noSpace, "geoc", at("f.mlir"), "--emit=fused", stdout=full)
    expect(1, "geoc: " + noSpace, "geoc", at("f.mlir"), "--check-gradients", stdout=full)
