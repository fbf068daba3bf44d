"""Takes three walks of docs/contributing.md: each patch here is a made-up addition,
applied to a copy of the sources, built there and run.

Not part of `make test`, since two of them compile: `python -m pytest tests/walks`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minitorch import _core
from tests.python.contributing_walks import walks

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EMULATOR = "libminitorch_emulator.so"
# An editable installation has a finder that goes before PYTHONPATH: the copy's Python
# does without it.
WITHOUT_FINDER = """import sys
finder = "ScikitBuildRedirectingFinder"
sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != finder]
"""

GRAY_CODES = """
import numpy as np
from minitorch import cuda
PTX = '''.version 8.3
.target sm_75
.address_size 64
.visible .entry gray_codes(.param .u64 narrow, .param .u64 wide) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [narrow];
  ld.param.u64 %rd2, [wide];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  mad.wide.u32 %rd2, %r1, 8, %rd2;
  ld.global.b32 %r2, [%rd1];
  gray.b32 %r2, %r2;
  st.global.b32 [%rd1], %r2;
  ld.global.b64 %rd3, [%rd2];
  gray.b64 %rd3, %rd3;
  st.global.b64 [%rd2], %rd3;
  ret;
}'''
kernel = cuda.RawModule(ptx=PTX).get_function("gray_codes")
random = np.random.default_rng(0)
for seed in range(8):
    given = [random.integers(0, 2**bits, 64, f"uint{bits}") for bits in (32, 64)]
    arrays = [cuda.to_device(each) for each in given]
    kernel[1, 64](*arrays)
    for before, after in zip(given, arrays):
        expected = [x ^ (x >> 1) for x in before.tolist()]
        assert after.copy_to_host().tolist() == expected
"""

SQUAREPLUS = """
import numpy as np
import minitorch
import minitorch.functional as F
x = np.linspace(-3, 3, 41)
root = np.sqrt(x * x + 4)
for device in ("cpu", "cuda"):
    for dtype, near in (("float64", 1e-12), ("float32", 1e-6)):
        given = minitorch.tensor(x.astype(dtype), device=device)
        given.requires_grad_()
        out = F.squareplus(given)
        np.testing.assert_allclose(out.numpy(), (x + root) / 2, near, near)
        out.sum().backward()
        slope = (1 + x / root) / 2
        np.testing.assert_allclose(given.grad.numpy(), slope, near, near)
"""


class Copy:
    """The tracked sources in another folder, with this installation's libraries."""

    def __init__(self, folder):
        self.root = folder / "copy"
        for name in _tracked():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        package = self.root / "minitorch"
        built = Path(_core.__file__)
        for library in (built, built.with_name(EMULATOR)):
            shutil.copy2(library, package)
        start = folder / "start"
        start.mkdir()
        (start / "sitecustomize.py").write_text(WITHOUT_FINDER)
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {
            **os.environ,
            "PATH": tools,
            "PYTHONPATH": f"{start}{os.pathsep}{self.root}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHON": "python",
            "MINITORCH_CUDA": "emulator",
            "CCACHE_BASEDIR": str(self.root),
            "CCACHE_NOHASHDIR": "1",
        }

    def run(self, *command):
        """Run a command in the copy's root, and give what it printed."""
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}"
        return done.stdout

    def python(self, program):
        """Run a program that finds the copy's package, which this makes sure of."""
        where = "import minitorch; print(minitorch.__file__)"
        printed = self.run("python", "-c", f"{where}\n{program}")
        assert str(self.root) in printed

    def pytest(self, *arguments):
        """Run tests of the copy; there must be some."""
        printed = self.run("python", "-m", "pytest", "-q", *arguments)
        assert re.search(r"\d+ passed", printed), printed

    def build(self, targets, *options):
        """Build targets, and give the folder of the build."""
        folder = self.root / "build" / "venv"
        python = f"-DPython_EXECUTABLE={sys.executable}"
        self.run("cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", python, *options)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        self.run("cmake", "--build", str(folder), "-j", jobs, "--target", *targets)
        return folder

    def take(self, library):
        """Replace one of the installation's libraries by the copy's own."""
        shutil.copy2(library, self.root / "minitorch" / library.name)

    def texts(self):
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for folder in ("docs", "tests")
            for path in (self.root / folder).rglob("*")
            if path.is_file()
        }


