"""What a wheel may weigh, hold, and ask of a system.

Usage: check_wheel.py [--glibc 2.28] WHEEL. It needs pyelftools.
"""

import argparse
import io
import re
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

LIMIT = 10 * 2**20
GRADER = (
    r"minitorch_grading/__init__\.py",
    r"minitorch_grading/report/report\.schema\.json",
    r"minitorch_grading/report/advice\.toml",
    r"minitorch_grading/sandbox/system_calls\.txt",
    r"minitorch_grading/report/pages/student\.html",
    r"minitorch_grading/report/pages/student\.css",
    r"minitorch_grading/report/pages/bars\.svg",
    r"minitorch_grading/report/adapters/gradescope\.schema\.json",
    r"minitorch_grading-.*dist-info/entry_points\.txt",
)
NEEDED = (
    r"minitorch/__init__\.py",
    r"minitorch/py\.typed",
    r"minitorch/_core\.pyi",
    r"minitorch/_core\..*\.so",
    r"minitorch/libminitorch_emulator\.so",
    r"minitorch/emulated/libcuda\.so\.1",
    r"minitorch/emulated/libcudart\.so\.13",
    r"minitorch/tools/emulated_ptxas\.sh",
    r"minitorch/cuda/include/math\.h",
    *(rf"minitorch/lessons/{number:02}_\w+\.ipynb" for number in range(22)),
    r"minitorch/lessons/puzzles\.ipynb",
    r"minitorch/lessons/first_light\.ipynb",
    r"minitorch/lessons/README\.md",
    r"minitorch_cuda/__init__\.py",
    r"minitorch_cuda_pytest/__init__\.py",
    r"minitorch_cuda-.*dist-info/entry_points\.txt",
    r"minitorch_cuda-.*dist-info/licenses/LICENSE",
)
# No CUDA library but our own of those names, nothing that only builds or tests need,
# and nothing that solves an exercise of the lessons or an assignment.
BANNED = re.compile(
    r"(?<!/emulated/)libcuda|libnvrtc|cublas|\.cpp$|\.a$|^tests/|^build/|"
    r"^notebooks/|minitorch/lessons/.*\.py$|solution(?!_cache\.py$)|test_\w+\.py$|"
    r"mutants|assignments/|assignment\.toml$|graded/|twins/"
)


def needed_versions(wheel: zipfile.ZipFile) -> dict[str, tuple[int, ...]]:
    """The newest version of each set of symbols, such as GLIBC, that is needed."""
    newest: dict[str, tuple[int, ...]] = {}
    for name in wheel.namelist():
        if ".so" not in Path(name).name:
            continue
        for section in ELFFile(io.BytesIO(wheel.read(name))).iter_sections():
            if not isinstance(section, GNUVerNeedSection):
                continue
            for _, symbols in section.iter_versions():
                for symbol in symbols:
                    found = re.fullmatch(r"([A-Z]+)_([\d.]+)", symbol.name)
                    if found:
                        version = tuple(map(int, found[2].split(".")))
                        newest[found[1]] = max(newest.get(found[1], ()), version)
    return newest


def glibc_of(tag: str) -> tuple[int, ...]:
    """The oldest glibc of a file name's newest manylinux tag; () without one."""
    versions = re.findall(r"manylinux_(\d+)_(\d+)", tag)
    return min((tuple(map(int, each)) for each in versions), default=())


def text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


parser = argparse.ArgumentParser()
parser.add_argument("--glibc", help="the newest that it may need")
parser.add_argument("wheel", type=Path)
options = parser.parse_args()
wheel = options.wheel
names = zipfile.ZipFile(wheel).namelist()
problems = []
if wheel.stat().st_size > LIMIT:
    problems.append(f"{wheel.stat().st_size} bytes; need {LIMIT} at most")
grader = wheel.name.startswith("minitorch_grading-")
for pattern in GRADER if grader else NEEDED:
    if not any(re.fullmatch(pattern, name) for name in names):
        problems.append(f"nothing in it is called {pattern}")
if not grader:
    problems += [f"{each} is the grader's" for each in names if "grading" in each]
problems += [f"{name} does not belong in it" for name in names if BANNED.search(name)]
versions = needed_versions(zipfile.ZipFile(wheel))
allowed = glibc_of(wheel.name)
if grader:
    version = wheel.name.split("-")[1]
    about = f"minitorch_grading-{version}.dist-info/METADATA"
    needed = f"Requires-Dist: minitorch-cuda=={version}\n"
    if needed not in zipfile.ZipFile(wheel).read(about).decode():
        problems.append(f"needs another library than minitorch-cuda {version}")
elif not allowed:
    problems.append("no manylinux tag: auditwheel has not repaired it")
elif versions["GLIBC"] > allowed:
    problems.append(f"needs glibc {text(versions['GLIBC'])}; its tag says less")
if options.glibc and allowed > tuple(map(int, options.glibc.split("."))):
    problems.append(f"is for glibc {text(allowed)}; need {options.glibc} or older")
print(", ".join(f"{each} {text(versions[each])}" for each in sorted(versions)))
print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB, {len(names)} files")
print("\n".join(problems))
sys.exit(1 if problems else 0)
