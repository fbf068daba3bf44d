"""The tests of cpp/kernels as user kernels: what no op of the library asks for.

Each template is compiled from its file with a spec of its own and launched as the
file's header says, under all checks. NumPy is the reference.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
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
def template(stem, spec, broken=("", "")):
    files = [FOLDER / f"{stem}.cu", *FOLDER.glob("*.cuh")]
    texts = {path.name: path.read_text() for path in files}
    assert any(broken[0] in text for text in texts.values())
    texts = {name: text.replace(*broken, 1) for name, text in texts.items()}
    texts["spec.cuh"] = "#pragma once\n" + spec
    module = cuda.RawModule(code=texts.pop(f"{stem}.cu"), headers=texts)
    return module.get_function(stem)


def spec_of(dtype, ndim, wide=False, **constants):
    lines = [
        f"using Scalar = {TYPES[dtype]};",
        f"using Index = {'long long' if wide else 'int'};",
        f"constexpr int NDIM = {ndim};",
        *(f"constexpr int {name} = {value};" for name, value in constants.items()),
        FUNCTIONS,
    ]
    return "\n".join(lines)


def packed(values, fill):
    """A Shape or Strides struct."""
    numbers = np.full(MAX_DIMS, fill, np.int64)
    numbers[: len(values)] = values
    return np.frombuffer(numbers.tobytes(), [("at", np.int64, MAX_DIMS)])[0]


def shape_of(a):
    return packed(a.shape, 1)


def strides_of(a):
    return packed([step // a.itemsize for step in a.strides], 0)


def uploaded(a):
    """The memory under a view, from its first element on."""
    base = a
    while base.base is not None:
        base = base.base
    return cuda.to_device(base.reshape(-1))


@st.composite
def views(draw, dtypes=(np.float32, np.float64)):
    """An array of 1 to 4 dimensions: contiguous, transposed or broadcast."""
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    array = np.array(random.integers(-9, 9, shape), dtype)
    array = array.transpose(draw(st.permutations(range(len(shape)))))
    if draw(st.booleans()):
        array = np.broadcast_to(array, (draw(st.integers(1, 3)), *array.shape))
    return array


def flat(a):
    return a.flags.c_contiguous


def grid_of(count, block):
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


def reduced(a, dim, *, tile, group, along_rows, start):
    """One launch of reduce.cu, which sums each line in one segment."""
    step = a.strides[dim] // a.itemsize
    kept = a[(slice(None),) * dim + (0,)]
    ndim = max(kept.ndim, 1)
    constants = {"TILE": tile, "GROUP": group, "ALONG_ROWS": int(along_rows)}
    kernel = template("reduce", spec_of(a.dtype.type, ndim, **constants))
    length = a.shape[dim]
    out = cuda.device_array(kept.size, a.dtype)
    walk = (shape_of(kept), strides_of(kept), kept.size, length, step, length)
    kernel(
        grid_of(kept.size, tile // group),
        tile,
        (out, uploaded(a), *walk, a.dtype.type(start)),
    )
    return out.copy_to_host()


@given(a=views(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_reduce(a, data):
    dim = data.draw(st.integers(0, a.ndim - 1))
    group = data.draw(st.sampled_from([1, 2, 8, 32]))
    along_rows = data.draw(st.booleans())
    out = reduced(a, dim, tile=32, group=group, along_rows=along_rows, start=5)
    np.testing.assert_array_equal(out, a.sum(dim).reshape(-1) + 5)


def multiplied(stem, a, b):
    """(batch, m, k) @ (batch, k, n) -> (batch, m, n)"""
    (batch, m, k), n = a.shape, b.shape[-1]
    kernel = template(stem, spec_of(a.dtype.type, 1, TILE=TILE))
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


def philox(seed, counter):
    """Philox 4x32-10, from the paper: Salmon et al. (2011)."""
    c, key = (
        [counter & 0xFFFFFFFF, counter >> 32, 0, 0],
        [seed & 0xFFFFFFFF, seed >> 32],
    )
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (p1 >> 32) ^ c[1] ^ key[0],
            p1 & 0xFFFFFFFF,
            (p0 >> 32) ^ c[3] ^ key[1],
            p0 & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return c


def uniform(seed, first, count):
    found = []
    for block in range(-(-count // 2)):
        a, b, c, d = philox(seed, first + block)
        found += [((a << 32 | b) >> 11) * 2.0**-53, ((c << 32 | d) >> 11) * 2.0**-53]
    return np.array(found)


@pytest.mark.parametrize("size", [1, 2, 33, 65])
def test_random(size):
    seed, first = np.uint64(2**40 + 7), np.uint64(2**33 + 5)
    numbers = uniform(int(seed), int(first), size)
    radius = np.sqrt(-2 * np.log(1 - numbers[::2]))
    angle = 2 * np.pi * numbers[1::2]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).ravel()
    for normal, expected in (("false", numbers), ("true", pairs)):
        spec = f"constexpr bool NORMAL = {normal};\n" + spec_of(np.float64, 1, TILE=32)
        out = cuda.device_array(size, np.float64)
        kernel = template("random", spec)
        kernel(grid_of(size, 64), 32, (out, seed, first, None, size))
        np.testing.assert_allclose(
            out.copy_to_host(), expected[:size], rtol=1e-13, atol=1e-14
        )


NOTE = np.dtype(
    [
        ("state", np.uint32),
        ("rule", np.uint32),
        ("value", np.int64),
        ("real", np.float64),
        ("position", np.int64),
        ("size", np.int64),
    ]
)


def test_a_note_that_all_may_write_is_a_race():
    broken = ("  if (atomicCAS(&note->state, 0u, 1u) != 0u) return;", "")
    flags = "using Source = long long;\nconstexpr bool IGNORED = false;\n"
    kernel = template("check_index", flags + spec_of(np.int64, 1), broken)
    index = np.full(64, 9)
    note = cuda.to_device(np.zeros(1, NOTE).view(np.uint64))
    walk = (shape_of(index), strides_of(index), 64)
    limits = (np.int64(0), np.int64(5), np.int64(0), note, np.uint32(3))
    out = cuda.device_array(64, np.int64)
    kernel(2, 32, (out, cuda.to_device(index), *walk, *limits))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert "race" in caught.value.kind


def test_a_sum_without_its_last_barrier_is_a_race():
    sum_of_all = "  const Scalar sum = partial[0];"
    names = ("WEIGHT", "BIAS", "AFFINE_OF_CELLS", "RUNNING")
    flags = "".join(f"constexpr bool {name} = false;\n" for name in names)
    spec = f"using Source = double;\n{flags}" + spec_of(np.float64, 1, TILE=32)
    broken = (f"{sum_of_all}\n  __syncthreads();", sum_of_all)
    kernel = template("standardise", spec, broken)
    out = [cuda.device_array(n, np.float64) for n in (264, 1, 1, 1)]
    x = cuda.to_device(np.arange(264.0))
    kernel(1, 32, (*out, x, *[None] * 4, 8, 1, 33, 0.5, 0.0, 1.0, 1.0))
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    assert "race" in caught.value.kind
