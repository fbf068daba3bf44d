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
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.fixture(scope="module")
def multiply_add():
    return cuda.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "multiply_add")


def host_array(shape, dtype, seed=0):
    values = np.random.default_rng(seed).integers(0, 9, shape)
    if dtype.startswith("complex"):
        values = values + 1j * values.T.reshape(shape)
    return values.astype(dtype)


def on_device(array):
    return cuda.to_device(array.copy())


class TestValues:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes(self, multiply_add, dtype):
        x, y = host_array((3, 5), dtype), host_array((3, 5), dtype, seed=1)
        found = multiply_add(on_device(x), on_device(y))
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.copy_to_host(), x * y + x)

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
        x, y = host_array(first, "int32"), host_array(second, "int32", seed=1)
        found = multiply_add(on_device(x), on_device(y))
        expected = x * y + x
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.copy_to_host(), expected)

    @given(data=st.data())
    @settings(deadline=None, max_examples=30)
    def test_views(self, multiply_add, data):
        shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
        host = host_array(shape, "float32", seed=3)
        steps = tuple(
            slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in shape
        )
        order = data.draw(st.permutations(range(len(shape))))
        view = on_device(host).transpose(order)[steps]
        same = host.transpose(order)[steps]
        if view.size == 1 and not isinstance(view, cuda.DeviceArray):
            return
        found = multiply_add(view, view[::-1])
        np.testing.assert_array_equal(found.copy_to_host(), same * same[::-1] + same)

    def test_strided_output(self, multiply_add):
        x = np.arange(6, dtype=np.float64).reshape(2, 3)
        out = cuda.to_device(np.zeros((3, 4)))
        returned = multiply_add(on_device(x), 2, out[:, ::2].T)
        assert returned.shape == (2, 3)
        expected = np.zeros((3, 4))
        expected[:, ::2] = (x * 2 + x).T
        np.testing.assert_array_equal(out.copy_to_host(), expected)

    def test_more_elements_than_threads(self):
        count = cuda.ElementwiseKernel("int32 x", "int32 y", "y = x + n", "count")
        x = np.arange(300_000, dtype=np.int32)
        found = count(cuda.to_device(x), block_size=32).copy_to_host()
        np.testing.assert_array_equal(found, x + 300_000)


class TestNumbers:
    @pytest.mark.parametrize(
        ("numbers", "dtype"),
        [((2, 3), "int64"), ((2, 3.5), "float64"), ((np.float32(2), 1), "float64")],
    )
    def test_numbers_alone_tell_the_type(self, multiply_add, numbers, dtype):
        found = multiply_add(*numbers)
        assert (found.shape, found.dtype) == ((), dtype)
        assert found.copy_to_host() == numbers[0] * numbers[1] + numbers[0]

    def test_numpy_number_of_another_type(self, multiply_add):
        x = cuda.to_device(np.arange(3, dtype=np.float32))
        found = multiply_add(x, np.float64(0.5)).copy_to_host()
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, np.arange(3, dtype=np.float32) * 1.5)

    @pytest.mark.parametrize(
        ("dtype", "number", "error"),
        [
            ("int32", 1.5, TypeError),
            ("int32", 2**31, OverflowError),
            ("uint8", -1, OverflowError),
            ("uint8", 0.5, TypeError),
            ("float32", 1j, TypeError),
        ],
    )
    def test_number_that_does_not_fit(self, multiply_add, dtype, number, error):
        with pytest.raises(error, match=r"\[multiply_add\].*y"):
            multiply_add(cuda.to_device(np.ones(2, dtype)), number)


