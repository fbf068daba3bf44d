"""The tests of random numbers in Python kernels, against Numba's own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.language.names import device_name_of

from .launching import launched, refused

pytestmark = pytest.mark.cuda

# Numba 0.68 under NUMBA_ENABLE_CUDASIM=1: create_xoroshiro128p_states(3, seed=42), then
# from these states a number of state 0, of 1, of 2 and again of 0.
STATES = [
    (13679457532755275413, 13679457532755275413),
    (313611670190079035, 410834281257317300),
    (11993970802556713180, 5368778761872700062),
]
WORDS = [
    8912170991800999210,
    724445951447396335,
    17362749564429413242,
    5395008446319293879,
]
UNIFORM = [
    0.48312975754364673,
    0.03927229372037966,
    0.9412365399038057,
    0.29246399390385114,
]
NORMAL = [
    -0.31802276503691973,
    0.21000540068588833,
    0.2270661477972512,
    -1.3564402119365435,
]


def draws(name, dtype):
    function = device_name_of(f"random.xoroshiro128p_{name}")

    def kernel(states, out):
        for i in range(3):
            out[i] = function(states, i)
        out[3] = function(states, -3)

    states = np.array(STATES, np.uint64)
    return launched(kernel, states, np.zeros(4, dtype), block=1)[1]


def test_words():
    assert draws("next", "uint64").tolist() == WORDS


def test_uniform_numbers():
    assert draws("uniform_float64", "float64").tolist() == UNIFORM
    expected = np.array(UNIFORM).astype(np.float32)
    np.testing.assert_array_equal(draws("uniform_float32", "float32"), expected)


@pytest.mark.parametrize("bits", [32, 64])
def test_normal_numbers(bits):
    got = draws(f"normal_float{bits}", f"float{bits}")
    # Numba takes logarithms and cosines of float32 in the host's library.
    np.testing.assert_allclose(got, NORMAL, rtol=3e-6)


def test_jumps_give_the_next_state():
    jump = device_name_of("random.xoroshiro128p_jump")

    def kernel(states):
        jump(states, cuda.threadIdx.x)

    (after,) = launched(kernel, np.array(STATES[:2], np.uint64), block=2)
    assert after.tolist() == [list(each) for each in STATES[1:]]


def test_two_draws_in_one_expression_keep_their_order():
    draw = device_name_of("random.xoroshiro128p_uniform_float64")

    def kernel(states, out):
        out[0] = draw(states, 0) - 10 * draw(states, 0)
        out[1] = math.sqrt(draw(states, 1)) + draw(states, 1) * 2

    states = np.array(STATES, np.uint64)
    _, out = launched(kernel, states, np.zeros(2), block=1)
    assert out[0] == UNIFORM[0] - 10 * UNIFORM[3]


class TestRefused:
    def test_states_and_indices(self):
        draw = device_name_of("random.xoroshiro128p_next")

        def wrong(a):
            a[0] = draw(a, 0)

        def fraction(states):
            states[0, 0] = draw(states, 0.5)

        def alone(states):
            draw(states)

        message = refused(wrong, np.zeros(3))
        assert "random states, got array(float64, 1d, C)" in message
        states = np.array(STATES, np.uint64)
        assert "float64" in refused(fraction, states)
        assert "xoroshiro128p_next(states, index)" in refused(alone, states)

    def test_outside_of_the_states(self):
        draw = device_name_of("random.xoroshiro128p_next")

        def kernel(states, out):
            out[0] = draw(states, 3)

        states = np.array(STATES, np.uint64)
        with pytest.raises(cuda.KernelError) as caught:
            launched(kernel, states, np.zeros(1), block=1)
        assert "states" in str(caught.value)
        assert "test_kernel_random.py" in str(caught.value)
