"""The tests of what findings say of Python kernels: lines, variables, indices."""

from __future__ import annotations

import gc
import linecache
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

HERE = Path(__file__).name


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell the place of a fault")


def line_of(mark):
    """Number of the line of this file that ends with `# mark`."""
    text = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if line.endswith(f"  # {mark}"))


def fault():
    """The KernelError of what was launched."""
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    return caught.value


@cuda.jit
def copy(out, x):
    i = cuda.grid(1)
    out[i] = x[i]  # copy


@cuda.jit
def fill(x):
    i, j = cuda.grid(2)
    x[i, j] = 1  # fill


def test_an_index_past_the_end_is_told_whole():
    out, x = cuda.device_array(32), cuda.to_device(np.ones(17))
    copy[1, 32](out, x)  # launch
    error = fault()
    assert str(error) == (
        "[copy] out-of-bounds read: x[i] with i = 17, but x has 17 elements "
        f"({HERE}:{line_of('copy')}, thread (17,0,0) of block (0,0,0)), launched at "
        f"{HERE}:{line_of('launch')}. Guard the access: if i < x.size: ..."
    )
    assert (error.file, error.line) == (__file__, line_of("copy"))
    assert (error.kind, error.kernel) == ("oob_global", "copy")
    assert (error.block, error.thread) == ((0, 0, 0), (17, 0, 0))
    assert error.allocation is not None
    assert (error.allocation.label, error.allocation.parameter) == ("x", 1)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_negative_index_is_told_as_it_was_written():
    @cuda.jit
    def shift(x):
        i = cuda.threadIdx.x - 12
        x[i] = 1

    shift[1, 8](cuda.device_array(8))
    message = str(fault())
    assert "x[i] with i = -12, but x has 8 elements" in message
    assert "if i >= 0: ... (indices from -1 down to -8 count from the end)" in message


@pytest.mark.parametrize(
    ("make", "block", "index", "shape"),
    [
        (lambda: np.ones((4, 3)), (5, 3), (4, 0), (4, 3)),
        (lambda: np.ones((4, 3), order="F"), (4, 4), (0, 3), (4, 3)),
        (lambda: np.ones((1, 7)), (2, 7), (1, 0), (1, 7)),
    ],
)
def test_indices_of_two_dimensions(make, block, index, shape):
    fill[1, block](cuda.to_device(make()))
    message = str(fault())
    i, j = index
    expected = f"write: x[i, j] with i = {i}, j = {j}, but x has shape {shape} ("
    assert expected in message
    assert "uard the access: if i < x.shape[0] and j < x.shape[1]: ..." in message


@pytest.mark.parametrize(
    ("subscript", "told"),
    [
        ("x[40]", "x[40], but x has 32 elements"),
        ("x[2 * i + 1]", "x[2 * i + 1] with 2 * i + 1 = 33, but x has"),
        ("x[i + x.size]", "x[i + x.size] with i + x.size = 32, but x has"),
    ],
)
def test_subscripts_as_written(subscript, told, tmp_path):
    kernel = kernel_of(
        f"@cuda.jit\ndef f(x):\n    i = cuda.threadIdx.x\n    {subscript} = 1\n",
        tmp_path / "lesson.py",
    )
    kernel[1, 32](cuda.device_array(32))
    message = str(fault())
    assert told in message
    assert "(lesson.py:4, " in message


def kernel_of(text, path):
    path.write_text(text)
    names = {"cuda": cuda}
    exec(compile(text, str(path), "exec"), names)
    return names["f"]


def test_two_kernels_of_one_name_keep_their_files(tmp_path):
    text = "@cuda.jit\ndef f(x):\n    x[9] = 1\n"
    first = kernel_of(text, tmp_path / "first.py")
    second = kernel_of("\n\n" + text, tmp_path / "second.py")
    x = cuda.device_array(2)
    places = []
    for kernel in (first, second, first):
        kernel[1, 1](x)
        error = fault()
        places.append((Path(error.file).name, error.line))
    assert places == [("first.py", 3), ("second.py", 5), ("first.py", 3)]


def test_a_device_function_tells_its_caller():
    @cuda.jit(device=True)
    def pick(values, k):
        return values[k]  # pick

    @cuda.jit
    def gather(out, x):
        i = cuda.grid(1)
        out[i] = pick(x, i + 1)  # gather

    gather[1, 8](cuda.device_array(8), cuda.to_device(np.ones(8)))
    error = fault()
    assert error.line == line_of("pick")
    assert error.call_chain == ((__file__, line_of("gather")),)
    assert f"{HERE}:{line_of('pick')}, called from {HERE}:{line_of('gather')}, " in str(
        error
    )
    assert "values[k] with k = 8, but values has 8 elements (" in str(error)


