"""The tests of the user's own kernels: both call forms, arguments, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from minitorch import cuda

from .kernels import SCALE

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def scale():
    return cuda.RawKernel(SCALE, "scale")


@pytest.fixture
def x():
    return cuda.to_device(np.arange(100, dtype=np.float32))


@pytest.fixture
def out():
    return cuda.device_array(100, np.float32)


def test_cupy_form(scale, x, out):
    scale((4,), (32,), (x, out, 2.5, 100))
    np.testing.assert_array_equal(
        out.copy_to_host(), np.float32(2.5) * np.arange(100, dtype=np.float32)
    )


@pytest.mark.parametrize("configuration", [(4, 32), (4, 32, 0), (4, 32, None, 1024)])
def test_numba_form(scale, x, out, configuration):
    scale[configuration](x, out, 3, 100)
    np.testing.assert_array_equal(out.copy_to_host(), 3 * np.arange(100))


def test_dynamic_shared_memory():
    code = """
    __global__ void reverse(int* x) {
      extern __shared__ int tile[];
      tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    }"""
    x = cuda.to_device(np.arange(64, dtype=np.int32))
    cuda.RawKernel(code, "reverse")(1, 64, (x,), shared_mem=64 * 4)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(64)[::-1])


def test_options_reach_the_compiler():
    code = "__global__ void put(int* x) { *x = VALUE; }"
    x = cuda.device_array(1, np.int32)
    cuda.RawKernel(code, "put", options=("-DVALUE=41",))(1, 1, (x,))
    assert x.copy_to_host().tolist() == [41]


def test_template_by_name_expression():
    code = "template <class T> __global__ void put(T* x, T v) { *x = v; }"
    x = cuda.device_array(1, np.float64)
    cuda.RawKernel(code, "put<double>")(1, 1, (x, 0.1))
    assert x.copy_to_host().tolist() == [0.1]


def test_module_with_two_kernels():
    code = """
    __global__ void one(int* x) { *x = 1; }
    __global__ void two(int* x) { *x = 2; }"""
    module = cuda.RawModule(code=code)
    assert sorted(module.kernel_names) == ["one", "two"]
    x = cuda.device_array(1, np.int32)
    for name, value in [("one", 1), ("two", 2)]:
        module.get_function(name)(1, 1, (x,))
        assert x.copy_to_host().tolist() == [value]


def test_headers_in_memory():
    module = cuda.RawModule(
        code='#include "answer.h"\n__global__ void put(int* x) { *x = ANSWER; }',
        headers={"answer.h": "#define ANSWER 42\n"},
    )
    x = cuda.device_array(1, np.int32)
    module.get_function("put")(1, 1, (x,))
    assert x.copy_to_host().tolist() == [42]


@pytest.mark.parametrize("header", ["cuda_fp16.h", "mma.h", "cooperative_groups.h"])
def test_headers_of_the_wheels_are_found(header):
    code = f"#include <{header}>\n__global__ void put(int* x) {{ *x = 3; }}"
    x = cuda.device_array(1, np.int32)
    cuda.RawKernel(code, "put")(1, 1, (x,))
    assert x.copy_to_host().tolist() == [3]


class TestCompileErrors:
    def test_names_file_line_and_message(self):
        code = "\n__global__ void bad(int* x) {\n  *x = undeclared;\n}"
        with pytest.raises(cuda.CompileError) as caught:
            cuda.RawKernel(code, "bad")
        error = caught.value
        first = error.diagnostics[0]
        assert (first.severity, first.line) == ("error", 3)
        assert "undeclared" in first.message
        assert first.source_line.strip() == "*x = undeclared;"
        assert "bad.cu" in str(error)
        assert "undeclared" in error.log
        assert isinstance(error, cuda.CudaError)
        assert pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics

    def test_missing_header_names_the_package(self):
        with pytest.raises(cuda.CompileError, match="not part of CUDA"):
            cuda.RawKernel('#include "nowhere.h"\n__global__ void k() {}', "k")

    def test_unknown_kernel_lists_the_known(self):
        with pytest.raises(cuda.LaunchError, match="scale") as caught:
            cuda.RawKernel(SCALE, "scael")
        assert caught.value.kind == "entry_not_found"

    def test_compiler_warning_is_a_python_warning(self):
        code = "__global__ void k(int* x) { int unused = 3; *x = 1; }"
        with pytest.warns(cuda.KernelWarning, match="unused"):
            module = cuda.RawModule(code=code)
        assert [(each.severity, each.line) for each in module.warnings] == [
            ("warning", 1)
        ]

    def test_damaged_ptx(self):
        with pytest.raises(cuda.PtxError):
            cuda.RawModule(ptx=".version 7.0\n.target sm_75\nnonsense")


class TestBadLaunches:
    @pytest.mark.parametrize("count", [0, 3, 5])
    def test_argument_count(self, scale, x, out, count):
        with pytest.raises(cuda.LaunchError, match=f"{count}.*4|4.*{count}") as caught:
            scale(4, 32, (x, out, 1.0, 100, 7)[:count])
        assert caught.value.kind == "arg_mismatch"

    def test_wrong_element_type(self, scale, out):
        doubles = cuda.to_device(np.arange(100, dtype=np.float64))
        with pytest.raises(cuda.LaunchError, match="float64") as caught:
            scale(4, 32, (doubles, out, 1.0, 100))
        assert caught.value.kind == "arg_mismatch"

    @pytest.mark.parametrize(
        "arguments",
        [
            lambda x, out: (1.0, out, 1.0, 100),  # number for a pointer
            lambda x, out: (x, out, x, 100),  # array for a number
            lambda x, out: (x, out, 1.0, 99.5),  # not exact as an int
            lambda x, out: (x, out, 1.0, 2**31),  # does not fit int
            lambda x, out: (x, out, 1.0, 2**70),  # does not fit anything
            lambda x, out: (x, out, np.float64(1), 100),  # NumPy scalars must match
            lambda x, out: (x, out, None, 100),  # null for a number
        ],
    )
    def test_arguments_that_do_not_fit(self, scale, x, out, arguments):
        with pytest.raises((cuda.LaunchError, ValueError)):
            scale(4, 32, arguments(x, out))


def test_exact_conversions_of_python_numbers():
    code = """
    __global__ void put(double* out, bool b, unsigned char c, long long l, float f,
                        unsigned long long u) {
      out[0] = b; out[1] = c; out[2] = (double)l; out[3] = f; out[4] = (double)u;
    }"""
    out = cuda.device_array(5, np.float64)
    cuda.RawKernel(code, "put")(1, 1, (out, True, 255, -(2**40), 3, 2**63))
    assert out.copy_to_host().tolist() == [1.0, 255.0, -(2.0**40), 3.0, 2.0**63]


def test_numpy_scalars_match_their_type():
    code = "__global__ void put(double* out, int i, float f) { *out = i + f; }"
    out = cuda.device_array(1, np.float64)
    cuda.RawKernel(code, "put")(1, 1, (out, np.int32(2), np.float32(0.5)))
    assert out.copy_to_host().tolist() == [2.5]


def test_struct_by_value():
    code = """
    struct Point { int x; float y; };
    __global__ void put(float* out, Point p) { *out = p.x + p.y; }"""
    point = np.zeros((), dtype=[("x", np.int32), ("y", np.float32)])[()]
    point["x"], point["y"] = 3, 0.25
    out = cuda.device_array(1, np.float32)
    cuda.RawKernel(code, "put")(1, 1, (out, point))
    assert out.copy_to_host().tolist() == [3.25]


def test_repr_shows_the_signature(scale):
    assert repr(scale) == "RawKernel(scale(const float*, float*, float, int))"


def test_launches_are_listed(scale, x, out):
    cuda.clear_launch_table()
    for _ in range(3):
        scale((2, 2), (8, 4), (x, out, 1.0, 100))
    row = next(row for row in cuda.launch_table() if row.kernel == "scale")
    assert (row.grid, row.block, row.launches) == ((2, 2, 1), (8, 4, 1), 3)
    assert row.file == "scale.cu"


_TWO_TILES = """
extern __shared__ int dynamic[];
__global__ void both(int* out) {
  __shared__ int fixed[8192];
  int i = threadIdx.x;
  fixed[8191 - i] = i;
  dynamic[i] = i;
  __syncthreads();
  out[i] = fixed[8191 - i] + dynamic[i];
}"""


def test_more_shared_memory_than_the_default_has_to_be_asked_for():
    both = cuda.RawKernel(_TWO_TILES, "both")
    out = cuda.device_array(64, np.int32)
    # 32,768 declared + 20,000 dynamic bytes are more than 48 KiB and less than 64 KiB.
    with pytest.raises(cuda.LaunchError, match="got 52768 bytes of shared memory") as e:
        both(1, 64, (out,), shared_mem=20_000)
    assert e.value.kind == "launch_config"
    assert "max_dynamic_shared_size_bytes = 20000" in str(e.value)
    both.max_dynamic_shared_size_bytes = 20_000
    both(1, 64, (out,), shared_mem=20_000)
    assert (out.copy_to_host() == 2 * np.arange(64)).all()


@pytest.mark.skipif(
    cuda.is_available() and not cuda.is_emulated(), reason="cards have more"
)
def test_more_shared_memory_than_the_card_has_is_refused():
    both = cuda.RawKernel(_TWO_TILES, "both")
    with pytest.raises(cuda.LaunchError, match="at most 65536"):
        both.max_dynamic_shared_size_bytes = 40_000


def test_local_array_beyond_the_limit_is_refused():
    code = """
    __global__ void big(int* out, int n) {
      volatile int room[262144];
      for (int i = 0; i < n; ++i) room[i * 37] = i;
      *out = room[n];
    }"""
    out = cuda.device_array(1, np.int32)
    big = cuda.RawKernel(code, "big")
    with pytest.raises(cuda.LaunchError, match="1048576 bytes of local memory") as e:
        big(1, 1, (out, 3))
    assert e.value.kind == "launch_config"


def test_arguments_that_are_no_tuple(scale, x):
    with pytest.raises(
        TypeError, match=r"args must be a tuple, got DeviceArray.*\(y,\)"
    ):
        scale(1, 1, x)


def test_wrong_arguments_are_counted_from_1_and_named(scale, x, out):
    with pytest.raises(
        TypeError, match=r"host array \(ndarray\) for argument 2 'out';"
    ):
        scale(1, 1, (x, np.zeros(3), 1.0, 1))
    with pytest.raises(TypeError, match="got str for argument 4 'n';"):
        scale(1, 1, (x, out, 1.0, "1"))
    with pytest.raises(ValueError, match="for argument 4 'n'; need an integer of 64"):
        scale(1, 1, (x, out, 1.0, 2**64))


def test_an_option_that_the_compiler_does_not_know():
    with pytest.raises(
        cuda.CompileError, match=r"an option that NVRTC.*-bogus"
    ) as error:
        cuda.RawKernel("__global__ void f() {}", "f", options=("-bogus",))
    assert "-bogus" in error.value.log


@pytest.mark.parametrize("size", ["x", 1.5, None])
def test_shared_memory_that_is_no_integer(scale, x, out, size):
    with pytest.raises(
        TypeError, match=r"^\[launch\] got shared_mem .*; need an int\.$"
    ):
        scale(1, 1, (x, out, 1.0, 1), shared_mem=size)