def _tracked():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


def files_of(patch):
    return re.findall(r"^\+\+\+ b/(.+)$", patch.read_text("utf-8"), re.MULTILINE)


def apply(copy, name, walk, instead_of="", made=""):
    """Apply a patch whose files are those of the page, with the example's own name
    replaced by that of what is made up."""
    patch = HERE / f"{name}.patch"
    listed = [path.replace(instead_of, made) for path in walk.written]
    assert sorted(files_of(patch)) == sorted(listed), (
        f"tests/walks/{name}.patch and docs/contributing.md differ in the files of "
        "this walk; correct the one that is wrong."
    )
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", str(patch)],
        cwd=copy.root, capture_output=True, text=True, check=False,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.root.parent)},
    )  # fmt: skip
    assert done.returncode == 0, (
        f"tests/walks/{name}.patch does not apply any more; renew it: make the same "
        f"addition by hand and save `git diff -U2`.\n{done.stderr}"
    )


def generate(copy, walk):
    """Run the commands of the page: what they change is what the page says."""
    before = copy.texts()
    pages = [step for step in walk.steps if step.command.startswith("python ")]
    for step in pages:
        copy.run(*step.command.split())
    after = copy.texts()
    changed = [name for name in after if after[name] != before.get(name)]
    for step in pages:
        assert any(name.startswith(step.path) for name in changed), step
    for name in changed:
        assert name.startswith(tuple(step.path for step in pages)), name


def test_a_view(copy):
    apply(copy, "view", walks()["A view"], "sms", "lanes")
    copy.pytest(
        "tests/python/test_viz_lanes.py",
        "tests/python/test_viz_views.py",
        "tests/python/test_sweep_viz.py",
        "tests/python/test_layering.py",
    )
    copy.pytest("tests/python/test_doctests.py", "-k", "views.lanes")


def test_an_elementwise_operation(copy):
    walk = walks()["An elementwise operation with a gradient"]
    apply(copy, "elementwise_op", walk)
    built = copy.build(["_core"])
    (library,) = (built / "bindings").glob("_core*.so")
    copy.take(library)
    copy.python(SQUAREPLUS)
    copy.pytest(
        "tests/python/test_functional_math.py",
        "tests/python/test_gradients.py",
        "tests/python/test_op_samples.py",
        "-k",
        "squareplus",
    )
    copy.run("python", "bindings/make_stub.py", "minitorch")
    stub = copy.root / "minitorch" / "_core.pyi"
    assert "def squareplus(self) -> Tensor:" in stub.read_text("utf-8")


def quick_build():
    """One instruction set where this machine has it, else all."""
    facts = Path("/proc/cpuinfo")
    flags = set(facts.read_text().split()) if facts.exists() else set()
    needed = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    return "avx512" if needed <= flags else "all"


def test_a_lane_instruction(copy):
    walk = walks()["A lane instruction"]
    apply(copy, "lane_instruction", walk)
    generate(copy, walk)
    built = copy.build(
        ["minitorch_emulator_driver", "test_emulator_instructions"],
        "-DMINITORCH_BUILD_PYTHON=OFF",
        "-DMINITORCH_BUILD_TESTS=ON",
        f"-DMINITORCH_EMULATOR_ISAS={quick_build()}",
    )
    copy.take(built / "cpp" / "libcuda" / EMULATOR)
    copy.python(GRAY_CODES)
    # Lanes, oracle and exact results agree on each form, the new ones among them.
    tests = built / "tests" / "emulator_instructions" / "test_emulator_instructions"
    copy.run(str(tests), "--gtest_brief=1")
