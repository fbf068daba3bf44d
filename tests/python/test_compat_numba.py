"""The tests of the stand-in for Numba: what programs import runs here."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from minitorch import compat

from .processes import printed_by

PROGRAMS = {
    "decorators": """
        from numba import jit, njit, prange

        @njit(parallel=True)
        def total(values):
            found = 0.0
            for i in prange(len(values)):
                found += values[i]
            return found

        assert total([1.0, 2.0]) == 3.0
        assert njit()(total) is total and total.py_func is total
        assert jit("float64(float64[:])", nopython=True)(total) is total
        try:
            jit(target="cuda")(total)
        except NotImplementedError as error:
            assert "Use numba.cuda.jit" in str(error)
        else:
            raise SystemExit("target='cuda' was taken")
        """,
    "a kernel that calls a function of numba.jit": """
        import numba, numpy as np
        from numba import cuda, njit

        @njit
        def half(x):
            return x / 2

        @cuda.jit("void(float64[:], float64[::1])")
        def halves(x, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = half(x[i])

        out = np.zeros(10)
        halves[2, 8](np.arange(10.0), out)
        assert out.tolist() == [i / 2 for i in range(10)]
        assert cuda.is_available() and isinstance(halves, numba.cuda.Dispatcher)
        """,
    "types": """
        import numpy as np
        from numba import b1, f4, float32, from_dtype, i8, types, void
        from numba.core import types as core_types

        assert f4 is float32 is types.float32 is core_types.float32
        assert from_dtype(np.dtype("i8")) is i8
        assert str(void(float32[:, ::1], b1)) == "void(array(float32, 2d, C), bool)"
        assert types.UniTuple(i8, 2) == types.Tuple((i8, i8))
        assert types.Array(f4, 2, "C") == float32[:, ::1]
        """,
    "errors and warnings": """
        import warnings
        import numba
        from numba import cuda
        from numba.core.errors import NumbaPerformanceWarning, TypingError

        assert numba.NumbaPerformanceWarning is NumbaPerformanceWarning

        @cuda.jit
        def wrong(out):
            out[0] = missing

        try:
            wrong.compile("void(float32[:])")
        except TypingError as error:
            assert "missing" in str(error)
        else:
            raise SystemExit("an unknown name was taken")
        numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
        assert not numba.config.CUDA_LOW_OCCUPANCY_WARNINGS
        warnings.simplefilter("error", append=True)

        @cuda.jit
        def fill(out):
            out[cuda.grid(1)] = 1

        fill[1, 4](cuda.to_device([0.0] * 40_000))
        """,
    "random numbers": """
        import numpy as np
        from numba import cuda
        from numba.cuda.cudadrv.devicearray import is_cuda_ndarray
        from numba.cuda.random import (
            create_xoroshiro128p_states, xoroshiro128p_uniform_float32
        )

        @cuda.jit
        def draw(states, out):
            i = cuda.grid(1)
            out[i] = xoroshiro128p_uniform_float32(states, i)

        out = cuda.device_array(64, np.float32)
        assert is_cuda_ndarray(out) and not is_cuda_ndarray([1.0])
        draw[2, 32](create_xoroshiro128p_states(64, seed=1), out)
        numbers = out.copy_to_host()
        assert (0 <= numbers).all() and (numbers < 1).all()
        assert len(set(numbers)) == 64
        """,
    "a name that is not there": """
        from numba import cuda

        try:
            cuda.shred
        except AttributeError as error:
            assert "has no attribute 'shred'" in str(error)
        """,
    "vectorize": """
        from numba import guvectorize, vectorize

        for decorator in (vectorize, guvectorize):
            try:
                decorator(["void(f4[:])"], "(n)")
            except NotImplementedError as error:
                assert "Write a kernel with numba.cuda.jit" in str(error)
            else:
                raise SystemExit("vectorize was taken")
        """,
}


@pytest.mark.cuda
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    text = (
        "import minitorch\n"
        "assert minitorch.compat.install_numba(force=True)\n"
        "assert minitorch.compat.install_numba()\n" + textwrap.dedent(PROGRAMS[name])
    )
    environment = {**os.environ, "MINITORCH_CUDA": "emulator"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _kept(text)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def _kept(text):
    """Give a program whose source Python keeps, as that of a file."""
    return (
        "import linecache\n"
        f"text = {text!r}\n"
        "linecache.cache['<program>'] = (1, None, text.splitlines(True), '<program>')\n"
        "exec(compile(text, '<program>', 'exec'), {'__name__': '__main__'})\n"
    )


def test_real_numba_is_left_alone(tmp_path):
    text = (
        "import sys, types, minitorch\n"
        "real = sys.modules['numba'] = types.ModuleType('numba')\n"
        "assert not minitorch.compat.install_numba()\n"
        "assert sys.modules['numba'] is real\n"
        "assert minitorch.compat.install_numba(force=True)\n"
        "assert sys.modules['numba'] is not real\n"
    )
    printed_by(text)


def test_force_must_be_a_bool():
    with pytest.raises(TypeError, match=r"got force='yes'; need True or False"):
        compat.install_numba(force="yes")
