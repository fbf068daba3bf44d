"""The tests of what a lesson's first line brings, and which device it chooses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from benchmarks.gpu import stand_in

from . import checkouts

pytestmark = pytest.mark.cuda

IMPORT = "from minitorch_cuda.learn import cuda, np\n"
ASK = IMPORT + "import os\nprint(cuda.is_emulated(), os.environ['MINITORCH_CUDA'])\n"


def run(code, folder, **variables):
    kept = {name: each for name, each in os.environ.items() if "MINITORCH" not in name}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def beside_a_gpu(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("compiles a library")
    return stand_in.make(sys.executable, tmp_path / "stand-in")


def test_the_emulator_is_chosen_also_beside_a_gpu(tmp_path, beside_a_gpu):
    done = run(ASK, tmp_path, **beside_a_gpu)
    assert (done.stdout, done.stderr) == ("True emulator\n", "")


def test_who_asks_for_the_gpu_gets_it(tmp_path, beside_a_gpu):
    done = run(ASK, tmp_path, **beside_a_gpu, MINITORCH_CUDA="gpu")
    assert (done.stdout, done.stderr) == ("False gpu\n", "")


def test_too_late_is_told(tmp_path, beside_a_gpu):
    code = "from minitorch import cuda\ncuda.device_name()\n" + IMPORT
    code += "import os\nprint('MINITORCH_CUDA' in os.environ)"
    done = run(code, tmp_path, **beside_a_gpu)
    assert done.stdout == "False\n"
    assert done.stderr.startswith("[learn] this process already uses Tesla T4")
    assert "Restart the kernel" in done.stderr


def test_an_emulator_that_is_open_is_right(tmp_path):
    code = "from minitorch import cuda\ncuda.device_name()\n" + ASK
    done = run(code, tmp_path, LD_LIBRARY_PATH=_without_driver(tmp_path))
    assert done.stdout == "True emulator\n"
    assert "[learn]" not in done.stderr


def _without_driver(folder):
    checkouts.write(folder, {"none/libcuda.so.1": "no library"})
    return str(folder / "none")


def test_a_foreign_minitorch_is_left_alone(tmp_path):
    """Beside a student's own package of that name, lessons use ours."""
    (tmp_path / "wheel").mkdir()
    wheel = checkouts.make_wheel(tmp_path / "wheel")
    student = checkouts.write(
        tmp_path / "student", {"minitorch/__init__.py": "mine = True\n"}
    )
    code = IMPORT + "import minitorch\nprint(minitorch.mine, cuda.is_emulated())"
    done = checkouts.run(["-c", code], student, wheel)
    assert done.stdout == "True True\n", done.stderr
