"""The tests of devices and contexts under Numba's names."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import _core, cuda

from .processes import printed_by

pytestmark = pytest.mark.cuda


def test_there_is_one_device():
    assert len(cuda.gpus) == len(cuda.list_devices()) == 1
    assert list(cuda.gpus) == [cuda.get_current_device()]
    assert cuda.gpus[0] == cuda.gpus[-1] == cuda.gpus.current == cuda.select_device(0)
    assert cuda.gpus[0].id == 0
    assert repr(cuda.gpus) == f"[{cuda.gpus[0]!r}]"


def test_attributes_are_the_drivers():
    device = cuda.get_current_device()
    numbers = {
        "MAX_THREADS_PER_BLOCK": 1,
        "MAX_SHARED_MEMORY_PER_BLOCK": 8,
        "WARP_SIZE": 10,
        "MULTIPROCESSOR_COUNT": 16,
        "COMPUTE_CAPABILITY_MAJOR": 75,
    }
    for name, number in numbers.items():
        assert getattr(device, name) == _core.device_attribute(number)
        assert name in dir(device)
    assert device.compute_capability == (
        device.COMPUTE_CAPABILITY_MAJOR,
        device.COMPUTE_CAPABILITY_MINOR,
    )
    assert device.name == cuda.device_name()
    assert re.fullmatch(r"GPU(-[0-9a-f]+){5}", device.uuid)
    assert len(device.uuid) == len("GPU-") + 36
    assert repr(device) == f"<CUDA device 0 '{device.name}'>"


def test_memory_info_counts_what_is_taken():
    context = cuda.current_context()
    before = context.get_memory_info()
    array = cuda.device_array(1 << 28, np.uint8)
    after = context.get_memory_info()
    assert after.total == before.total == after[1]
    assert before.free - after.free >= array.nbytes


def test_detect_prints_the_device(capsys):
    assert cuda.detect() is True
    shown = capsys.readouterr().out
    major, minor = cuda.get_current_device().compute_capability
    for text in (
        "Found 1 CUDA devices",
        cuda.device_name(),
        f"Compute Capability: {major}.{minor}",
        cuda.get_current_device().uuid,
        "1/1 devices are supported",
    ):
        assert text in shown


def test_close_ends_the_context_and_the_next_use_opens_one():
    code = """
from minitorch import cuda
array = cuda.to_device([1.0])
cuda.close()
try:
    array.copy_to_host()
except cuda.CudaError as error:
    print("gone")
print(cuda.to_device([2.0]).copy_to_host())
cuda.current_context().reset()
cuda.get_current_device().reset()
print(cuda.to_device([3.0]).copy_to_host())
"""
    assert printed_by(code).split("\n")[:3] == ["gone", "[2.]", "[3.]"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: cuda.gpus[1], IndexError),
        (lambda: cuda.gpus[-2], IndexError),
        (lambda: cuda.gpus["0"], TypeError),
        (lambda: cuda.select_device(3), IndexError),
        (lambda: cuda.select_device(-1), IndexError),
        (lambda: cuda.select_device(0.5), TypeError),
        (lambda: cuda.current_context(7), IndexError),
        (lambda: cuda.get_current_device().NO_SUCH_THING, AttributeError),
        (lambda: cuda.get_current_device().warp_size, AttributeError),
        (lambda: cuda.require_context(3), TypeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_blocks_of_a_device_and_a_context():
    with cuda.gpus[0] as context:
        assert context.device == cuda.gpus[0]
    with cuda.current_context(0) as context:
        context.push()
        assert cuda.to_device([1.0])[0] == 1
        context.synchronize()
        context.pop()
    with cuda.defer_cleanup(), cuda.current_context().defer_cleanup():
        del context


def test_versions():
    assert cuda.runtime.get_version()[0] in range(11, 20)
    assert cuda.is_supported_version()
    assert cuda.cuda_error() is None


def test_profilers_are_told():
    with cuda.profiling():
        cuda.synchronize()
    cuda.profile_start()
    cuda.profile_stop()