class TestRaw:
    def test_reversed(self):
        kernel = cuda.ElementwiseKernel(
            "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
        )
        x, y = np.arange(5.0), np.arange(5.0) * 10
        found = kernel(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
        np.testing.assert_array_equal(found, x + y[::-1])

    def test_rows(self):
        """Each element sums a row of a matrix given as a view."""
        kernel = cuda.ElementwiseKernel(
            "raw T m",
            "T z",
            """
            z = 0;
            for (int k = 0; k < m.shape()[1]; ++k) {
              long long at[] = {i, k};
              z += m[at];
            }""",
            "row_sum",
        )
        host = np.arange(24.0).reshape(4, 6)
        for view, same in [
            (lambda a: a, host),
            (lambda a: a.T, host.T),
            (lambda a: a[::-2, 1::3], host[::-2, 1::3]),
        ]:
            found = kernel(view(cuda.to_device(host)), size=same.shape[0])
            np.testing.assert_array_equal(found.copy_to_host(), same.sum(axis=1))

    def test_flat_index_of_a_view(self):
        kernel = cuda.ElementwiseKernel("raw T m", "T z", "z = m[i]", "flat")
        host = np.arange(12, dtype=np.int32).reshape(3, 4)
        found = kernel(cuda.to_device(host).T, size=12).copy_to_host()
        np.testing.assert_array_equal(found, host.T.ravel())

    def test_what_a_raw_array_tells(self):
        kernel = cuda.ElementwiseKernel(
            "raw float32 m",
            "raw int64 o",
            "o[0] = m.size(); o[1] = m.ndim; "
            "o[2] = m.shape()[0]; o[3] = m.strides()[0]",
            "tell",
        )
        out = cuda.device_array(4, np.int64)
        kernel(cuda.to_device(np.ones((3, 4), np.float32))[::2], out, size=1)
        assert out.copy_to_host().tolist() == [8, 2, 2, 32]

    def test_index_along_dimensions(self):
        kernel = cuda.ElementwiseKernel(
            "T x", "int32 z", "z = 10 * _ind.get()[0] + _ind.get()[1]", "places"
        )
        found = kernel(cuda.to_device(np.zeros((2, 3)))).copy_to_host()
        np.testing.assert_array_equal(found, [[0, 1, 2], [10, 11, 12]])

    def test_size_is_needed(self):
        kernel = cuda.ElementwiseKernel("raw T x", "T z", "z = x[0]", "first")
        x = cuda.to_device(np.ones(3))
        with pytest.raises(ValueError, match=r"Pass size="):
            kernel(x)
        with pytest.raises(ValueError, match="at least 0"):
            kernel(x, size=-1)
        with pytest.raises(TypeError, match="size"):
            kernel(x, size=2.0)
        for wrong, error in ((0, ValueError), ("x", TypeError), (4096, RuntimeError)):
            with pytest.raises(error, match="block"):
                kernel(x, size=1, block_size=wrong)
        with pytest.raises(TypeError, match="stream"):
            kernel(x, size=1, stream="x")

    def test_size_is_not_wanted(self, multiply_add):
        with pytest.raises(ValueError, match="arrays that are not raw"):
            multiply_add(cuda.to_device(np.ones(3)), 1, size=3)


class TestForms:
    def test_pieces(self):
        kernel = cuda.ElementwiseKernel(
            "float64 x, raw int32 done",
            "float64 y",
            "y = f(x) + SHIFT; ++mine",
            "pieces",
            preamble="__device__ double f(double v) { return 2 * v; }",
            loop_prep="int mine = 0",
            after_loop="atomicAdd((int*)&done[0], mine)",
            options=("-DSHIFT=1",),
        )
        done = cuda.to_device(np.zeros(1, np.int32))
        found = kernel(cuda.to_device(np.arange(100.0)), done).copy_to_host()
        np.testing.assert_array_equal(found, 2 * np.arange(100.0) + 1)
        assert done.copy_to_host()[0] == 100

    def test_several_outputs(self):
        kernel = cuda.ElementwiseKernel(
            "T x, T y", "T q, T r", "q = x / y; r = x % y", "divide"
        )
        q, r = kernel(cuda.to_device(np.arange(7)), 3)
        np.testing.assert_array_equal(q.copy_to_host(), np.arange(7) // 3)
        np.testing.assert_array_equal(r.copy_to_host(), np.arange(7) % 3)

    def test_what_is_returned(self):
        x = cuda.to_device(np.ones(2))
        texts = ("T x", "T y", "y = x", "same")
        assert cuda.ElementwiseKernel(*texts, no_return=True)(x) is None
        (only,) = cuda.ElementwiseKernel(*texts, return_tuple=True)(x)
        assert only.copy_to_host().tolist() == [1, 1]

    def test_all_dimensions_kept(self):
        kernel = cuda.ElementwiseKernel("T x", "T y", "y = -x", "negate", False)
        x = np.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(kernel(cuda.to_device(x)).copy_to_host(), -x)
        assert "_layout" in kernel.cached_code

    def test_code_is_readable(self):
        kernel = cuda.ElementwiseKernel("T x", "T y", "y = x + 1", "increment")
        with pytest.raises(RuntimeError, match="no code before its first call"):
            kernel.cached_code  # noqa: B018
        kernel(cuda.to_device(np.ones(2, np.float32)))
        kernel(cuda.to_device(np.ones(2, np.int32)))
        assert len(kernel.cached_codes) == 2
        assert "y = x + 1;" in kernel.cached_code
        assert repr(kernel) == "ElementwiseKernel(increment)"

    def test_tensors(self, multiply_add):
        x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]]).to("cuda")
        found = multiply_add(x, x.permute(1, 0))
        assert isinstance(found, minitorch.Tensor)
        host = x.numpy()
        np.testing.assert_array_equal(found.numpy(), host * host.T + host)


