# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exit_code.py CODE COMMAND..: fails unless the command exits with CODE."""
import subprocess, sys

code = subprocess.run(sys.argv[2:]).returncode
sys.exit(0 if code == int(sys.argv[1]) else f"expects exit code {sys.argv[1]}, but got {code}")
