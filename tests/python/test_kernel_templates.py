"""The tests of cpp/kernels as user kernels: any size, stride and type, all checks.

Each template is compiled from its file with a spec of its own and launched as the
file's header says. NumPy is the reference. Broken twins show that the checks would have
spoken.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minitorch import cuda

from .source_tree import ROOT

pytestmark = pytest.mark.cuda

FOLDER = ROOT / "cpp" / "kernels"
MAX_DIMS = 8
TILE = 8
TYPES = {np.float32: "float", np.float64: "double", np.int64: "long long"}
sizes = st.sampled_from([1, TILE - 1, TILE, TILE + 1, 2, 13, 29])

RELU = "__device__ Scalar operator()(Scalar x) const { return x > 0 ? x : 0; }"
SUM = "__device__ Scalar operator()(Scalar a, Scalar b) const { return a + b; }"
FUNCTIONS = f"struct Fn {{ {RELU} {SUM} }};"


@functools.cache
def template(stem: str, spec: str, broken: tuple[str, str] = ("", "")) -> cuda.Kernel:
    code = (FOLDER / f"{stem}.cu").read_text()
    assert broken[0] in code
    headers = {path.name: path.read_text() for path in FOLDER.glob("*.cuh")}
    headers["spec.cuh"] = "#pragma once\n" + spec
    module = cuda.RawModule(code=code.replace(*broken, 1), headers=headers)
    return module.get_function(stem)


def spec_of(dtype, ndim: int, wide: bool = False, **constants: int) -> str:
    lines = [
        f"using Scalar = {TYPES[dtype]};",
        f"using Index = {'long long' if wide else 'int'};",
        f"constexpr int NDIM = {ndim};",
        *(f"constexpr int {name} = {value};" for name, value in constants.items()),
        FUNCTIONS,
    ]
    return "\n".join(lines)


def packed(values, fill: int) -> np.void:
    """A Shape or Strides struct."""
    numbers = np.full(MAX_DIMS, fill, np.int64)
    numbers[: len(values)] = values
    return np.frombuffer(numbers.tobytes(), [("at", np.int64, MAX_DIMS)])[0]


def shape_of(a: np.ndarray) -> np.void:
    return packed(a.shape, 1)


def strides_of(a: np.ndarray) -> np.void:
    return packed([step // a.itemsize for step in a.strides], 0)


def uploaded(a: np.ndarray) -> cuda.DeviceArray:
    """The memory under a view, from its first element on."""
    base = a
    while base.base is not None:
        base = base.base
    return cuda.to_device(base.reshape(-1))


@st.composite
def views(draw, dtypes=(np.float32, np.float64)) -> np.ndarray:
    """An array of 1 to 4 dimensions: contiguous, transposed or broadcast."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    array = np.array(random.integers(-9, 9, shape), dtype)
    array = array.transpose(draw(st.permutations(range(len(shape)))))
    if draw(st.booleans()):
        array = np.broadcast_to(array, (draw(st.integers(1, 3)), *array.shape))
    return array


def flat(a: np.ndarray) -> bool:
    return a.flags.c_contiguous


def grid_of(count: int, block: int) -> int:
    return -(-count // block)


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("*.cu")), ids=lambda path: path.stem
)
def test_every_file_compiles_alone_with_the_sample_spec(path):
    headers = {header.name: header.read_text() for header in FOLDER.glob("*.cuh")}
    module = cuda.RawModule(code=path.read_text(), headers=headers)
    assert module.kernel_names == [path.stem]


@given(a=views(), wide=st.booleans(), block=st.sampled_from([32, 33, 128]))
@settings(max_examples=40, deadline=None)
def test_map(a, wide, block):
    kernel = template("map", spec_of(a.dtype.type, 0 if flat(a) else a.ndim, wide))
    out = cuda.device_array(a.shape, a.dtype)
    kernel(
        grid_of(a.size, block),
        block,
        (out, uploaded(a), shape_of(a), strides_of(a), a.size),
    )
    np.testing.assert_array_equal(out.copy_to_host(), np.maximum(a, 0))


