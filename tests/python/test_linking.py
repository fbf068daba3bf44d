"""The tests of functions in CUDA C++ that kernels in Python call."""

from __future__ import annotations

import types

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

MULTIPLY = """
extern "C" __device__ int multiply(float* result, float a, float b) {
  *result = a * b;
  return 0;
}
"""
ADD_UP = """
extern "C" __device__ double add_up(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
extern "C" __device__ void fill(double* x, double value) { *x = value; }
"""


def test_a_function_from_a_file(tmp_path):
    path = tmp_path / "multiply.cu"
    path.write_text(MULTIPLY)
    multiply = cuda.declare_device("multiply", "float32(float32, float32)")

    @cuda.jit(link=[str(path)])
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = multiply(x[i], 3)

    x = cuda.to_device(np.arange(8, dtype=np.float32))
    scale[1, 32](x)
    assert np.array_equal(x.copy_to_host(), 3 * np.arange(8))
    assert "declared_multiply" in scale.inspect_cuda("void(float32[:])")


def test_functions_with_the_plain_abi_take_arrays():
    source = cuda.CUSource(ADD_UP)
    add_up = cuda.declare_device(
        "add_up", "float64(CPointer(float64), int32)", link=source, abi="c"
    )
    fill = cuda.declare_device("fill", "void(float64[:], float64)", source, abi="c")

    @cuda.jit
    def total(out, x):
        out[0] = add_up(x, x.size)
        fill(out[1:], 7)

    out = np.zeros(2)
    total[1, 1](out, np.arange(10.0))
    assert np.array_equal(out, [45, 7])


def test_a_buffer_as_cffi_names_it():
    def from_buffer(self, array):
        raise AssertionError("only kernels call it")

    from_buffer.__module__, from_buffer.__qualname__ = "cffi.api", "FFI.from_buffer"
    ffi = types.SimpleNamespace(from_buffer=types.MethodType(from_buffer, object()))
    add_up = cuda.declare_device(
        "add_up", "float64(float64[:], int32)", cuda.CUSource(ADD_UP), abi="c"
    )

    @cuda.jit
    def total(out, x):
        pointer = ffi.from_buffer(x)
        out[()] = add_up(pointer, len(x))

    out = np.zeros(())
    total[1, 1](out, np.arange(4.0))
    assert out == 6


def test_a_mistake_in_what_is_linked_names_its_file(tmp_path):
    path = tmp_path / "broken.cu"
    path.write_text("\n__device__ int f() { return undefined_name; }")

    @cuda.jit(link=str(path))
    def nothing(x):
        pass

    with pytest.raises(cuda.CompileError) as error:
        nothing[1, 1](cuda.device_array(1))
    (found,) = error.value.diagnostics
    assert (found.file, found.line) == ("/minitorch/linked/broken.cu", 2)


def test_a_function_that_is_nowhere():
    missing = cuda.declare_device("missing", "int32(int32)")

    @cuda.jit
    def call(x):
        x[0] = missing(1)

    with pytest.raises(cuda.CompileError, match='identifier "missing" is undefined'):
        call[1, 1](cuda.device_array(1))


@pytest.mark.parametrize(
    ("item", "error", "told"),
    [
        ("code.ptx", ValueError, r"cannot link code\.ptx; need CUDA C\+\+"),
        ("missing.cu", OSError, "missing.cu"),
        (5, TypeError, r"\[link\] got 5; need the path"),
    ],
)
def test_what_cannot_be_linked(item, error, told):
    with pytest.raises(error, match=told):
        cuda.declare_device("f", "int32()", link=item)


def test_wrong_declarations():
    with pytest.raises(TypeError, match=r"got name 'a b'"):
        cuda.declare_device("a b", "int32()")
    with pytest.raises(ValueError, match=r"got abi='d'"):
        cuda.declare_device("f", "int32()", abi="d")
    with pytest.raises(TypeError, match="must be numbers or arrays"):
        cuda.declare_device("f", "int32((int32, int32))")
    with pytest.raises(TypeError, match=r"^\[CUSource\] got data of type int"):
        cuda.CUSource(5)
    with pytest.raises(RuntimeError, match="g is a device function; call it"):
        cuda.declare_device("g", "int32()")()


def test_wrong_arguments_of_a_declared_function():
    add_up = cuda.declare_device("add_up", "float64(float64[:], int32)", abi="c")

    @cuda.jit
    def number(x):
        x[0] = add_up(3, 4)

    @cuda.jit
    def few(x):
        x[0] = add_up(x)

    with pytest.raises(
        cuda.CompileError, match="add_up needs an array of float64, got int64"
    ):
        number[1, 1](cuda.device_array(1))
    with pytest.raises(cuda.CompileError, match="got 1 argument for add_up"):
        few[1, 1](cuda.device_array(1))