def test_atomics_tell_the_line_and_index():
    @cuda.jit
    def count(bins, x):
        i = cuda.grid(1)
        cuda.atomic.add(bins, x[i], 1)  # count

    count[1, 4](cuda.to_device(np.zeros(3, np.int32)), cuda.to_device(np.arange(4)))
    error = fault()
    assert (error.access, error.line) == ("atomic", line_of("count"))
    assert "bins[x[i]] with x[i] = 3, but bins has 3 elements (" in str(error)


def test_a_race_names_both_subscripts():
    @cuda.jit
    def neighbours(out):
        tile = cuda.shared.array((2, 16), cuda.float32)
        i = cuda.threadIdx.x
        tile[1, i] = i  # first
        out[i] = tile[1, 15 - i]  # second

    neighbours[1, 16](cuda.device_array(16))
    error = fault()
    assert error.kind == "race_shared"
    assert {error.line, error.other.line} == {line_of("first"), line_of("second")}
    message = str(error)
    assert "[neighbours] race on tile[1, " in message
    assert f"writes it at {HERE}:{line_of('first')} (tile[1, i])" in message
    assert f"reads it at {HERE}:{line_of('second')} (tile[1, 15 - i])" in message
    # The block is one warp.
    assert "put cuda.syncthreads() between them; the block is one warp, so " in message


def test_a_pair_within_one_of_several_warps_does_not_ask_for_syncwarp_alone():
    @cuda.jit
    def sum_by_the_first(out):
        board = cuda.shared.array(64, cuda.float32)
        t = cuda.threadIdx.x
        board[t] = t
        if t == 0:
            for k in range(64):
                out[0] += board[k]

    with cuda.inspect() as run:
        sum_by_the_first[1, 64](cuda.to_device(np.zeros(1, np.float32)))
    (race,) = run.launches[0].findings
    # The first pair is threads 0 and 1; warp 1 writes half of the cells.
    assert race.finding.site.thread[0] < 32
    assert race.finding.other.thread[0] < 32
    assert (
        "Same block: put cuda.syncthreads() between them, or cuda.syncwarp() where "
        "only threads of one warp share the data"
    ) in str(race)


def test_a_barrier_that_some_threads_miss():
    @cuda.jit
    def halves(x):
        if cuda.threadIdx.x < 10:
            cuda.syncthreads()  # barrier
        x[cuda.threadIdx.x] = 1

    halves[1, 64](cuda.device_array(64))
    error = fault()
    assert (error.kind, error.line) == ("barrier_divergence", line_of("barrier"))
    assert "Move cuda.syncthreads() out of the if or loop" in str(error)


def test_values_that_nobody_has_written():
    @cuda.jit
    def half(x):
        tile = cuda.shared.array(64, cuda.float64)
        i = cuda.threadIdx.x
        if i < 32:
            tile[i] = 1
        cuda.syncthreads()
        x[i] = tile[i]  # tile

    half[1, 64](cuda.device_array(64))
    error = fault()
    assert (error.kind, error.line) == ("uninit_shared", line_of("tile"))
    assert "read of tile[32], which nobody has written: " in str(error)
    assert "tile[i] with i = 32 (32 times)" in str(error)
    copy[1, 4](cuda.device_array(4), cuda.device_array(4))
    message = str(fault())
    assert "x[i] with i = 0 (4 times)" in message
    assert "Fill the array first: cuda.device_array() has no values" in message


def test_dynamic_shared_memory_that_was_not_given():
    @cuda.jit
    def dynamic(x):
        tile = cuda.shared.array(0, cuda.float32)
        tile[cuda.threadIdx.x] = 1
        x[0] = tile[0]

    dynamic[1, 1](cuda.device_array(1))
    message = str(fault())
    assert "The launch gave the block no dynamic shared memory" in message
    assert "kernel[grid, block, stream, size]" in message


def test_a_cell_of_a_notebook(monkeypatch):
    text = "def f(x):\n    x[5] = 1\n"
    name = "/tmp/ipykernel_77/123.py"
    shell = types.SimpleNamespace(
        compile=types.SimpleNamespace(_filename_map={name: 3})
    )
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(
        linecache.cache, name, (len(text), None, text.splitlines(True), name)
    )
    names = {"cuda": cuda}
    exec(compile(text, name, "exec"), names)
    cuda.jit(names["f"])[1, 1](cuda.device_array(2))
    error = fault()
    assert "x[5], but x has 2 elements (cell [3]:2, " in str(error)
    assert "ipykernel" not in str(error)


