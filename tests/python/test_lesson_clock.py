"""The tests of `timing`: beside a GPU it is measured there, else estimated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.gpu import stand_in
from minitorch import cuda
from minitorch.cuda.python_kernels.launch_process import GpuTime
from minitorch.learn import lesson_clock
from minitorch.learn.lesson_clock import timing

pytestmark = pytest.mark.cuda

TWICE = """__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}"""
PROGRAM = f"""
import sys
from minitorch_cuda.learn import cuda, np, timing

@cuda.jit
def along(out, a):
    out[cuda.grid(1)] = 2 * a[cuda.grid(1)]

twice = cuda.RawKernel('''{TWICE}''', "twice")
x = np.ones(4096, np.float32)
on = cuda.to_device(x)
print("here:", cuda.is_emulated())
print(timing(along, 16, 256, 0 * x, on))
print(timing(twice, 16, 256, on, 4096))
print("left:", float(on.copy_to_host().max()))
try:
    timing(twice, 16, 2048, on, 4096)
except cuda.LaunchError as error:
    print(error)
"""


def program(tmp_path, **variables):
    """Lines that the program prints in a process of its own."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    kept = {name: each for name, each in os.environ.items() if "MINITORCH" not in name}
    done = subprocess.run(
        [sys.executable, str(file)],
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def beside_a_gpu(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("compiles a library")
    return stand_in.make(sys.executable, tmp_path / "stand-in")


def test_beside_a_gpu_a_process_on_it_measures(tmp_path, beside_a_gpu):
    """The lesson itself stays on the emulator."""
    here, along, twice, left, refused = program(tmp_path, **beside_a_gpu)
    assert here == "here: True"
    for line, name in ((along, "along"), (twice, "twice")):
        assert line.startswith(f"{name} on Tesla T4")  # the stand-in's name
        assert line.endswith("s, the fastest of 20 launches.")
        assert "on the emulator" not in line
    assert left == "left: 1.0"
    assert "2048" in refused


def test_who_asks_for_the_emulator_gets_no_gpu(tmp_path, beside_a_gpu):
    lines = program(tmp_path, **beside_a_gpu, MINITORCH_CUDA="emulator")
    assert lines[1].startswith("along on the emulator, which has no clock. ")


def test_without_a_gpu_the_counters_give_an_estimate(tmp_path):
    nowhere = tmp_path / "libcuda.so.1"
    nowhere.write_text("no library")  # hides a driver that this machine may have
    lines = program(
        tmp_path, LD_LIBRARY_PATH=str(tmp_path), MINITORCH_EMULATED_GPU="a100"
    )
    assert lines[0] == "here: True"
    assert lines[1].startswith(
        "along on the emulator, which has no clock. Without caches, NVIDIA A100"
    )
    assert lines[1].endswith("the kernel moves 32,768 bytes (memory-bound).")
    assert lines[3] == "left: 1.0"
    assert "2048" in lines[4]


@pytest.fixture
def no_gpu(monkeypatch):
    """Counts how often a GPU is looked for, in vain."""
    if not cuda.is_emulated():
        pytest.skip("counts on the emulator")
    asked = []
    monkeypatch.setattr(lesson_clock, "_ASKED", None)
    monkeypatch.setattr(lesson_clock, "_no_gpu", [])
    monkeypatch.setattr(lesson_clock, "time_in_process", lambda job: asked.append(1))
    return asked


@cuda.jit
def strided(out, a, stride):
    i = cuda.grid(1)
    out[i] = a[stride * i]


@cuda.jit
def busy(x):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(1000):
        value = value * value + value
    x[i] = value


def test_eight_times_the_sectors_are_about_that_time(no_gpu):
    a, out = np.ones(8 * 4096, np.float32), np.zeros(4096, np.float32)
    dense, loose = (timing(strided, 16, 256, out, a, stride) for stride in (1, 8))
    assert dense.seconds is loose.seconds is None
    assert dense.estimate is not None
    assert loose.estimate == pytest.approx(4.5 * dense.estimate)  # (8 + 1) / (1 + 1)
    assert not out.any()
    assert no_gpu == [1]  # only once
    many = timing(busy, 16, 256, out)
    assert "the kernel does " in str(many)
    assert str(many).endswith(" operations (compute-bound).")


def test_a_gpus_time_is_told_with_its_name(no_gpu, monkeypatch):
    took = GpuTime("Tesla T4", 31.2e-6, 20)
    monkeypatch.setattr(lesson_clock, "time_in_process", lambda job: took)
    found = timing(busy, 16, 256, np.zeros(4096, np.float32))
    assert str(found) == "busy on Tesla T4: 31.2 µs, the fastest of 20 launches."
    assert repr(found) == str(found)
    assert (found.seconds, found.estimate) == (31.2e-6, None)


def test_what_is_no_launch_is_refused(no_gpu):
    x = np.zeros(64, np.float32)
    with pytest.raises(TypeError, match=r"\[timing\] got .*; need a kernel"):
        timing(len, 1, 64, x)
    with pytest.raises(TypeError, match=r"\[timing\] got an argument of type str"):
        timing(busy, 1, 64, "x")
    with pytest.raises(cuda.LaunchError):
        timing(busy, 1, 4096, x)


def test_a_mistake_in_the_kernel_is_raised(no_gpu):
    with pytest.raises(cuda.KernelError, match="x"):
        timing(busy, 2, 64, np.zeros(64, np.float32))
