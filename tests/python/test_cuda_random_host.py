"""The tests of the states of random generators, against Numba's own states."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda import random

pytestmark = pytest.mark.cuda

# (states, seed) -> what numba-cuda 0.30.4 makes of them.
STATES = {
    (4, 0): [
        (0xE220A8397B1DCDAF, 0xE220A8397B1DCDAF),
        (0x12513CE25BE05EB1, 0x70D189C276BA17A4),
        (0x65853D86B6EBE9B4, 0x062A041B9ACDA8DA),
        (0xE8F985721A10A3EE, 0x412BE3DD3C914961),
    ],
    (3, 42): [
        (0xBDD732262FEB6E95, 0xBDD732262FEB6E95),
        (0x045A2C270718BC3B, 0x05B3939A23E533B4),
        (0xA67324E5ECCCB8DC, 0x4A81BBD6C315729E),
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


def test_seeds_are_taken_modulo_64_bits():
    for seed, same in ((-1, 2**64 - 1), (2**64 + 3, 3), (np.int8(-2), 2**64 - 2)):
        assert states_of(random.create_xoroshiro128p_states(1, seed)) == (
            states_of(random.create_xoroshiro128p_states(1, same))
        )


def test_no_states():
    assert states_of(random.create_xoroshiro128p_states(0, 1)) == []


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: random.create_xoroshiro128p_states(-1, 1), ValueError),
        (lambda: random.create_xoroshiro128p_states(2, 1.5), TypeError),
        (lambda: random.xoroshiro128p_next(None, 0), RuntimeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