def test_inspections_show_the_lines_of_python():
    x = cuda.to_device(np.ones(32))
    with cuda.inspect(trace=True) as run:
        copy[1, 32](cuda.device_array(32), x)
    (launch,) = run.launches
    assert launch.kernel == "copy"
    rows = {(row.file, row.line): row for row in launch.counters.by_line()}
    row = rows[__file__, line_of("copy")]
    assert row["global_load_sectors"] == 8
    assert row["global_store_sectors"] == 8
    assert line_of("copy") in launch.trace.line
    assert set(launch.trace.file) == {__file__}
    assert f"{HERE}:{line_of('copy')}" in launch.counters.table(by_line=True)


def test_inspections_count_headers_for_the_line_that_uses_them():
    @cuda.jit
    def last(x):
        i = cuda.threadIdx.x
        cuda.atomic.max(x, i - 4, 1.0)  # atomic

    with cuda.inspect() as run:
        last[1, 4](cuda.to_device(np.zeros(4)))
    (launch,) = run.launches
    rows = launch.counters.by_line()
    assert {row.file for row in rows} == {__file__}
    assert (
        sum(row["ptx_warp_instructions"] for row in rows)
        == (launch.counters["ptx_warp_instructions"])
    )


def test_last_findings_speak_python_too():
    copy[1, 32](cuda.device_array(32), cuda.to_device(np.ones(17)))
    fault()
    (finding,) = [each for each in cuda.last_findings() if each.severity == "error"]
    assert finding.site.line == line_of("copy")
    assert "x[i] with i = 17, but x has" in finding.message


def test_a_kernel_that_is_gone_is_still_known():
    def made():
        @cuda.jit
        def gone(x):
            x[3] = 1

        return gone

    made()[1, 1](cuda.device_array(2))
    gc.collect()
    assert "x[3], but x has 2 elements" in str(fault())


def test_an_array_in_a_tuple_is_known():
    @cuda.jit
    def copy_pair(pair):
        i = cuda.grid(1)
        pair[0][i] = pair[1][i]

    copy_pair[1, 8]((cuda.device_array(8), cuda.to_device(np.zeros(4))))
    assert "pair[1][i] with i = 4, but pair[1] has 4 elements" in str(fault())


def test_a_row_of_an_array_is_told_as_the_kernel_calls_it():
    @cuda.jit
    def second_row(m):
        row = m[1]
        row[cuda.threadIdx.x + 5] = 1

    second_row[1, 1](cuda.to_device(np.zeros((2, 4))))
    message = str(fault())
    index = "cuda.threadIdx.x + 5"
    assert f"row[{index}] with {index} = 5, but row has 4 elements (" in message


@cuda.jit
def rest_of(x, by):
    x[0] = x[0] % by


@cuda.jit
def quotient(x, by):
    x[0] //= by


@pytest.mark.parametrize(("kernel", "sign"), [(rest_of, "%"), (quotient, "//")])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
def test_a_division_by_zero_is_told_by_the_sign_in_the_source(kernel, sign, dtype):
    kernel[1, 1](cuda.to_device(np.ones(1, dtype)), dtype(0))
    said = str(fault()).partition(": ")[0]
    assert said == f"[{kernel.__name__}] integer division by zero ({sign})"


@cuda.jit
def over_three_lines(x, y, out):
    i = cuda.grid(1)
    out[i] = (
        x[i] + y[i] + x[i + 5]  # third
    )


def test_the_line_is_that_of_the_subscript():
    x = cuda.to_device(np.ones(8))
    over_three_lines[1, 8](x, x, cuda.device_array(8))
    error = fault()
    assert (
        f"x[i + 5] with i + 5 = 8, but x has 8 elements ({HERE}:{line_of('third')}, "
        in str(error)
    )
    assert error.line == line_of("third")


@cuda.jit
def remainders(out, stride):
    i = cuda.grid(1)
    j = i + 1
    if i % stride == 0:  # divides
        out[i] = j


def test_a_division_in_a_condition_is_at_its_own_line():
    remainders[1, 8](cuda.device_array(8), 0)
    assert fault().line == line_of("divides")


@cuda.jit
def half_filled(x, out):
    mine = cuda.local.array(4, np.float64)
    i = cuda.grid(1)
    mine[0] = x[i]
    total = mine[0]
    total += mine[2]  # first read
    if total > 3:
        out[i] = 1