@given(a=views(), b_first=st.booleans())
@settings(max_examples=30, deadline=None)
def test_zip(a, b_first):
    b = np.broadcast_to(np.arange(a.shape[-1], dtype=a.dtype), a.shape)
    a, b = (b, a) if b_first else (a, b)
    source = f"using Source = {TYPES[a.dtype.type]};\n"
    kernel = template("zip", source + spec_of(a.dtype.type, a.ndim))
    out = cuda.device_array(a.shape, a.dtype)
    arrays = (out, uploaded(a), uploaded(b))
    walk = (shape_of(a), strides_of(a), strides_of(b), a.size)
    kernel(grid_of(a.size, 64), 64, (*arrays, *walk))
    np.testing.assert_array_equal(out.copy_to_host(), a + b)


@given(a=views(), to=st.sampled_from([np.float32, np.float64, np.int64]))
@settings(max_examples=30, deadline=None)
def test_copy_between_layouts_and_types(a, to):
    source = f"using Source = {TYPES[a.dtype.type]};\n"
    kernel = template("copy", source + spec_of(to, a.ndim))
    target = np.zeros(a.shape[::-1], to).T  # column-major: neither side is contiguous
    out = uploaded(target)
    walk = (shape_of(a), strides_of(target), strides_of(a), a.size)
    kernel(grid_of(a.size, 64), 64, (out, uploaded(a), *walk))
    result = out.copy_to_host().reshape(a.shape[::-1]).T
    np.testing.assert_array_equal(result, a.astype(to))


@given(rows=sizes, columns=sizes)
@settings(max_examples=15, deadline=None)
def test_fill_of_every_other_column(rows, columns):
    whole = np.zeros((rows, 2 * columns), np.float32)
    view = whole[:, ::2]
    out = cuda.to_device(whole)
    kernel = template("fill", spec_of(np.float32, 2))
    walk = (shape_of(view), strides_of(view), view.size, np.float32(7))
    kernel(grid_of(view.size, 64), 64, (out, *walk))
    view[:] = 7
    np.testing.assert_array_equal(out.copy_to_host(), whole)


