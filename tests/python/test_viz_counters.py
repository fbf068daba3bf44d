"""Tests of `viz.counters`: numbers of lines against arithmetic and the whole launch."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.line_metrics import METRICS
from minitorch.viz.views.counters.picture import percent

from .picture import check, words

pytestmark = pytest.mark.cuda

KERNEL = """__global__ void k(float* x, float* y) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[32 * i] = x[8 * i];
  __syncthreads();
  if (i < 8)
    y[i] = sinf(tile[i]) + atomicAdd(y + 64, 1.0f);
}"""
# Of line 4: 32 lanes read 32 sectors, and store to one bank in 32 passes.
# Of line 7: 8 lanes load one pass, write one sector, update one sector.


def counted(code: str, *arguments, **options) -> cuda.Launch:
    with cuda.inspect(**options) as run:
        cuda.RawKernel(code, "k")[1, 32](*arguments)
    return run.launches[0]


@pytest.fixture(scope="module")
def launch() -> cuda.Launch:
    x = cuda.to_device(np.ones(256, np.float32))
    return counted(KERNEL, x, cuda.to_device(np.zeros(65, np.float32)))


def shown(figure: viz.Figure) -> dict[int, str]:
    """The number behind each line, as the picture has it."""
    found = re.findall(r'data-at="num(\d+)"[^>]*>([^<]*)<', figure.svg())
    return {int(line): words for line, words in found}


def test_sectors_of_lines(launch):
    figure = viz.counters(launch, "sectors")
    assert shown(figure)[4] == "32 · 94 %"
    assert shown(figure)[7] == "2 · 6 %"
    assert figure.answer == "Line 4 asks for 94 % of the sectors."
    assert figure.detail.startswith("34 sectors in the whole launch.")


def test_sectors_of_a_request(launch):
    figure = viz.counters(launch, "sectors_per_request")
    assert shown(figure)[4] == "32"
    assert shown(figure)[7] == "1"
    assert figure.answer == "Line 4 asks for 32 sectors a request."


def test_passes_and_conflicts(launch):
    assert shown(viz.counters(launch, "passes"))[4].startswith("32 ·")
    figure = viz.counters(launch, "conflicts")
    assert shown(figure)[4] == "31 · 100 %"
    assert figure.answer == "Line 4 makes 100 % of the bank conflicts."


def test_threads_of_an_instruction(launch):
    figure = viz.counters(launch, "lanes")
    assert shown(figure)[4] == "32"
    assert float(shown(figure)[7]) <= 8


def test_barriers_and_nothing(launch):
    assert shown(viz.counters(launch, "barriers"))[5] == "1 · 100 %"
    figure = viz.counters(launch, "flops_f64")
    assert figure.answer == "No line of k has flops_f64."
    assert set(shown(figure).values()) == {""}


@pytest.mark.parametrize("name", list(METRICS))
def test_lines_add_up_to_the_launch(launch, name):
    metric, data = METRICS[name], viz.counters(launch, name).data
    if metric.below is None:
        lines = sum(data.value(metric, line) for line in data.lines)
        assert lines + data.rest(metric) == metric.of(launch.counters)


def test_bytes_and_instructions_are_the_launch_s(launch):
    assert METRICS["bytes"].of(launch.counters) == 34 * 32
    expected = launch.counters["ptx_warp_instructions"]
    assert METRICS["instructions"].of(launch.counters) == expected


def test_code_in_a_header_is_told(launch):
    """A function of another file that is called, and not inlined, is elsewhere."""
    code = '#line 1 "other.cuh"\n__device__ __noinline__ float twice(float x) {\n'
    code += "  return x * x;\n}\n"
    code += '#line 1 "k.cu"\n__global__ void k(float* x) {\n  int i = threadIdx.x;\n'
    code += "  float v = x[i];\n  v = v + 1;\n  x[i] = twice(v);\n}"
    figure = viz.counters(counted(code, cuda.device_array(32, "float32")), "flops")
    assert "of them in code of other files" in figure.detail
    assert figure.data.rest(METRICS["flops"]) == 32


def test_a_counter_by_both_names(launch):
    nsight = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    one, other = (
        viz.counters(launch, "global_load_sectors"),
        viz.counters(launch, nsight),
    )
    assert shown(one) == shown(other)
    assert shown(one)[4] == "32 · 100 %"
    assert nsight in one.svg()


def test_a_python_kernel_s_lines():
    @cuda.jit
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    with cuda.inspect() as run:
        scale[1, 32](cuda.to_device(np.ones(32, np.float32)))
    first = scale.py_func.__code__.co_firstlineno
    figure = viz.counters(run.launches[0], "sectors")
    assert shown(figure)[first + 4] == "8 · 100 %"  # 4 loaded, 4 stored
    assert max(shown(figure)) == first + 4, "the return is in the function"
    assert "cuda.grid(1)" in figure.svg()


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.0, "all"), (0.9999, "99 %"), (0.5, "50 %"), (0.004, "less than 1 %"),
     (0.0, "none")],
)  # fmt: skip
def test_shares_in_words(share, words):
    assert percent(share) == words


def test_names_and_code_are_escaped():
    code = KERNEL.replace("int i", '/* <b>&" */ int i')
    x = cuda.to_device(np.full(256, np.nan, np.float32))
    y = cuda.to_device(np.full(65, np.inf, np.float32))
    figure = viz.counters(counted(code, x, y))
    assert "<b>" not in figure.svg()
    assert "&lt;b&gt;" in figure.svg()


def test_bad_input(launch):
    with pytest.raises(TypeError, match=r"\[viz.counters\] got int; need one launch"):
        viz.counters(3)
    with pytest.raises(TypeError, match="got metric int; need a name"):
        viz.counters(launch, 7)
    with pytest.raises(
        ValueError, match="got metric 'speed'; need one of instructions"
    ):
        viz.counters(launch, "speed")
    with pytest.raises(TypeError, match="got source int"):
        viz.counters(launch, source=5)
    x, y = (cuda.to_device(np.zeros(256, np.float32)) for _ in range(2))
    with pytest.raises(ValueError, match="was not counted; need one"):
        viz.counters(counted(KERNEL, x, y, counters=False))


def test_inlined_code_of_another_file_counts_where_it_is_called():
    code = """#line 1 "/minitorch/parts.h"