class TestMistakes:
    def test_operation_names_its_own_line(self):
        kernel = cuda.ElementwiseKernel(
            "T x", "T y", "T twice = 2 * x;\ny = twice + nothing", "broken"
        )
        with pytest.raises(cuda.CompileError) as caught:
            kernel(cuda.to_device(np.ones(2)))
        first = caught.value.diagnostics[0]
        assert (first.line, first.file) == (2, "/minitorch/user/broken.operation")
        assert first.source_line.strip() == "y = twice + nothing;"
        assert "broken.operation(2)" in str(caught.value)

    @pytest.mark.skipif(
        cuda.is_available() and not cuda.is_emulated(), reason="needs the emulator"
    )
    def test_fault_names_the_line_and_the_array(self):
        kernel = cuda.ElementwiseKernel(
            "raw T x", "T y", "int at = i + 1;\ny = x[at]", "beyond"
        )
        with pytest.raises(cuda.KernelError, match=r"past the end of 'x'.*n:2 in b"):
            kernel(cuda.to_device(np.ones(2)), size=2).copy_to_host()

    def test_host_array(self, multiply_add):
        with pytest.raises(TypeError, match=r"cuda.to_device\(array\)"):
            multiply_add(np.ones(3), 1)

    @pytest.mark.parametrize("value", [None, "x", [1.0], object()])
    def test_other_values(self, multiply_add, value):
        with pytest.raises(TypeError, match="for 'x'"):
            multiply_add(value, 1)

    @pytest.mark.parametrize("count", [0, 1, 4])
    def test_number_of_arguments(self, multiply_add, count):
        with pytest.raises(TypeError, match=f"got {count} arguments; need 2 inputs"):
            multiply_add(*[1] * count)

    def test_types_that_differ(self, multiply_add):
        x, y = (cuda.to_device(np.ones(2, kind)) for kind in ("f4", "f8"))
        with pytest.raises(TypeError, match=r"float64 for 'T y'; need float32"):
            multiply_add(x, y)
        kernel = cuda.ElementwiseKernel("float32 x", "T y", "y = x", "k")
        with pytest.raises(TypeError, match="astype"):
            kernel(y, x)

    def test_type_that_nothing_tells(self):
        kernel = cuda.ElementwiseKernel("float32 x", "T y", "y = x", "untold")
        x = cuda.to_device(np.ones(2, np.float32))
        with pytest.raises(TypeError, match="cannot infer type T of 'y'"):
            kernel(x)
        out = cuda.device_array(2, np.float64)
        assert kernel(x, out).copy_to_host().tolist() == [1, 1]

    def test_shapes(self, multiply_add):
        x, y = (cuda.to_device(np.ones(n)) for n in (2, 3))
        with pytest.raises(ValueError, match=r"x \(2,\), y \(3,\)"):
            multiply_add(x, y)
        with pytest.raises(ValueError, match="output z has shape"):
            multiply_add(x.reshape(2, 1), y, cuda.device_array((1, 3)))

    def test_number_as_output(self, multiply_add):
        with pytest.raises(TypeError, match="an output"):
            multiply_add(1, 2, 3)

    @pytest.mark.parametrize(
        ("given", "error", "words"),
        [
            (("T", "T y", ""), ValueError, "a type and a name"),
            (("T x y", "T z", ""), ValueError, "a type and a name"),
            (("T 1x", "T z", ""), ValueError, "a type and a name"),
            (("T i", "T z", ""), ValueError, "the name 'i' is reserved"),
            (("T n", "T z", ""), ValueError, "the name 'n' is reserved"),
            (("T _x", "T z", ""), ValueError, "a type and a name"),
            (("floaty x", "T z", ""), TypeError, "floaty"),
            (("object x", "T z", ""), TypeError, "object"),
            (("1 x", "T z", ""), TypeError, "'1'"),
            (("T x", "T x", ""), ValueError, "names two parameters"),
            (("T T", "U x", ""), ValueError, "names two parameters"),
            ((3, "T x", ""), TypeError, "need a string"),
            (("T x", "T y", 5), TypeError, "operation"),
            (("T x", "T y", "", "two words"), ValueError, "name"),
            (("T x", "T y", "", 7), ValueError, "name"),
        ],
    )
    def test_definitions(self, given, error, words):
        with pytest.raises(error, match=words):
            cuda.ElementwiseKernel(*given)

    def test_options_as_one_text(self):
        with pytest.raises(TypeError, match="tuple of strings"):
            cuda.ElementwiseKernel("T x", "T y", "y = x", options="-G")
