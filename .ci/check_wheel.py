"""Owns what a wheel may weigh and hold."""

import re
import sys
import zipfile
from pathlib import Path

LIMIT = 10 * 2**20
NEEDED = (
    r"minitorch/__init__\.py",
    r"minitorch/py\.typed",
    r"minitorch/_core\.pyi",
    r"minitorch/_core\..*\.so",
    r"minitorch/libminitorch_emulator\.so",
    r"minitorch/emulated/libcuda\.so\.1",
    r"minitorch/emulated_ptxas\.sh",
    r"minitorch/cuda/include/math\.h",
    *(rf"minitorch/lessons/{number:02}_\w+\.ipynb" for number in range(16)),
    r"minitorch/lessons/puzzles\.ipynb",
    r"minitorch/lessons/first_light\.ipynb",
    r"minitorch/lessons/README\.md",
    r"minitorch_cuda/__init__\.py",
    r"minitorch_cuda_pytest/__init__\.py",
    r"minitorch_cuda-.*dist-info/entry_points\.txt",
    r"minitorch_cuda-.*dist-info/licenses/LICENSE",
)
# No CUDA library but our own of that name, nothing that only builds or tests need, and
# nothing that solves an exercise of the lessons.
BANNED = re.compile(
    r"(?<!/emulated/)libcuda|libnvrtc|cudart|cublas|\.cpp$|\.a$|^tests/|^build/|"
    r"^notebooks/|lessons/.*\.py$|solution|test_\w+\.py$|mutants"
)

wheel = Path(sys.argv[1])
names = zipfile.ZipFile(wheel).namelist()
problems = []
if wheel.stat().st_size > LIMIT:
    problems.append(f"{wheel.stat().st_size} bytes; need {LIMIT} at most")
for pattern in NEEDED:
    if not any(re.fullmatch(pattern, name) for name in names):
        problems.append(f"nothing in it is called {pattern}")
problems += [f"{name} does not belong in it" for name in names if BANNED.search(name)]
print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB, {len(names)} files")
print("\n".join(problems))
sys.exit(1 if problems else 0)