__device__ __forceinline__ float cube(float v) { return v * v * v; }
#line 3 "k.cu"
__global__ void k(float* x) {
  int i = threadIdx.x;
  x[i] = cube(x[i]);
}"""
    launch = counted(code, cuda.to_device(np.ones(32, np.float32)))
    rows = {(row.file.rsplit("/")[-1], row.line) for row in launch.counters.by_line()
            if row["flops_f32"]}  # fmt: skip
    assert rows == {("parts.h", 1)}  # without this there were nothing to test
    figure = viz.counters(launch, "flops")
    assert figure.answer == "Line 5 does 100 % of the arithmetic."
    assert shown(figure)[5] == f"{2 * 32} · 100 %"


def test_of_many_lines_the_heaviest_are_drawn():
    light = "\n".join(f"  x[{at}] = {at};" for at in range(100))
    heavy = "for (int n = 0; n < 50; n++) atomicAdd(x + n, n);"
    code = f"__global__ void k(int* x) {{\n{light}\n  {heavy}\n}}"
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 1](cuda.to_device(np.zeros(100, np.int32)))
    figure = viz.counters(run.launches[0], "instructions")
    check(figure)
    assert figure.answer.startswith("Line 102 runs ")
    assert heavy.split(";")[0] in "".join(words(figure))
    (more,) = [each for each in words(figure) if each.endswith("more lines")]
    drawn = shown(figure)
    assert 102 in drawn
    # Lines that are drawn, and the rest, are all that were counted.
    assert len(drawn) + int(more.split()[2]) == len(figure.data.lines)


def test_the_line_in_focus_has_all_its_counters_beside(launch):
    """By hand, of line 4: 32 sectors in one load, and a store in 32 passes."""
    figure = viz.counters(launch, "sectors")
    told = dict(re.findall(r'data-at="(line|own\d+)"[^>]*>([^<]*)<', figure.svg()))
    assert told["line"] == "line 4"
    own = dict(zip(METRICS, (told[f"own{at}"] for at in range(10)), strict=True))
    assert own["sectors"] == "32"
    assert own["sectors_per_request"] == "32"
    assert own["bytes"] == "1,024"
    assert (own["passes"], own["conflicts"]) == ("32", "31")
    assert own["barriers"] == own["divergent"] == "·"
    (ring,) = re.findall(r'y="([\d.-]+)"[^>]*data-at="focus"', figure.svg())
    (row,) = re.findall(r'y="([\d.-]+)"[^>]*data-at="row4"', figure.svg())
    assert ring == row


@cuda.jit
def rests(x, y):
    # Its header's functions run more instructions than its own lines.
    i = cuda.grid(1)
    y[i] = x[i] // 3 + x[i] % 7 + (x[i] + 1) // 5 + (x[i] + 2) % 11


def rests_launch(**options) -> cuda.Launch:
    with cuda.inspect(trace=True, **options) as run:
        x = cuda.to_device(np.arange(32, dtype=np.int64))
        rests[1, 32](x, cuda.device_array(32, "int64"))
    return run.launches[0]


def test_the_main_file_is_the_kernel_s_own_not_the_busiest_header():
    launch = rests_launch(debug=True)
    assert launch.source_file == __file__
    header = [row for row in launch.counters.by_line() if row.file != __file__]
    own = [row for row in launch.counters.by_line() if row.file == __file__]
    work = [sum(row["ptx_warp_instructions"] for row in rows) for rows in (header, own)]
    assert work[0] > work[1], "the test has to have a busy header"
    figure = viz.counters(launch)
    first = rests.py_func.__code__.co_firstlineno
    assert figure.data.file == __file__
    assert set(figure.data.lines) <= {first, first + 1, first + 3, first + 4}
    assert figure.answer.startswith(f"Line {first + 4} runs ")
    assert f"{work[0]:,} of them in code of other files" in figure.detail
    data = viz.step(launch).data
    assert data.file == __file__


def test_the_same_for_headers_of_a_kernel_in_cuda_cpp():
    code = '#line 1 "busy.cuh"\n__device__ __noinline__ float busy(float x) {\n'
    code += "  for (int i = 0; i < 9; i++) x = x * x + i;\n  return x;\n}\n"
    code += '#line 1 "k.cu"\n__global__ void k(float* x) {\n'
    code += "  x[threadIdx.x] = busy(x[threadIdx.x]);\n}"
    launch = counted(code, cuda.device_array(32, "float32"))
    assert launch.source_file.endswith("k.cu")
    assert viz.counters(launch).data.file == launch.source_file


def test_bytes_of_a_debug_build_are_called_so():
    debug, normal = rests_launch(debug=True), rests_launch()
    figure = viz.counters(debug, "bytes")
    check(figure)
    counters = debug.counters
    local = 32 * (counters["local_load_sectors"] + counters["local_store_sectors"])
    assert local > 0
    assert f"{local:,} of them are local memory, where this debug build" in (
        figure.detail
    )
    assert "Bytes of a debug build" in words(figure)
    assert any("debug build" in each for each in words(figure))
    assert "This is a debug build, not optimised" in viz.counters(debug).detail
    for metric in ("bytes", "instructions"):
        assert "debug" not in viz.counters(normal, metric).svg()
