"""The tests of the host's headers that kernels may include, and of advice on them.

Values are those of this machine's C library, by `ctypes`, `math` and NumPy.
"""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

_NAMES = ["stdint.h", "limits.h", "float.h", "math.h", "stdio.h", "stdlib.h"]
_NAMES += ["string.h", "assert.h", "stddef.h"]
_ALL = "".join(f"#include <{name}>\n" for name in _NAMES)
_ALL_CPP = "".join(f"#include <c{name.removesuffix('.h')}>\n" for name in _NAMES)


def _doubles(includes, expressions):
    """The values of C++ expressions on the device, as float64."""
    lines = [f"out[{i}] = {text};" for i, text in enumerate(expressions)]
    code = (
        f'{includes}extern "C" __global__ void k(double* out) {{\n'
        + "\n".join(lines)
        + "\n}\n"
    )
    out = cuda.device_array(len(expressions), np.float64)
    cuda.RawKernel(code, "k")((1,), (1,), (out,))
    return out.copy_to_host()


def test_constants_are_those_of_the_c_library():
    expected = {
        "INFINITY": math.inf,
        "NAN": math.nan,
        "HUGE_VAL": math.inf,
        "M_PI": math.pi,
        "M_E": math.e,
        "M_SQRT2": math.sqrt(2),
        "M_LN2": math.log(2),
        "FLT_MAX": float(np.finfo(np.float32).max),
        "FLT_MIN": float(np.finfo(np.float32).tiny),
        "FLT_EPSILON": float(np.finfo(np.float32).eps),
        "DBL_MAX": float(np.finfo(np.float64).max),
        "DBL_EPSILON": float(np.finfo(np.float64).eps),
        "INT_MAX": np.iinfo(np.int32).max,
        "INT_MIN": np.iinfo(np.int32).min,
        "UINT_MAX": np.iinfo(np.uint32).max,
        "CHAR_BIT": 8,
        "SHRT_MIN": np.iinfo(np.int16).min,
        "INT16_MAX": np.iinfo(np.int16).max,
        "UINT8_MAX": np.iinfo(np.uint8).max,
        "LLONG_MAX": float(np.iinfo(np.int64).max),
    }
    got = _doubles(_ALL, list(expected))
    np.testing.assert_array_equal(got, np.array(list(expected.values()), np.float64))


def test_types_have_their_sizes():
    sizes = {
        name: ctypes.sizeof(getattr(ctypes, "c_" + name.removesuffix("_t")))
        for name in ("int8_t", "uint8_t", "int16_t", "uint32_t", "int64_t", "uint64_t")
    }
    sizes |= {"size_t": 8, "ptrdiff_t": 8, "intptr_t": 8}
    got = _doubles(_ALL, [f"sizeof({name})" for name in sizes])
    np.testing.assert_array_equal(got, list(sizes.values()))


def test_the_headers_of_cpp_bring_std():
    got = _doubles(
        _ALL_CPP,
        [
            "std::sqrt(2.0)",
            "std::pow(2.0, 0.5) + std::abs(-3)",
            "std::fmax(1.0, 2.0) + std::isnan(NAN)",
            "std::uint8_t(257) + std::size_t(1)",
        ],
    )
    expected = [math.sqrt(2), math.sqrt(2) + 3, 3, 2]
    np.testing.assert_allclose(got, expected, rtol=1e-15)


@pytest.mark.parametrize("own_first", [True, False])
def test_they_stand_beside_those_of_cuda(own_first):
    theirs = "#include <cuda_fp16.h>\n#include <cuda/std/climits>\n"
    theirs += "#include <cuda/std/cstdint>\n#include <cuda/std/cfloat>\n"
    includes = _ALL + theirs if own_first else theirs + _ALL
    got = _doubles(includes, ["INT_MAX", "FLT_EPSILON", "int64_t(3)"])
    np.testing.assert_array_equal(got, [2**31 - 1, 2.0**-23, 3])


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("float x = INFINITY;", "INFINITY comes with #include <math.h>."),
        ("uint8_t x = 1;", "uint8_t comes with #include <stdint.h>."),
        ("float x = FLT_MAX;", "FLT_MAX comes with #include <float.h>."),
        ("__half x;", "__half comes with #include <cuda_fp16.h>."),
    ],
)
def test_a_forgotten_header_is_named(code, advice):
    with pytest.raises(cuda.CompileError) as caught:
        cuda.RawKernel(f'extern "C" __global__ void k() {{ {code} }}', "k")
    assert advice in str(caught.value)


_HOST = """__global__ void k(float* x) { x[0] = 1; }
void run() { float* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }
int main() { run(); cudaDeviceSynchronize(); }
"""


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("#include <iostream>", ["only kernels and device functions", "use printf"]),
        ("#include <limits>", ["Use #include <cuda/std/limits>"]),
        (
            "\n#include <thrust/sort.h>\n#include <vector>",
            ["k.cu(2): Thrust is called from host code", "block_radix_sort.cuh"],
        ),
        (
            "#include <cub/device/device_reduce.cuh>",
            ["k.cu(1): The device-wide functions of CUB"],
        ),
        (
            _HOST,
            ["k.cu(2): run is a host function", "k.cu(3): main is a host function"],
        ),
        ("float t[3];", ["k.cu(1): A global variable", "Put __device__"]),
        (
            "texture<float, 2> t;",
            ["Texture references were removed", "image[y * width + x]"],
        ),
        (
            "__device__ void f() { cudaMemcpyAsync(); y = 1; }",
            ["and x.copy_to_host()", 'error: identifier "y" is undefined'],
        ),
        (
            "__global__ void f() {}\n__global__ void g() { f<<<1, 1>>>(); }",
            ["k.cu(2): minitorch does not support", "f((blocks,), (threads,), (x,))"],
        ),
    ],
)
def test_host_code_is_refused_with_a_reason(code, advice):
    with pytest.raises(cuda.CompileError) as caught:
        cuda.RawKernel(f'{code}\nextern "C" __global__ void k() {{}}\n', "k")
    for sentence in advice:
        assert sentence in str(caught.value)
    assert len(str(caught.value).splitlines()) < 6


def test_a_long_log_is_cut():
    lines = "\n".join(f"x[0] = y{i};" for i in range(60))
    with pytest.raises(cuda.CompileError) as caught:
        cuda.RawKernel(f"__global__ void k(int* x) {{\n{lines}\n}}", "k")
    told = str(caught.value).splitlines()
    assert len(told) == 40
    assert told[-1] == "The error's attribute log has all 180 lines."
    assert len(caught.value.diagnostics) == 60


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("x[0] = tex2D<float>(image, 0.5f, 0.5f);", "a read of a texture"),
        ("surf2Dwrite(1.0f, image, 0, 0);", "an access of a surface"),
    ],
)
def test_textures_are_refused_by_their_line(call, advice):
    code = f"__global__ void k(unsigned long long image, float* x) {{\n{call}\n}}"
    cuda.RawKernel(code, "k")((1,), (1,), (0, cuda.device_array(1, np.float32)))
    with pytest.raises(cuda.KernelError, match=f"{advice}.*image.y . width . x") as it:
        cuda.synchronize()
    assert (it.value.kind, it.value.line) == ("unsupported", 2)
