"""The tests of the states of random generators, against Numba's own states."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda import random

pytestmark = pytest.mark.cuda

# (states, seed, first subsequence) -> what numba-cuda 0.30.4 makes of them.
STATES = {
    (4, 0, 0): [
        (0xE220A8397B1DCDAF, 0xE220A8397B1DCDAF),
        (0x12513CE25BE05EB1, 0x70D189C276BA17A4),
        (0x65853D86B6EBE9B4, 0x062A041B9ACDA8DA),
        (0xE8F985721A10A3EE, 0x412BE3DD3C914961),
    ],
    (3, 42, 0): [
        (0xBDD732262FEB6E95, 0xBDD732262FEB6E95),
        (0x045A2C270718BC3B, 0x05B3939A23E533B4),
        (0xA67324E5ECCCB8DC, 0x4A81BBD6C315729E),
    ],
    (2, 2**64 - 1, 5): [
        (0xA68EDAEFD9660B90, 0x307E464F0FFAB733),
        (0xF204B909C3F97D21, 0xFCDD130EA90FC774),
    ],
    (3, 123456789, 3): [
        (12602644240231759578, 17511319348592297033),
        (9279721541717086848, 9600755883282800290),
        (11169247737412697676, 15425163243383620783),
    ],
}


def states_of(array):
    return [tuple(each) for each in array.copy_to_host().tolist()]


@pytest.mark.parametrize("asked", STATES)
def test_states_are_numbas(asked):
    made = random.create_xoroshiro128p_states(*asked)
    assert (made.shape, made.dtype) == ((asked[0],), random.xoroshiro128p_dtype)
    assert states_of(made) == STATES[asked]


def test_far_states_are_numbas():
    made = states_of(cuda.random.create_xoroshiro128p_states(1001, seed=99))
    assert made[1000] == (11893625193747623022, 16222565418318895738)
    assert made[777] == (10759309409313450680, 17640816237831643612)


@pytest.mark.parametrize("start", [1, 2, 7, 64, 1000])
def test_subsequences_go_on_where_others_end(start):
    whole = states_of(random.create_xoroshiro128p_states(start + 5, 7))
    later = states_of(random.create_xoroshiro128p_states(5, 7, subsequence_start=start))
    assert later == whole[start:]


def test_a_subsequence_of_64_bits():
    """Jumps add up: 2**63 of them twice are 2**64 - 1 and one more."""
    last = states_of(random.create_xoroshiro128p_states(2, 1, 2**64 - 2))
    assert last[1:] == states_of(random.create_xoroshiro128p_states(1, 1, 2**64 - 1))


def test_seeds_are_taken_modulo_64_bits():
    for seed, same in ((-1, 2**64 - 1), (2**64 + 3, 3), (np.int8(-2), 2**64 - 2)):
        assert states_of(random.create_xoroshiro128p_states(1, seed)) == (
            states_of(random.create_xoroshiro128p_states(1, same))
        )


def test_states_are_written_anew():
    states = random.create_xoroshiro128p_states(3, 1)
    stream = cuda.stream()
    random.init_xoroshiro128p_states(states, 42, stream=stream)
    stream.synchronize()
    assert states_of(states) == STATES[3, 42, 0]
    every_other = random.create_xoroshiro128p_states(8, 1)[::4]
    random.init_xoroshiro128p_states(every_other, 0)
    assert states_of(every_other) == STATES[4, 0, 0][:2]


def test_no_states():
    assert states_of(random.create_xoroshiro128p_states(0, 1)) == []


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: random.create_xoroshiro128p_states(-1, 1), ValueError),
        (lambda: random.create_xoroshiro128p_states(2, 1.5), TypeError),
        (lambda: random.create_xoroshiro128p_states(2, 1, -1), ValueError),
        (lambda: random.create_xoroshiro128p_states(2, 1, 2**64), ValueError),
        (lambda: random.create_xoroshiro128p_states(2**60, 1), cuda.OutOfMemoryError),
        (lambda: random.init_xoroshiro128p_states(cuda.device_array(3), 1), TypeError),
        (lambda: random.init_xoroshiro128p_states(two_dimensions(), 1), ValueError),
        (lambda: random.xoroshiro128p_next(None, 0), RuntimeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def two_dimensions():
    return cuda.device_array((2, 3), random.xoroshiro128p_dtype)