def reduced(a, dim, *, tile, group, along_rows, segment, start, broken=("", "")):
    """One launch of reduce.cu; (segments, outputs) cells when it needs several."""
    step = a.strides[dim] // a.itemsize
    kept = a[(slice(None),) * dim + (0,)]
    ndim = max(kept.ndim, 1)
    constants = {"TILE": tile, "GROUP": group, "ALONG_ROWS": int(along_rows)}
    kernel = template("reduce", spec_of(a.dtype.type, ndim, **constants), broken)
    segments = grid_of(a.shape[dim], segment)
    out = cuda.device_array((segments, kept.size), a.dtype)
    walk = (shape_of(kept), strides_of(kept), kept.size, a.shape[dim], step, segment)
    grid = (grid_of(kept.size, tile // group), segments)
    kernel(grid, tile, (out, uploaded(a), *walk, a.dtype.type(start)))
    return out.copy_to_host()


@given(a=views(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_reduce(a, data):
    dim = data.draw(st.integers(0, a.ndim - 1))
    group = data.draw(st.sampled_from([1, 2, 8, 32]))
    along_rows = data.draw(st.booleans())
    length = a.shape[dim]
    out = reduced(
        a, dim, tile=32, group=group, along_rows=along_rows, segment=length, start=5
    )
    np.testing.assert_array_equal(out[0], a.sum(dim).reshape(-1) + 5)


@given(length=st.integers(1, 5000), segment=st.integers(64, 1000))
@example(length=1, segment=64)
@example(length=4096, segment=512)
@settings(max_examples=25, deadline=None)
def test_reduce_in_two_passes(length, segment):
    a = np.arange(length, dtype=np.float64)
    shape = {"tile": 64, "group": 64, "along_rows": True, "start": 100}
    partial = reduced(a, 0, segment=segment, **shape)
    if len(partial) > 1:
        partial = reduced(partial, 0, segment=len(partial), **shape)
    assert partial.item() == a.sum() + 100


def test_reduce_of_nothing_is_the_start():
    constants = {"TILE": 32, "GROUP": 4, "ALONG_ROWS": 1}
    kernel = template("reduce", spec_of(np.float32, 1, **constants))
    out = cuda.device_array(3, np.float32)
    walk = (packed([3], 1), packed([0], 0), 3, 0, 1, 1, np.float32(5))
    kernel(1, 32, (out, None, *walk))
    np.testing.assert_array_equal(out.copy_to_host(), [5, 5, 5])


def multiplied(stem, a, b, broken=("", "")):
    """(batch, m, k) @ (batch, k, n) -> (batch, m, n)"""
    (batch, m, k), n = a.shape, b.shape[-1]
    kernel = template(stem, spec_of(a.dtype.type, 1, TILE=TILE), broken)
    out = cuda.device_array((batch, m, n), a.dtype)
    a_steps, b_steps = ([step // x.itemsize for step in x.strides] for x in (a, b))
    steps = (*a_steps[1:], *b_steps[1:])
    batches = (packed([batch], 1), packed(a_steps[:1], 0), packed(b_steps[:1], 0))
    kernel(
        (grid_of(n, TILE), grid_of(m, TILE), batch),
        (TILE, TILE),
        (out, uploaded(a), uploaded(b), m, n, k, *steps, *batches),
    )
    return out.copy_to_host()


@given(
    stem=st.sampled_from(["matmul_naive", "matmul_tiled"]),
    dtype=st.sampled_from([np.float32, np.float64]),
    m=sizes,
    n=sizes,
    k=sizes,
    batch=st.integers(1, 3),
    transposed=st.booleans(),
    one_b=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_matmul(stem, dtype, m, n, k, batch, transposed, one_b):
    a = (np.arange(batch * m * k) % 11 - 5).astype(dtype).reshape(batch, m, k)
    b = (np.arange(batch * k * n) % 7 - 3).astype(dtype).reshape(batch, k, n)
    if transposed:
        a = np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2)
    if one_b:
        b = np.broadcast_to(b[:1].copy(), b.shape)
    np.testing.assert_array_equal(multiplied(stem, a, b), a @ b)


def test_map_without_its_guard_is_out_of_bounds():
    a = np.ones(33, np.float32)
    kernel = template("map", spec_of(np.float32, 0), ("if (i >= size) return;", ""))
    out = cuda.device_array(a.shape, a.dtype)
    kernel(2, 32, (out, uploaded(a), shape_of(a), strides_of(a), a.size))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert caught.value.kind == "oob_global"
    assert caught.value.thread == (1, 0, 0)


def test_matmul_without_its_edge_is_out_of_bounds():
    a = np.ones((1, TILE + 1, TILE), np.float32)
    broken = ("row < m && first + tx < k ?", "true ?")
    with pytest.raises(cuda.KernelError) as caught:
        multiplied("matmul_tiled", a, a.swapaxes(1, 2).copy(), broken)
    assert caught.value.kind == "oob_global"


def test_reduce_with_a_barrier_in_a_branch_is_divergent():
    barrier = "__syncthreads();\n    if (member < half && member + half < givers) {"
    moved = "if (member < half && member + half < givers) {\n      __syncthreads();"
    with pytest.raises(cuda.KernelError) as caught:
        reduced(
            np.ones(64, np.float32),
            0,
            tile=64,
            group=64,
            along_rows=True,
            segment=64,
            start=0,
            broken=(barrier, moved),
        )
    assert caught.value.kind == "barrier_divergence"
