"""The tests of ElementwiseKernel: values against NumPy, forms, mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda

DTYPES = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
]  # fmt: skip


def multiply_add_of(dtype):
    return cuda.ElementwiseKernel(
        f"{dtype} x, {dtype} y", f"{dtype} z", "z = x * y + x", "multiply_add"
    )


@pytest.fixture(scope="module")
def multiply_add():
    return multiply_add_of("float64")


def host_array(shape, dtype="float64", seed=0):
    return np.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


def on_device(array):
    return cuda.to_device(array.copy())


class TestValues:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes(self, dtype):
        x, y = host_array((3, 5), dtype), host_array((3, 5), dtype, seed=1)
        result = multiply_add_of(dtype)(on_device(x), on_device(y))
        assert result.dtype == dtype
        np.testing.assert_array_equal(result.copy_to_host(), x * y + x)

    def test_bool(self):
        differ = cuda.ElementwiseKernel("bool a, bool b", "bool c", "c = a != b", "x")
        a, b = np.array([True, True, False]), np.array([True, False, False])
        np.testing.assert_array_equal(
            differ(on_device(a), on_device(b)).copy_to_host(), a ^ b
        )

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ((), ()), ((4,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3, 4), (3, 1)),
            ((0,), (1,)), ((0, 3), (3,)), ((1, 1, 5), (2, 1, 1)), ((700,), (700,)),
        ],
    )  # fmt: skip
    def test_broadcasting(self, multiply_add, first, second):
        x, y = host_array(first), host_array(second, seed=1)
        result = multiply_add(on_device(x), on_device(y))
        expected = x * y + x
        assert result.shape == expected.shape
        np.testing.assert_array_equal(result.copy_to_host(), expected)

    @given(data=st.data())
    @settings(deadline=None, max_examples=30)
    def test_views(self, multiply_add, data):
        shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
        host = host_array(shape, seed=3)
        steps = tuple(
            slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in shape
        )
        order = data.draw(st.permutations(range(len(shape))))
        view = on_device(host).transpose(order)[steps]
        same = host.transpose(order)[steps]
        result = multiply_add(view, view[::-1])
        np.testing.assert_array_equal(result.copy_to_host(), same * same[::-1] + same)

    def test_strided_output(self, multiply_add):
        x = np.arange(6, dtype=np.float64).reshape(2, 3)
        out = cuda.to_device(np.zeros((3, 4)))
        returned = multiply_add(on_device(x), 2, out[:, ::2].T)
        assert returned.shape == (2, 3)
        expected = np.zeros((3, 4))
        expected[:, ::2] = (x * 2 + x).T
        np.testing.assert_array_equal(out.copy_to_host(), expected)

    def test_numbers(self, multiply_add):
        x = cuda.to_device(np.arange(3.0))
        np.testing.assert_array_equal(multiply_add(x, 0.5).copy_to_host(), [0, 1.5, 3])
        assert multiply_add(np.float64(2), 3).copy_to_host() == 8

    def test_index_and_count(self):
        kernel = cuda.ElementwiseKernel("int32 x", "int32 y", "y = x + 10 * n + i", "k")
        x = np.arange(6, dtype=np.int32).reshape(2, 3)
        result = kernel(cuda.to_device(x).T).copy_to_host()
        np.testing.assert_array_equal(result, x.T + 60 + np.arange(6).reshape(3, 2))


class TestForms:
    def test_several_outputs_and_a_preamble(self):
        kernel = cuda.ElementwiseKernel(
            "int64 x, int64 y",
            "int64 q, int64 r",
            "q = x / y; r = remainder_of(x, y)",
            "divide",
            "__device__ long long remainder_of(long long x, long long y) {\n"
            "  return x % y;\n}",
        )
        q, r = kernel(cuda.to_device(np.arange(7)), 3)
        np.testing.assert_array_equal(q.copy_to_host(), np.arange(7) // 3)
        np.testing.assert_array_equal(r.copy_to_host(), np.arange(7) % 3)
        assert repr(kernel) == "ElementwiseKernel(divide)"

    def test_tensors(self, multiply_add):
        x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]]).to("cuda")
        result = multiply_add(x, x.permute(1, 0))
        assert isinstance(result, minitorch.Tensor)
        host = x.numpy()
        np.testing.assert_array_equal(result.numpy(), host * host.T + host)


class TestMistakes:
    def test_operation_names_its_own_line(self):
        kernel = cuda.ElementwiseKernel(
            "int32 x", "int32 y", "int twice = 2 * x;\ny = twice + nothing", "broken"
        )
        with pytest.raises(cuda.CompileError) as caught:
            kernel(cuda.to_device(np.ones(2, np.int32)))
        first = caught.value.diagnostics[0]
        assert (first.line, first.file) == (2, "/minitorch/user/broken.operation")
        assert first.source_line.strip() == "y = twice + nothing;"
        assert "broken.operation(2)" in str(caught.value)

    @pytest.mark.skipif(
        cuda.is_available() and not cuda.is_emulated(), reason="needs the emulator"
    )
    def test_fault_names_the_line_and_the_array(self):
        kernel = cuda.ElementwiseKernel(
            "float64 x", "float64 y", "const int next = 1;\ny = (&x)[next]", "beyond"
        )
        with pytest.raises(cuda.KernelError, match=r"past the end of 'x'.*n:2 in b"):
            kernel(cuda.to_device(np.ones(2))).copy_to_host()

    def test_host_array(self, multiply_add):
        with pytest.raises(TypeError, match=r"cuda.to_device\(array\)"):
            multiply_add(np.ones(3), 1)
        with pytest.raises(TypeError, match=r'Try x.to\("cuda"\)'):
            multiply_add(minitorch.ones(3), 1)

    @pytest.mark.parametrize("value", [None, "x", [1.0], object()])
    def test_other_values(self, multiply_add, value):
        with pytest.raises(TypeError, match="for 'x'"):
            multiply_add(value, 1)

    @pytest.mark.parametrize("count", [0, 1, 4])
    def test_number_of_arguments(self, multiply_add, count):
        with pytest.raises(TypeError, match=f"got {count} arguments; need 2 inputs"):
            multiply_add(*[1] * count)

    def test_another_dtype(self, multiply_add):
        x = cuda.to_device(np.ones(2, np.float32))
        with pytest.raises(TypeError, match=r"float32 for 'float64 y'. Try array.as"):
            multiply_add(1, x)

    def test_shapes(self, multiply_add):
        x, y = (cuda.to_device(np.ones(n)) for n in (2, 3))
        with pytest.raises(ValueError, match=r"\(2,\) and \(3,\) cannot be broadcast"):
            multiply_add(x, y)
        with pytest.raises(ValueError, match="output z has shape"):
            multiply_add(x.reshape(2, 1), y, cuda.device_array((1, 3)))

    def test_number_as_output(self, multiply_add):
        with pytest.raises(TypeError, match="got int for 'z'"):
            multiply_add(1, 2, 3)

    @pytest.mark.parametrize(
        ("given", "error", "words"),
        [
            (("int8", "int8 y", ""), ValueError, "a dtype and a name"),
            (("int8 x y", "int8 z", ""), ValueError, "a dtype and a name"),
            (("int8 _x", "int8 z", ""), ValueError, "a dtype and a name"),
            (("int8 i", "int8 z", ""), ValueError, "other than i and n"),
            (("raw int8 x", "int8 z", ""), ValueError, "'raw int8 x'"),
            (("T x", "T y", ""), TypeError, "got type 'T'; need a NumPy dtype"),
            ((3, "int8 x", ""), TypeError, "need a string"),
            (("int8 x", "int8 y", 5), TypeError, "operation"),
            (("int8 x", "int8 y", "", 7), TypeError, "name"),
        ],
    )
    def test_definitions(self, given, error, words):
        with pytest.raises(error, match=words):
            cuda.ElementwiseKernel(*given)

    def test_absent_reductions_say_what_to_use(self):
        with pytest.raises(AttributeError, match=r"There is minitorch\.cuda\.reduce"):
            cuda.ReductionKernel  # noqa: B018
