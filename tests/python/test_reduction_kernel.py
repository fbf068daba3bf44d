"""The tests of ReductionKernel: values against NumPy, forms, mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minitorch import cuda

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def total():
    return cuda.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


@pytest.fixture(scope="module")
def largest():
    return cuda.ReductionKernel(
        "T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest"
    )


class TestValues:
    @pytest.mark.parametrize(
        "dtype", ["int32", "int64", "uint8", "uint64", "float16", "float32", "float64"]
    )
    def test_dtypes(self, total, dtype):
        x = np.random.default_rng(0).integers(0, 3, (4, 9)).astype(dtype)
        found = total(cuda.to_device(x), axis=1)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.copy_to_host(), x.sum(axis=1, dtype=dtype))

    def test_complex(self):
        power = cuda.ReductionKernel(
            "complex64 z", "float32 p", "norm(z)", "a + b", "p = a", "0", "power"
        )
        z = np.array([3 + 4j, 1j], np.complex64)
        assert power(cuda.to_device(z)).copy_to_host() == 26

    @pytest.mark.parametrize("keepdims", [False, True])
    @pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (2, 1), ()])
    def test_axes(self, total, axis, keepdims):
        x = np.random.default_rng(1).integers(0, 100, (3, 4, 5))
        found = total(cuda.to_device(x), axis=axis, keepdims=keepdims)
        expected = x.sum(axis=axis, keepdims=keepdims)
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.copy_to_host(), expected)

    @given(data=st.data())
    @settings(deadline=None, max_examples=30)
    def test_views(self, largest, data):
        shape = tuple(data.draw(st.lists(st.integers(2, 5), min_size=1, max_size=3)))
        host = np.random.default_rng(2).integers(-99, 99, shape)
        steps = tuple(
            slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in shape
        )
        order = data.draw(st.permutations(range(len(shape))))
        axis = data.draw(st.integers(0, len(shape) - 1))
        view = cuda.to_device(host).transpose(order)[steps]
        found = largest(view, axis=axis).copy_to_host()
        same = host.transpose(order)[steps]
        np.testing.assert_array_equal(found, same.max(axis=axis))

    @pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 255, 256, 257, 5000])
    def test_lengths(self, total, size):
        x = np.random.default_rng(size).integers(0, 1000, (3, size))
        found = total(cuda.to_device(x), axis=1).copy_to_host()
        np.testing.assert_array_equal(found, x.sum(axis=1))

    def test_many_outputs(self, total):
        x = np.ones((70_000, 2), np.int32)
        found = total(cuda.to_device(x), axis=1).copy_to_host()
        assert (found == 2).all()

    def test_broadcast_inputs(self):
        dot = cuda.ReductionKernel(
            "T x, T y", "T z", "x * y", "a + b", "z = a", 0, "dot"
        )
        x, y = np.arange(12.0).reshape(3, 4), np.arange(4.0)
        found = dot(cuda.to_device(x), cuda.to_device(y), axis=1).copy_to_host()
        np.testing.assert_array_equal(found, x @ y)

    def test_number_as_input(self):
        scaled = cuda.ReductionKernel(
            "T x, T k", "T z", "x * k", "a + b", "z = a", "0", "scaled"
        )
        assert scaled(cuda.to_device(np.arange(4.0)), 2).copy_to_host() == 12


class TestForms:
    def test_mean_asks_for_the_sizes(self):
        mean = cuda.ReductionKernel(
            "T x", "T y", "x", "a + b",
            "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean",
        )  # fmt: skip
        x = np.arange(12.0).reshape(3, 4)
        found = mean(cuda.to_device(x), axis=0).copy_to_host()
        np.testing.assert_array_equal(found, x.mean(axis=0))

    def test_struct_and_position(self):
        """The place of the largest value, through a struct of the preamble."""
        argmax = cuda.ReductionKernel(
            "T x", "int64 y", "Best(x, _J)", "better(a, b)", "y = a.place",
            "Best(0, -1)", "argmax", reduce_type="Best",
            preamble="""
            struct Best {
              double value; long long place;
              __device__ Best(double value, long long place)
                  : value(value), place(place) {}
            };
            __device__ Best better(Best a, Best b) {
              if (a.value == b.value) return a.place < b.place ? a : b;
              return a.value > b.value ? a : b;
            }""",
        )  # fmt: skip
        x = np.random.default_rng(4).permutation(600).reshape(3, 200).astype(float)
        found = argmax(cuda.to_device(x), axis=1).copy_to_host()
        np.testing.assert_array_equal(found, x.argmax(axis=1))

    def test_reduce_type_by_numpys_name(self):
        x = np.full(3000, 100, np.uint8)
        kernel = cuda.ReductionKernel(
            "uint8 x", "float64 y", "x", "a + b", "y = a", "0", "wide",
            reduce_type="uint32",
        )  # fmt: skip
        assert kernel(cuda.to_device(x)).copy_to_host() == 300_000

    def test_several_outputs(self):
        both = cuda.ReductionKernel(
            "T x", "T s, T m", "x", "a + b", "s = a; m = a / 4", "0", "both"
        )
        s, m = both(cuda.to_device(np.arange(4.0)))
        assert (s.copy_to_host(), m.copy_to_host()) == (6, 1.5)

    def test_output_as_argument(self, total):
        x = cuda.to_device(np.arange(6.0).reshape(2, 3))
        for call in (lambda o: total(x, o, axis=1), lambda o: total(x, out=o, axis=1)):
            out = cuda.to_device(np.zeros((2, 2)))
            call(out[:, 1])
            np.testing.assert_array_equal(out.copy_to_host(), [[0, 3], [0, 12]])

    def test_raw_input(self):
        weighted = cuda.ReductionKernel(
            "T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a", "0", "weighted"
        )
        x, w = np.arange(6.0).reshape(2, 3), np.array([1.0, 10.0, 100.0])
        found = weighted(cuda.to_device(x), cuda.to_device(w), axis=1).copy_to_host()
        np.testing.assert_array_equal(found, x @ w)

    def test_no_elements(self, total, largest):
        x = cuda.device_array((2, 0))
        assert total(x, axis=1).copy_to_host().tolist() == [0, 0]
        assert total(x, axis=0).shape == (0,)
        with pytest.raises(ValueError, match="an identity"):
            largest(x, axis=1)

    def test_code_shows_the_tree(self, total):
        total(cuda.to_device(np.ones((2, 64))), axis=1)
        assert "_half = 32" in total.cached_code


class TestMistakes:
    @pytest.mark.parametrize(
        ("role", "index"), [("map_expr", 0), ("reduce_expr", 1), ("post_map_expr", 2)]
    )
    def test_expression_names_its_own_line(self, role, index):
        texts = ["x", "a + b", "y = a"]
        texts[index] = texts[index] + "\n + nothing"
        kernel = cuda.ReductionKernel("T x", "T y", *texts, "0", "broken")
        with pytest.raises(cuda.CompileError) as caught:
            kernel(cuda.to_device(np.ones(2)))
        first = caught.value.diagnostics[0]
        assert (first.line, first.file) == (2, f"/minitorch/user/broken.{role}")
        assert "nothing" in first.source_line

    @pytest.mark.parametrize("axis", [2, -3, (0, 5)])
    def test_no_such_axis(self, total, axis):
        with pytest.raises(ValueError, match=r"out of range .* 2 dimensions"):
            total(cuda.to_device(np.ones((2, 3))), axis=axis)

    def test_axis_twice_or_no_integer(self, total):
        x = cuda.to_device(np.ones((2, 3)))
        with pytest.raises(ValueError, match="dimension twice"):
            total(x, axis=(0, -2))
        for wrong in (1.0, "x", (0, None)):
            with pytest.raises(TypeError, match="axis"):
                total(x, axis=wrong)

    def test_output_of_another_shape_or_type(self, total):
        x = cuda.to_device(np.ones((2, 3)))
        with pytest.raises(
            ValueError, match=r"output y of shape \(3,\); need an array of shape \(2,\)"
        ):
            total(x, axis=1, out=cuda.device_array(3))
        with pytest.raises(TypeError, match="float32"):
            total(x, axis=1, out=cuda.device_array(2, np.float32))
        with pytest.raises(TypeError, match="one of them"):
            total(x, cuda.device_array(2), axis=1, out=cuda.device_array(2))

    def test_definitions(self):
        with pytest.raises(ValueError, match="one input and one output"):
            cuda.ReductionKernel("", "T y", "1", "a + b", "y = a", "0")
        with pytest.raises(ValueError, match="an output cannot be raw"):
            cuda.ReductionKernel("T x", "raw T y", "x", "a + b", "y[0] = a", "0")
        with pytest.raises(TypeError, match="reduce_expr"):
            cuda.ReductionKernel("T x", "T y", "x", None, "y = a", "0")
