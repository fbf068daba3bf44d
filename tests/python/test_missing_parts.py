"""The tests of what is told where an installation or a build lacks something.

Each is one sentence that names what to do, and nothing is left half done.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest

from .checkouts import make_wheel, run
from .processes import run_python
from .source_tree import ROOT

FOREIGN = "whose = 'another author'\n"
# What .ci/setup calls before it knows whether there is a compiler.
TOOLS = (
    "awk",
    "bash",
    "dirname",
    "env",
    "grep",
    "head",
    "mkdir",
    "nproc",
    "tail",
    "tee",
    "uname",
)


def test_a_package_installed_over_this_one_is_named(tmp_path):
    wheel = make_wheel(tmp_path)
    start = wheel / "minitorch" / "__init__.py"
    start.unlink()  # a link to this checkout's
    for text in (None, FOREIGN):
        if text is not None:
            start.write_text(text)
        process = run(["-c", "import minitorch_cuda"], tmp_path, wheel)
        assert process.returncode == 1
        last = process.stderr.splitlines()[-1]
        assert last.startswith("ImportError: [minitorch_cuda] another package called")
        assert "pip uninstall -y minitorch minitorch-cuda" in last


@pytest.mark.cuda
@pytest.mark.parametrize(("home", "told"), [("/dev/null", 1), ("", 0)])
def test_kernels_run_without_a_home_to_write_to(tmp_path, home, told, monkeypatch):
    code = (
        "import numpy as np\nfrom minitorch import cuda\n"
        'kernel = cuda.RawKernel(\'extern "C" __global__ void one(float* x) '
        "{ x[threadIdx.x] = 1; }', 'one')\n"
        "x = cuda.to_device(np.zeros(8, np.float32))\n"
        "kernel(1, 8, (x,))\nprint(x.copy_to_host().sum())"
    )
    nowhere = {"XDG_CACHE_HOME": "", "HOME": home}
    monkeypatch.delenv("MINITORCH_CACHE_DIR", raising=False)
    process = run(["-c", code], tmp_path, **nowhere)
    assert process.stdout == "8.0\n"
    lines = process.stderr.splitlines()
    assert len(lines) == told
    assert all("or set MINITORCH_CACHE_DIR." in line for line in lines)


def backend(code, **environment):
    """What pip shows of a build that ends before it begins."""
    start = "import sys; sys.path.insert(0, 'docs'); import build_backend\n"
    return run_python(start + code, **environment)


@pytest.mark.parametrize("make", ["build_wheel", "build_editable"])
def test_a_build_without_a_compiler_is_one_sentence(tmp_path, make):
    code = f"build_backend.{make}({str(tmp_path)!r})"
    process = backend(code, PATH=str(tmp_path), CXX="")
    assert process.returncode == 1
    (line,) = process.stderr.splitlines()
    assert line.startswith("[build] got no C++ compiler; need GCC 12 or clang 14")
    assert list(tmp_path.iterdir()) == []


def test_a_build_without_headers_of_python_is_one_sentence(tmp_path):
    code = f"build_backend.sysconfig.get_path = lambda name: {str(tmp_path)!r}\n"
    process = backend(code + f"build_backend.build_wheel({str(tmp_path)!r})")
    assert process.returncode == 1
    (line,) = process.stderr.splitlines()
    assert line.startswith("[build] got no Python.h for ")
    assert "python3-dev" in line


def script(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path):
    """A folder with .ci/setup, and a PATH with a compiler and room on the disk."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for name in TOOLS:
        found = shutil.which(name)
        assert found is not None, name
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(found)
    script(tmp_path, "bin/c++", "exit 0")
    script(tmp_path, "bin/df", "echo head\necho disk 9 9 5000 9% /")
    return tmp_path


def set_up(checkout, **variables):
    """What .ci/setup says at its end; it must not succeed."""
    process = subprocess.run(
        [".ci/setup", "demo"],
        cwd=checkout,
        env={"PATH": str(checkout / "bin"), "CXX": "", "PYTHON": "", **variables},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1, process.stdout
    return process.stderr.splitlines()[-1]


OLD = '[ "$1" = --version ] && echo "c++ 9.4" || exit 1'


@pytest.mark.parametrize(
    ("program", "text", "variables", "said"),
    [
        ("c++", None, {}, "got no C++ compiler; need GCC 12"),
        ("c++", OLD, {}, "got c++ 9.4; need GCC 12 or clang 14"),
        ("df", "echo head\necho disk 9 9 300 99% /", {}, "got 300 MB of free disk"),
        ("uname", "echo Darwin", {}, "got Darwin; need Linux: on macOS and"),
        ("python3", "exit 1", {}, "got no Python >= 3.11 with venv and headers"),
        ("c++", "exit 0", {"CXX": "/nope/it"}, "got CXX=/nope/it"),
        ("c++", "exit 0", {"PYTHON": "/nope/it"}, "got PYTHON=/nope/it"),
    ],
)
def test_set_up_says_what_it_lacks(checkout, program, text, variables, said):
    script(checkout, f"bin/{program}", text or "")
    if text is None:
        (checkout / "bin" / program).unlink()
    assert set_up(checkout, **variables).startswith(f"[setup] {said}")
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("pip_says", "told"),
    [
        ("ERROR: Could not resolve host: index", "the network, a proxy or the package"),
        ("ProxyError: Tunnel connection failed: 403", "the network, a proxy or the"),
        ("ERROR: No space left on device", "the disk became full"),
        ("ERROR: something else", "pip could not install what minitorch needs"),
    ],
)
def test_set_up_where_packages_do_not_come(checkout, pip_says, told):
    script(checkout, ".venv/bin/python", "exit 0")
    script(checkout, ".venv/bin/pip", f"echo '{pip_says}' >&2\nexit 1")
    assert told in set_up(checkout)


def test_set_up_shows_the_first_error_of_a_build(checkout):
    text = "echo '[7/9] Building x.o'\necho 'x.cpp:3:1: error: no such thing'\nexit 1"
    script(checkout, ".venv/bin/pip", f'[ "$2" = -v ] || exit 0\n{text}')
    for name in ("cat", "cmake", "ninja", "touch"):
        script(checkout, f"bin/{name}", "exit 0")
    script(checkout, ".venv/bin/python", "exit 0")
    (checkout / "pyproject.toml").write_text("")
    process = subprocess.run(
        [".ci/setup", "demo"],
        cwd=checkout,
        env={"PATH": str(checkout / "bin")},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert "x.cpp:3:1: error: no such thing" in process.stderr
    assert "[setup] the build failed; build/setup.log has" in process.stderr
