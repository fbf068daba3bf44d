"""Tests of what a launch knows of itself: its arguments, its source, what it held."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda
from minitorch.cuda.launching import launch_notes

pytestmark = pytest.mark.cuda

SCALE = """template <class T> __global__ void scale(T* values, int n, T by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}"""


@pytest.fixture(scope="module")
def scale():
    return cuda.RawKernel(SCALE, "scale<float>")


@cuda.jit
def add(out, pair, by):
    i = cuda.threadIdx.x
    out[i] = pair[0][i] + pair[1] + by


def test_arguments_have_names_places_and_what_they_held_before(scale):
    given = np.arange(5, dtype=np.float32)
    x = cuda.to_device(given)
    with cuda.inspect(trace=True) as run:
        scale[1, 32](x, 5, 2.0)
        scale[1, 32](x, 5, 3.0)
    first, second = (launch.arguments for launch in run.launches)
    values, n, by = first
    assert [each.name for each in first] == ["values", "n", "by"]
    assert [each.is_array for each in first] == [True, False, False]
    assert (values.pointer, values.shape, values.strides) == (x.pointer, (5,), (4,))
    assert values.dtype == np.float32
    assert values.before.tolist() == given.tolist()
    assert second[0].before.tolist() == (given * 2).tolist()
    assert not values.before.flags.writeable
    assert (n.value, by.value, n.before, n.dtype) == (5, 2.0, None, None)


def test_arguments_of_python_kernels_with_views_tuples_and_host_arrays():
    matrix = cuda.to_device(np.arange(12, dtype=np.int64).reshape(3, 4))
    out = np.zeros(3, np.int64)  # on the host: copied there and back
    with cuda.inspect(trace=True) as run:
        add[1, 3](out, (matrix[::-1, 1], 100), by=7)
    assert out.tolist() == [116, 112, 108]
    found = {each.name: each for each in run.launches[0].arguments}
    assert list(found) == ["out", "pair[0]", "pair[1]", "by"]
    assert found["out"].before.tolist() == [0, 0, 0]
    column = found["pair[0]"]
    assert column.pointer == matrix.pointer + 72  # the second of the last row of four
    assert (column.shape, column.strides) == ((3,), (-32,))
    assert column.before.tolist() == [9, 5, 1]
    assert (found["pair[1]"].value, found["by"].value) == (100, 7)


def test_tensors_and_kernels_made_of_expressions():
    tensor = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]]).to("cuda")
    out = cuda.device_array((2, 2), "float64")
    double = cuda.ElementwiseKernel("float64 x", "float64 y", "y = 2 * x", "double_it")
    with cuda.inspect(trace=True) as run:
        double(tensor, out)
        add[1, 2](out[0], (tensor[1], 0.5), 1)
    by_name, second = (
        {each.name: each for each in launch.arguments} for launch in run.launches
    )
    assert by_name["x"].before.tolist() == [[1, 2], [3, 4]]
    assert by_name["x"].strides == (16, 8)
    assert by_name["y"].pointer == out.pointer
    assert second["out"].before.tolist() == [2, 4]
    assert second["pair[0]"].before.tolist() == [3, 4]


def test_source_is_the_text_as_it_was_written(scale):
    x = cuda.to_device(np.zeros(5, np.float32))
    with cuda.inspect() as run:
        scale[1, 32](x, 5, 2.0)
        add[1, 3](x[:3], (x, 1.0), 0)
    first, second = run.launches
    assert first.source == SCALE
    with open(__file__, encoding="utf-8") as file:
        assert second.source == file.read()
    assert first.arguments == second.arguments == ()  # only traced launches keep them
    assert first.debug is second.debug is False


def test_a_launch_that_is_refused_leaves_no_note(scale):
    x, y = (cuda.to_device(np.full(5, n, np.float32)) for n in (1, 2))
    with cuda.inspect(trace=True) as run:
        with pytest.raises(cuda.LaunchError):
            scale[1, 32](x, 5)
        with pytest.raises(TypeError, match="need"):
            scale[1, 32](np.ones(5, np.float32), 5, 1.0)
        scale[1, 32](y, 5, 4.0)
    (launch,) = run.launches
    assert launch.arguments[0].pointer == y.pointer
    assert launch.arguments[2].value == 4.0


def test_each_of_several_runs_and_streams_finds_its_own(scale):
    arrays = [cuda.to_device(np.full(5, n, np.float32)) for n in range(4)]
    stream = cuda.stream()
    with cuda.inspect(trace=True) as outer:
        scale[1, 32](arrays[0], 5, 1.0)
        with cuda.inspect(trace=True, most_launches=1) as inner:
            scale[1, 32, stream](arrays[1], 5, 1.0)
            scale[2, 32](arrays[2], 5, 1.0)
        scale[1, 32](arrays[3], 5, 1.0)
    seen = [launch.arguments[0].before[0] for launch in outer.launches]
    assert seen == [0, 1, 2, 3]
    assert [launch.arguments[0].before[0] for launch in inner.launches] == [1]
    assert launch_notes.OPEN == []


def test_what_takes_too_much_memory_is_left_out(scale, monkeypatch):
    monkeypatch.setattr(launch_notes, "MOST_COPIED", 30)
    x = cuda.to_device(np.ones(5, np.float32))
    with cuda.inspect(trace=True) as run:
        scale[1, 32](x, 5, 2.0)
        scale[1, 32](x, 5, 2.0)
    first, second = (launch.arguments[0] for launch in run.launches)
    assert first.before is not None
    assert second.before is None
    assert second.shape == (5,)


def test_empty_arrays(scale):
    empty = cuda.device_array(0, "float32")
    with cuda.inspect(trace=True) as run:
        scale[1, 32](empty, 0, 2.0)
    assert run.launches[0].arguments[0].before.shape == (0,)


class TestNamesThatAreWordsOfCpp:
    """`_py_` stands behind them in CUDA C++, and nowhere else."""

    def test_in_findings_and_tables(self):
        @cuda.jit
        def short(new):
            register = cuda.shared.array(32, np.float32)
            double = cuda.threadIdx.x
            register[double] = 1
            new[double] = register[(double + 1) % 32]

        x = cuda.to_device(np.zeros(32, np.float32))
        short[1, 32](x)
        with pytest.raises(cuda.KernelError) as caught:
            cuda.synchronize()
        assert caught.value.kernel == "short"
        assert str(caught.value).startswith("[short] race on register[")
        assert "short" in {row.kernel for row in cuda.launch_table()}
        assert short.resources("a100").table().startswith("short")

    def test_of_a_name_that_ends_so(self):
        @cuda.jit
        def put_py_(x):
            x[9] = 1

        put_py_[1, 1](cuda.to_device(np.zeros(3)))
        with pytest.raises(cuda.KernelError, match=r"^\[put_py_\]"):
            cuda.synchronize()
