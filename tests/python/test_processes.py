"""The tests that need a process of their own: Ctrl-C, fork, exit, imports."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from minitorch import cuda

from .kernels import SCALE, SPIN
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

PRELUDE = f"""
import numpy as np
from minitorch import cuda
SPIN = {SPIN!r}
SCALE = {SCALE!r}
def spin():
    stop = cuda.to_device(np.zeros(1, np.int32))
    rounds = cuda.to_device(np.zeros(1, np.uint32))
    cuda.RawKernel(SPIN, "spin")(1, 1, (stop, rounds))
def scaled():
    x = cuda.to_device(np.ones(8, np.float32))
    out = cuda.device_array(8, np.float32)
    cuda.RawKernel(SCALE, "scale")(1, 8, (x, out, 3.0, 8))
    return out.copy_to_host().tolist()
"""

# Without a budget and without the detection of endless spins the kernel runs for ever.
ENDLESS = "from minitorch import _core\n_core.set_budget(0)\n"


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PRELUDE + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def run(code, **environment):
    process = start(code, **environment)
    output, errors = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


BUSY = """
__global__ void busy(unsigned* x, long long rounds) {
  unsigned v = threadIdx.x;
  for (long long i = 0; i < rounds; ++i) v = v * 1664525u + (unsigned)i;
  x[threadIdx.x] = v;
}
"""
START_BUSY = f"""
BUSY = {BUSY!r}
def busy():
    x = cuda.device_array(32, np.uint32)
    cuda.RawKernel(BUSY, "busy")(1, 32, (x, 2**60))
    return x
"""


def test_control_c_cancels_the_launch_and_the_next_one_works():
    code = (
        START_BUSY
        + ENDLESS
        + """
import time
x = busy()
print("running", flush=True)
try:
    cuda.synchronize()
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
print(scaled())
"""
    )
    process = start(code)
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    time.sleep(0.3)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    word, when = output.splitlines()[0].split()
    assert word == "interrupted"
    assert float(when) - sent < 1.0
    assert output.splitlines()[1] == str([3.0] * 8)
    assert process.returncode == 0, errors


def test_arrays_made_before_control_c_keep_their_values():
    code = (
        START_BUSY
        + ENDLESS
        + """
@cuda.jit
def copy(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i]

a = cuda.to_device(np.arange(32, dtype=np.uint32))
out = cuda.device_array(32, np.uint32)
cuda.RawKernel(BUSY, "busy")(1, 32, (a, 2**60))
print("running", flush=True)
try:
    cuda.synchronize()
except KeyboardInterrupt:
    pass
copy[1, 32](out, a)  # no finding: somebody has written a
print(out.copy_to_host()[31])
"""
    )
    process = start(code)
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "written" not in errors
    assert output == "31\n"


def test_exit_with_work_in_flight():
    process = run(START_BUSY + ENDLESS + "busy(); print('end', flush=True)")
    assert process.stdout == "end\n"
    assert process.returncode == 0
    assert "a kernel still ran 5 s after the end of the program" in process.stderr
    assert "(launched: busy at " in process.stderr


def test_exit_with_work_in_flight_that_has_a_finding():
    """It comes when Python's hooks are near their end, or gone."""
    code = """
import numpy as np
from minitorch import cuda

@cuda.jit
def racing(out, n):
    for k in range(n):
        out[0] = k + cuda.threadIdx.x

racing[1, 32](cuda.to_device(np.zeros(1, np.int64)), 10**10)
print('end', flush=True)
"""
    process = run(code)
    assert process.stdout == "end\n"
    assert process.returncode == 0, process.stderr
    assert "race on out[0]" in process.stderr
    assert "This error was never fetched" in process.stderr


def test_a_label_that_did_not_fit_is_said_at_the_end():
    code = """
import minitorch
from minitorch import functional as F
label = minitorch.tensor([7], dtype="int64", device="cuda")
F.nll_loss(minitorch.zeros(1, 3, device="cuda"), label)
"""
    process = run(code, MINITORCH_CUDA="emulator")
    assert process.returncode == 0
    said = "[nll_loss] got label 7; need 0 to 2. This error was never fetched"
    assert said in process.stderr


def test_fault_that_nobody_fetched_is_printed_at_exit():
    process = run("cuda.RawKernel(SCALE, 'scale')(1, 1, (None, None, 1.0, 1))")
    assert "null" in process.stderr
    assert "scale.cu:4" in process.stderr


def test_fork_before_the_first_use_works():
    process = run(
        "import os\n"
        "child = os.fork()\n"
        # In one write, so that the two processes' lines do not mix.
        "os.write(1, f'{scaled()}\\n'.encode())\n"
        "if child: assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert process.stdout.splitlines() == [str([3.0] * 8)] * 2
    assert process.returncode == 0, process.stderr


def test_fork_after_the_first_use_is_refused_in_the_child():
    process = run(
        "import os\n"
        "scaled()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        scaled()\n"
        "    except RuntimeError as error:\n"
        "        print(error, flush=True)\n"
        "    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print(scaled())\n"
    )
    refused, worked = process.stdout.splitlines()
    assert "fork" in refused
    assert worked == str([3.0] * 8)
    assert process.returncode == 0, process.stderr


def test_a_small_card_needs_few_addresses():
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "print(scaled(), cuda.current_context().get_memory_info().total >> 20)\n"
        "try:\n"
        "    cuda.device_array(257 << 20, np.uint8)\n"
        "except cuda.OutOfMemoryError as error:\n"
        "    print(type(error).__name__)\n"
    )
    process = run(code, MINITORCH_EMULATED_MEMORY="256", MINITORCH_CUDA="emulator")
    assert process.stdout == f"{[3.0] * 8} 256\nOutOfMemoryError\n", process.stderr


