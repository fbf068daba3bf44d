"""The launch of small Python kernels on device arrays, for several tests."""

from __future__ import annotations

import cmath
import linecache
import math
from fractions import Fraction

import numpy as np

from minitorch import cuda


def launched(kernel, *arrays, grid=1, block=32):
    """Compile a function as a kernel, launch it, give the arrays after.

    Numbers and device arrays are passed on as they are.
    """
    given = [cuda.to_device(x) if isinstance(x, np.ndarray) else x for x in arrays]
    cuda.jit(kernel)[grid, block](*given)
    cuda.synchronize()
    return [x.copy_to_host() for x in given if hasattr(x, "copy_to_host")]


def refused(kernel, *arrays):
    """Give the message with which a function is refused as a kernel."""
    try:
        launched(kernel, *arrays)
    except cuda.CompileError as error:
        return str(error)
    raise AssertionError(f"{kernel.__name__} was taken")


#: What the texts of kernels may name.
SCOPE = {"cuda": cuda, "np": np, "math": math, "cmath": cmath, "Fraction": Fraction}


def kernel_of(source):
    """Give the function `kernel` of a text, whose lines a kernel's messages show."""
    linecache.cache[source] = (len(source), None, source.splitlines(True), source)
    scope = dict(SCOPE)
    exec(compile(source, source, "exec"), scope)
    return scope["kernel"]


def refusal(statement, array):
    """Give the message with which a kernel of one statement about `a` is refused."""
    return refused(kernel_of(f"def kernel(a):\n    {statement}\n"), array)


def agree(texts, dtype, rtol=0.0, atol=0.0, **arrays):
    """Compare expressions in a kernel, an element a thread, with those on the host.

    `texts` gives the host's expression on whole arrays, or "" where it is the same.
    """
    lines = [f"{name} = {name}_array[index]" for name in arrays]
    lines += [f"out[{row}, index] = {text}" for row, text in enumerate(texts)]
    parameters = ", ".join([*(f"{name}_array" for name in arrays), "out"])
    head = f"def kernel({parameters}):\n    index = cuda.grid(1)\n"
    kernel = kernel_of(head + "".join(f"    {line}\n" for line in lines))
    size = len(next(iter(arrays.values())))
    out, expected = np.zeros((2, len(texts), size), dtype)
    got = launched(kernel, *arrays.values(), out, block=size)[-1]
    with np.errstate(all="ignore"):
        for row, (device, host) in enumerate(texts.items()):
            expected[row] = eval(host or device, SCOPE | arrays)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