def test_a_local_array_is_told_where_it_is_first_read():
    half_filled[1, 8](cuda.to_device(np.ones(8)), cuda.device_array(8))
    error = fault()
    assert (error.kind, error.line) == ("uninit_local", line_of("first read"))
    assert "mine[2]" in str(error)


@cuda.jit
def item_of_a_tuple(out):
    i = cuda.grid(1)
    pair = (1.0, 2.0)
    out[i] = pair[i]


def test_an_index_into_a_tuple_is_checked():
    item_of_a_tuple[1, 3](cuda.device_array(3))
    assert "pair[i] with i = 2, but pair has 2 elements" in str(fault())


@cuda.jit
def wait_for_ever(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:  # waits
        pass


def test_lines_within_the_sentence_are_the_files():
    wait_for_ever[1, 32](cuda.to_device(np.zeros(1, np.int32)))
    assert f"32 running at line {line_of('waits')}: " in str(fault())


def one_index(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1


def one_index_computed(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i + 1] = 1


def one_index_read(out):
    i = cuda.grid(1)
    if i < out.size:
        row = out[i]
        row[0] = 1


def two_indices_in_turn(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i][0] = 1


def two_indices(out):
    i = cuda.grid(1)
    if i < out.size:
        out[0, i] = 1


def sliced(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i, :] = 1


A_ROW = "'out' has 2 dimensions: out[i] is a row, out[row, column] one element. "
BY_ROWS = "Guard the access: if i < out.shape[0]: ..."


@pytest.mark.parametrize(
    ("kernel", "shape", "said"),
    [
        (one_index, (2, 5), A_ROW + BY_ROWS),
        (one_index_read, (2, 5), A_ROW + BY_ROWS),
        (two_indices_in_turn, (2, 5), A_ROW + BY_ROWS),
        (sliced, (2, 5), BY_ROWS),
        (
            one_index_computed,
            (2, 5),
            A_ROW.replace("[i]", "[i + 1]")
            + "Guard the access with the array's shape, or check the grid.",
        ),
        (
            one_index,
            (2, 5, 5),
            "'out' has 3 dimensions: out[i] is a part, not one element. " + BY_ROWS,
        ),
        (
            two_indices,
            (2, 3, 5),
            "'out' has 3 dimensions: out[0, i] is a part, not one element. "
            "Guard the access with the array's shape, or check the grid.",
        ),
    ],
)
def test_an_array_with_more_dimensions_than_indices_is_guarded_by_its_shape(
    kernel, shape, said
):
    cuda.jit(kernel)[1, 32](cuda.to_device(np.zeros(shape)))
    message = str(fault())
    assert message.endswith(f". {said}")
    assert ".size" not in message


@cuda.jit
def swapped(x, out):
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[column, row] = x[row, column]


def test_a_guarded_kernel_is_asked_whether_its_indices_are_swapped():
    swapped[1, (8, 8)](cuda.to_device(np.ones((5, 8))), cuda.device_array((5, 8)))
    message = str(fault())
    assert (
        "column = 5 fits dimension 1 (8): are column and row swapped? If not, guard"
        in message
    )


@cuda.jit
def filter_never_filled(a, out):
    weight = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    total = np.float32(0)
    for k in range(8):
        total += a[k] * weight[k]  # weight
    out[t] = total


@pytest.mark.parametrize(
    ("kernel", "kind", "mark"),
    [
        (filter_never_filled, "uninit_shared", "weight"),
        (copy, "oob_global", "copy"),
    ],
)
def test_a_launch_has_the_same_findings_inspected_or_not(kernel, kind, mark):
    """Among them reads of what nobody wrote, which NVRTC leaves out."""
    a, out = cuda.to_device(np.ones(17, np.float32)), cuda.device_array(32, np.float32)
    launched = kernel[1, 32 if kernel is copy else 8]
    first, second = (out, a) if kernel is copy else (a, out)
    launched(first, second)  # launched
    error = fault()
    with cuda.inspect() as run:
        launched(first, second)  # inspected
    found = run.findings[0]
    assert (found.kind, found.line) == (kind, line_of(mark))
    message = str(error).partition("] ")[2]
    launched_at, inspected_at = (
        f"launched at {HERE}:{line_of(each)}." for each in ("launched", "inspected")
    )
    assert str(found) == message.replace(launched_at, inspected_at)
    assert f"{HERE}:{error.line}" in str(error)
