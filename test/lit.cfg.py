# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lit suite `geo`: RUN lines over test/ and over the IR examples of docs/.
import os
import shutil

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "geo"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.geoc_obj_root, "test")
config.excludes = ["Inputs", "lib", "CMakeLists.txt"]

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

# A tool that is not built fails the tests that name it.
tool_dirs = [config.geoc_tools_dir, config.llvm_tools_dir]
tools = ["geo-opt", "geoc", "geo-numerics", "rilm", "simt-run"]
tools.append(ToolSubst("mlir-opt-22", "mlir-opt", unresolved="ignore"))
for name in tools:
    if isinstance(name, str):
        name = ToolSubst(name, unresolved="ignore")
    llvm_config.add_tool_substitutions([name], tool_dirs)

config.environment["OMP_WAIT_POLICY"] = "passive"
# NVIDIA's assembler, for tests of cubins.
cuda = os.environ.get("CUDA_HOME", "")
if cuda:
    config.environment["CUDA_HOME"] = cuda
if shutil.which(os.path.join(cuda, "bin", "ptxas")) or shutil.which("ptxas"):
    config.available_features.add("ptxas")
config.substitutions.append(("%geoc_src", config.geoc_src_root))
config.substitutions.append(("%geoc_obj", config.geoc_obj_root))
config.substitutions.append(("%python", config.python_executable))
