"""The run of MiniTorch's own tests and scripts against this package.

    python tests/upstream/run.py PATH [--scripts-only | --tests-only | --module3-only]
    python tests/upstream/run.py PATH --package FOLDER

PATH is a checkout of minitorch/minitorch. Its tests are copied into an empty folder, so
that its own package is not found, and need pytest 8 with hypothesis 6.54.0. Ends with 0
if everything is as MiniTorch's authors would see it with a complete solution on a GPU.
FOLDER holds another package `minitorch` to be tested instead of this one: the solution
of module 4, as `minitorch course release m4` zips it.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

PASSED = 283
# Tests that students write: their bodies raise NotImplementedError.
STUBS = {
    "test_nn.test_max",
    "test_operators.test_sigmoid",
    "test_operators.test_transitive",
    "test_operators.test_symmetric",
    "test_operators.test_distribute",
    "test_operators.test_other",
    "test_operators.test_sum_distribute",
}
EXPECTED_FAILURES = {
    "test_module.test_module_fail_forward",
    "test_tensor.test_permute_view",
    "test_tensor.test_index",
    "test_tensor_data.test_layout_bad",
}
SECONDS = 60
PACKAGE_SECONDS = 180  # in plain Python
# Tests of Module 3 on device cuda: tasks 3.3 and 3.4, with kernels written in Python.
MODULE3_PASSED = 64
MODULE3_SECONDS = 30
MODULE3 = (
    Path(__file__).with_name("module3_plugin.py"),
    Path(__file__).parents[1] / "python" / "module3_kernels.py",
)

SCRIPTS = {
    "run_manual.py": [],
    "run_scalar.py": [],
    "run_tensor.py": [],
    "run_fast_tensor.py": ["--DATASET", "split", "--HIDDEN", "100"],
}

# What the scripts and the tests must import: the package that runs this.
_FIND = "import minitorch; print(minitorch.__file__)"
_SCRIPT = """
import runpy, sys
import minitorch.compat
minitorch.compat.install_numba()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(arguments: list[str], folder: Path, **options) -> subprocess.CompletedProcess:
    """A fresh interpreter in a folder."""
    environment = {"MINITORCH_CUDA": "emulator", **os.environ}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, text=True, **options)


def processor_time() -> float:
    """Seconds that finished children have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outcomes(report: Path) -> dict[str, set[str]]:
    """The tests by outcome, named `file.test[parameters]`."""
    found: dict[str, set[str]] = {"passed": set(), "failed": set(), "xfailed": set()}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname').rpartition('.')[2]}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            found["failed"].add(name)
        elif skipped is not None and skipped.get("type") == "pytest.xfail":
            found["xfailed"].add(name)
        else:
            found["passed"].add(name)
    return found


def run_tests(folder: Path, *options: str) -> tuple[dict[str, set[str]], float]:
    """Runs upstream's tests: the outcomes (empty if they did not run) and seconds."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    started, worked = time.monotonic(), processor_time()
    options = ("-q", "-p", "no:cacheprovider", "--tb=short", *options)
    options += ("--hypothesis-seed=0", f"--junitxml={report}")
    run(["-m", "pytest", "tests", *options], folder)
    seconds, worked = time.monotonic() - started, processor_time() - worked
    if not report.exists():
        return {}, 0.0
    found = outcomes(report)
    counts = {kind: len(names) for kind, names in found.items()}
    print(f"\n{counts} in {seconds:.1f} s, {worked:.1f} s of processor time")
    return found, min(seconds, worked)  # others may keep the machine busy


def judge_tests(folder: Path, package: Path | None = None) -> list[str]:
    """Runs the tests, of `package` if that is given; what is not as it should be."""
    if package is None:
        found, seconds = run_tests(folder, "-p", "minitorch.tools.numba_plugin")
        allowed = SECONDS
    else:  # the installed plugin sees to it that this one is tested, and has numba
        shutil.copytree(package / "minitorch", folder / "minitorch")
        found, seconds = run_tests(folder)
        allowed = PACKAGE_SECONDS
    if not found:
        return ["the tests did not run"]
    wrong = []
    if len(found["passed"]) != PASSED:
        wrong.append(f"{len(found['passed'])} tests passed, {PASSED} should")
    wrong += [f"{name} failed" for name in sorted(found["failed"] - STUBS)]
    wrong += [f"{name} should fail" for name in sorted(STUBS - found["failed"])]
    wrong += [f"{n} should be xfailed" for n in EXPECTED_FAILURES - found["xfailed"]]
    if seconds > allowed:
        wrong.append(f"the tests took {seconds:.0f} s, {allowed} are allowed")
    return wrong


def judge_module3(folder: Path) -> list[str]:
    """Runs the tests of tasks 3.3 and 3.4 on kernels in Python; what is wrong."""
    for path in MODULE3:
        shutil.copy(path, folder)
    tasks = ("-m", "task3_3 or task3_4")
    found, seconds = run_tests(folder, "-p", "module3_plugin", *tasks)
    wrong = [f"{name} failed" for name in sorted(found.get("failed", ()))]
    if len(found.get("passed", ())) != MODULE3_PASSED:
        wrong.append(f"need {MODULE3_PASSED} tests of Module 3 to pass")
    if seconds > MODULE3_SECONDS:
        wrong.append(f"they took {seconds:.0f} s, {MODULE3_SECONDS} are allowed")
    return wrong


def judge_scripts(checkout: Path, folder: Path) -> list[str]:
    """Runs the scripts; what is not as it should be."""
    wrong = []
    for name, arguments in SCRIPTS.items():
        script = str(checkout / "project" / name)
        started = time.monotonic()
        done = run(["-c", _SCRIPT, script, *arguments], folder, capture_output=True)
        seconds = time.monotonic() - started
        lines = done.stdout.splitlines()
        print(f"{name}: {seconds:.1f} s, {lines[-1] if lines else 'no output'}")
        if done.returncode:
            wrong.append(f"{name} failed:\n{done.stderr[-2000:]}")
        elif re.search(r"\bnan\b", done.stdout):
            wrong.append(f"{name} lost its numbers: {lines[-1]}")
    return wrong


def main() -> int:
    """Judges both; the number of things that are wrong decides the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="a checkout of minitorch/minitorch")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--scripts-only", action="store_true")
    only.add_argument("--tests-only", action="store_true")
    only.add_argument("--module3-only", action="store_true")
    only.add_argument("--package", type=Path, help="holds another minitorch to test")
    options = parser.parse_args()
    checkout = options.path.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = run(["-c", _FIND], folder, capture_output=True).stdout.strip()
        if not package or checkout in Path(package).parents:
            sys.exit(f"minitorch is found at {package!r}; need this package installed.")
        print(f"minitorch: {package}")
        shutil.copytree(checkout / "tests", folder / "tests")
        shutil.copy(checkout / "setup.cfg", folder)
        everything = not (
            options.scripts_only
            or options.tests_only
            or options.module3_only
            or options.package
        )
        wrong = []
        if options.package:
            wrong += judge_tests(folder, options.package.resolve())
        if everything or options.tests_only:
            wrong += judge_tests(folder)
        if everything or options.module3_only:
            wrong += judge_module3(folder)
        if everything or options.scripts_only:
            wrong += judge_scripts(checkout, folder)
    print("\n".join(wrong) or "all as it should be")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
