"""The tests of devices under Numba's names."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import _core, cuda

pytestmark = pytest.mark.cuda


def test_there_is_one_device():
    assert len(cuda.gpus) == len(cuda.list_devices()) == 1
    assert list(cuda.gpus) == [cuda.get_current_device()]
    assert cuda.gpus[0] == cuda.gpus[-1] == cuda.select_device(0)
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
    assert repr(device) == f"<CUDA device 0 '{device.name}'>"


def test_memory_info_counts_what_is_taken():
    context = cuda.current_context()
    before = context.get_memory_info()
    array = cuda.device_array(1 << 28, np.uint8)
    after = context.get_memory_info()
    assert after.total == before.total == after[1]
    assert before.free - after.free >= array.nbytes


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: cuda.gpus[1], IndexError),
        (lambda: cuda.gpus[-2], IndexError),
        (lambda: cuda.gpus["0"], TypeError),
        (lambda: cuda.select_device(3), IndexError),
        (lambda: cuda.select_device(-1), IndexError),
        (lambda: cuda.select_device(0.5), TypeError),
        (lambda: cuda.get_current_device().NO_SUCH_THING, AttributeError),
        (lambda: cuda.get_current_device().warp_size, AttributeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