def test_the_instruction_limit_is_a_setting():
    code = "from minitorch import _core; print(_core.budget())"
    assert run(code, MINITORCH_INSTRUCTION_LIMIT="12345").stdout.split() == ["12345"]


def test_emulator_is_announced_once(tmp_path):
    process = run("scaled(); scaled()", MINITORCH_CUDA="auto")
    if cuda.is_emulated():
        assert process.stderr.count("\n") == 1, process.stderr


def test_waiting_releases_the_gil():
    process = run(
        START_BUSY
        + ENDLESS
        + """
import threading, time, _thread
busy()
def interrupt():
    _thread.interrupt_main()
threading.Timer(0.2, interrupt).start()
try:
    cuda.synchronize()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert process.stdout == "interrupted\n", process.stderr


DAEMON_ENDS = """
import threading, time
def work():
    while True:
        LOOP
threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
print("end", flush=True)
"""


@pytest.mark.parametrize(
    "loop",
    [
        "cuda.synchronize()",
        "cuda.to_device(np.zeros(1000)).copy_to_host()",
        "a = minitorch.ones((100, 100)); (a @ a).sum().item()",
        "a = minitorch.ones(9, device='cuda'); (a + a).sum().item()",
    ],
)
def test_exit_while_a_daemon_thread_works(loop):
    code = "import minitorch\n" + DAEMON_ENDS.replace("LOOP", loop)
    process = run(code)
    assert process.stdout == "end\n"
    assert process.returncode == 0, process.stderr


def test_exit_while_a_daemon_thread_waits():
    code = START_BUSY + ENDLESS + "busy()\n"
    process = run(code + DAEMON_ENDS.replace("LOOP", "cuda.synchronize()"))
    assert process.stdout == "end\n"
    assert process.returncode == 0, process.stderr


def test_compiling_and_asking_nvrtc_from_two_threads(tmp_path):
    code = """
import threading
from minitorch import _core
ended = threading.Event()
def ask():
    while not ended.is_set():
        _core.nvrtc_loaded()
        _core.cache_statistics()
asking = threading.Thread(target=ask, daemon=True)
asking.start()
for number in range(3):
    _core.forget_nvrtc_location()
    cuda.RawKernel("__global__ void z%d() {}" % number, "z%d" % number)
ended.set()
asking.join()
print("end")
"""
    process = run(code, MINITORCH_CACHE_DIR=str(tmp_path))
    assert process.stdout == "end\n", process.stderr


def test_a_missing_core_is_named_in_one_sentence(tmp_path):
    package = tmp_path / "minitorch"
    package.mkdir()
    shutil.copy(ROOT / "minitorch" / "__init__.py", package)
    process = subprocess.run(
        # Without site, whose hook of an editable install knows where the core is.
        [sys.executable, "-S", "-c", "import minitorch"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    lines = process.stderr.splitlines()
    assert lines[-1].startswith(
        "ImportError: [minitorch] the compiled core cannot be loaded: it was not built."
    )
    assert "circular" not in process.stderr


def test_an_unknown_check_level_is_refused_at_the_first_launch():
    process = run("scaled()", MINITORCH_CHECKS="zz")
    assert "got MINITORCH_CHECKS=zz; need full or memory." in process.stderr


@pytest.mark.parametrize("threads", ["-3", "0", "two", "4097"])
def test_an_impossible_number_of_threads_is_said(threads):
    code = (
        "import minitorch\na = minitorch.ones((300, 300))\nprint(float((a @ a)[0, 0]))"
    )
    process = run(code, MINITORCH_NUM_THREADS=threads)
    assert process.stdout == "300.0\n"
    assert f"got MINITORCH_NUM_THREADS={threads}; need 1 to 4096." in process.stderr


def test_reductions_give_the_same_bits_on_any_number_of_threads():
    code = """
import hashlib
import numpy as np
import minitorch
bits = hashlib.sha256()
for shape in [(301, 1031), (1031, 301), (20011, 7), (130, 2, 700), (200003,)]:
    numbers = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    a = minitorch.tensor(numbers)
    for dim in range(a.dims):
        bits.update(a.sum(dim).numpy().tobytes())
        bits.update(a.permute(*reversed(range(a.dims))).sum(dim).numpy().tobytes())
    bits.update(a.exp().numpy().tobytes())
print(bits.hexdigest())
"""
    printed = {run(code, MINITORCH_NUM_THREADS=n).stdout for n in ("1", "2", "3", "8")}
    assert len(printed) == 1
    assert len(printed.pop()) == 65  # with the end of the line
