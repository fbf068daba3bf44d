"""The tests of `%%cuda` and `%%cu` in IPython's shell."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.tools import nvcc, program_cell

from .nvcc_marks import needs_nvcc
from .source_tree import ROOT

pytestmark = pytest.mark.cuda
interactiveshell = pytest.importorskip("IPython.core.interactiveshell")

PUT = "%%cuda\n__global__ void put(int* x, int v) { *x = v; }"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # IPython's own
        made = interactiveshell.InteractiveShell()
        made.run_line_magic("load_ext", "minitorch")
        yield made
        made.history_manager.end_session()


def run(shell, text: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error", cuda.KernelWarning)
        return shell.run_cell(text, store_history=True)


def value_by(kernel: cuda.RawKernel, *more: object) -> int:
    x = cuda.device_array(1, np.int32)
    kernel[1, 1](x, *more)
    return int(x.copy_to_host()[0])


def test_kernels_become_variables(shell, capsys):
    run(shell, PUT + "\n__global__ void one(int* x) { *x = 1; }").raise_error()
    assert isinstance(shell.user_ns["put"], cuda.Kernel)
    assert value_by(shell.user_ns["put"], 42) == 42
    assert value_by(shell.user_ns["one"]) == 1
    told = capsys.readouterr().out
    assert "put: put(int*, int)" in told
    assert "one: one(int*)" in told


def test_cells_see_the_kernels(shell):
    run(shell, PUT).raise_error()
    run(
        shell,
        "from minitorch import cuda\nx = cuda.device_array(1, 'int32')\n"
        "put(1, 1, (x, 7))\nfound = x.copy_to_host()[0]",
    ).raise_error()
    assert shell.user_ns["found"] == 7


def test_name_of_the_extension(shell):
    shell.run_line_magic("reload_ext", "minitorch")
    shell.run_line_magic("load_ext", "minitorch.cuda")
    run(shell, PUT).raise_error()
    assert value_by(shell.user_ns["put"], 1) == 1


def test_second_run_replaces(shell):
    run(shell, PUT).raise_error()
    run(shell, PUT.replace("= v", "= v + 1")).raise_error()
    assert value_by(shell.user_ns["put"], 42) == 43


def test_options_and_name_of_the_module(shell):
    cell = "\n__constant__ int bias;\n__global__ void put(int* x) { *x = N + bias; }"
    run(shell, "%%cuda -DN=41 --name mod" + cell).raise_error()
    assert value_by(shell.user_ns["put"]) == 41
    module = shell.user_ns["mod"]
    assert isinstance(module, cuda.RawModule)
    assert value_by(module.get_function("put")) == 41


def test_templates(shell, capsys):
    cell = "\ntemplate <class T>\n__global__ void fill(T* x, T v) { *x = v; }"
    run(shell, "%%cuda" + cell).raise_error()
    assert "fill: a template; try %%cuda --instance 'fill<float>'" in (
        capsys.readouterr().out
    )
    run(shell, "%%cuda --instance 'fill<int>'" + cell).raise_error()
    assert value_by(shell.user_ns["fill_int"], 3) == 3


def test_cooperative(shell):
    cell = """%%cuda --cooperative
    #include <cooperative_groups.h>
    __global__ void wait(int* x) {
      if (blockIdx.x == 1) *x = 5;
      cooperative_groups::this_grid().sync();
      if (blockIdx.x == 0) *x += 1;
    }"""
    run(shell, cell).raise_error()
    x = cuda.device_array(1, np.int32)
    shell.user_ns["wait"](2, 1, (x,))
    assert x.copy_to_host()[0] == 6


class TestMistakes:
    def test_error_counts_the_cells_lines(self, shell, capsys):
        result = run(shell, "%%cuda\n__global__ void k(int* x) {\n  *x = nothing;\n}")
        error = result.error_in_exec
        assert isinstance(error, cuda.CompileError)
        assert error.diagnostics[0].line == 3
        shown = "".join(capsys.readouterr())
        assert 'cell [1](3): error: identifier "nothing" is undefined' in shown
        assert "*x = nothing;" in shown
        assert "Traceback" not in shown
        assert "cell_magic" not in shown

    def test_kernels_of_before_stay(self, shell):
        run(shell, PUT).raise_error()
        assert not run(shell, PUT.replace("*x", "*y")).success
        assert value_by(shell.user_ns["put"], 2) == 2

    def test_warning_is_shown_as_text(self, shell, capsys):
        run(shell, "%%cuda\n__global__ void k() {\n  int unused = 3;\n}").raise_error()
        shown = capsys.readouterr().err
        assert "cell [1](3): warning" in shown
        assert "unused" in shown

    @pytest.mark.skipif(
        cuda.is_available() and not cuda.is_emulated(), reason="needs the emulator"
    )
    def test_fault_names_the_cell(self, shell):
        run(shell, "%%cuda\n__global__ void k(int* x) {\n  x[5] = 1;\n}").raise_error()
        with pytest.raises(cuda.KernelError, match=r"cell \[1\]:3"):
            value_by(shell.user_ns["k"])

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("mine", "got 'mine', which is not an option"),
            ("--name", "expected one argument"),
            ("--name 1x", "a Python identifier"),
            ("--instance 'k", "No closing quotation"),
        ],
    )
    def test_line_that_is_not_understood(self, shell, capsys, line, words):
        result = run(shell, f"%%cuda {line}\n__global__ void k() {{}}")
        assert isinstance(result.error_in_exec, ValueError)
        shown = "".join(capsys.readouterr())
        assert words in shown
        assert "Traceback" not in shown

    def test_unknown_option_is_the_compilers_to_refuse(self, shell):
        result = run(shell, "%%cuda --nonsense\n__global__ void k() {}")
        assert isinstance(result.error_in_exec, cuda.CudaError)

    def test_cell_without_kernels(self, shell, capsys):
        run(shell, "%%cuda\n__device__ int f() { return 1; }")
        assert "no kernels" in capsys.readouterr().out


SCALE = """#include <cstdio>
#include <cstdlib>
__global__ void scale(float* values, const float* factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= *factor;
}
int main(int count, char** words) {
  float *x, *f;
  cudaMallocManaged(&x, 40 * sizeof(float));
  cudaMallocManaged(&f, sizeof(float));
  for (int i = 0; i < 40; ++i) x[i] = i;
  *f = std::atoi(words[1]);
  scale<<<2, 32>>>(x, f, N);
  cudaDeviceSynchronize();
  std::printf("%g of %d\\n", x[39], count);
  cudaDeviceReset();
  std::exit(3);
}
"""


@needs_nvcc
class TestPrograms:
    def test_launches_are_traced_and_their_arrays_named(self, shell, capsys):
        cell = f"%%cu --name program -DN=40 -- 7\n{SCALE}"
        run(shell, cell).raise_error()
        said = capsys.readouterr().out
        assert said.startswith("273 of 2\n")
        assert "[%%cu] the program ended with exit status 3." in said
        assert "the emulator saw 1 launch, 0 findings." in said
        program = shell.user_ns["program"]
        assert (program.status, program.findings) == (3, [])
        (launch,) = program.launches  # in spite of the reset
        assert (launch.kernel, launch.grid, launch.block) == (
            "scale", (2, 1, 1), (32, 1, 1)
        )  # fmt: skip
        assert [each.name for each in launch.arguments] == ["values", "factor", "n"]
        assert launch.arguments[2].value == 40
        assert launch.source == "\n" + SCALE
        assert launch.counters["flops_f32"] == 40
        assert {each.line for each in launch.counters.by_line()} <= set(range(4, 9))
        answer = viz.grid(launch, 3, 1).answer
        assert answer == (
            "Thread 3 of block 1 reads values[35] and factor[0], and writes values[35]."
        )

    @pytest.mark.slow
    def test_a_finding_has_the_cells_line_and_the_programs_names(self, shell, capsys):
        run(shell, f"%%cu --name program -DN=64 -- 1\n{SCALE}").raise_error()
        said = capsys.readouterr().out
        assert "kernel scale\n  cell.cu:6\n    | if (i < n) values[i]" in said
        assert "`values`, argument 1 of `scale`: `x` (allocated at cell.cu:10" in said
        program = shell.user_ns["program"]
        assert [row["kind"] for row in program.findings] == ["oob_global"]
        (launch,) = program.launches
        assert "past the end of 'values' (160 bytes)" in str(launch.findings[0])
        answer = "thread 8 fails as it reads values[40]: values has only 40 cells"
        assert launch.show().answer == f"Step 5 of 5: {answer}."

    @pytest.mark.slow
    def test_a_program_that_does_not_compile(self, shell, capsys):
        result = run(shell, "%%cu --name program\nint main() {\n  return x;\n}")
        assert isinstance(result.error_in_exec, nvcc.BuildError)
        said = "".join(capsys.readouterr())
        assert 'BuildError: cell.cu(3): error: identifier "x" is undefined' in said
        assert "[nvcc] the program does not compile (exit status" in said
        assert "Traceback" not in said
        assert shell.user_ns["program"].launches == []

    @pytest.mark.slow
    def test_a_crash_keeps_the_findings(self, shell, capsys):
        cell = (
            "#include <cstdlib>\n__global__ void put(int* x) { x[1] = 1; }\n"
            "int main() {\n  int* x;\n  cudaMalloc(&x, 4);\n"
            "  put<<<1, 1>>>(x);\n  cudaDeviceSynchronize();\n  std::abort();\n}"
        )
        for line in ("%%cu", "%%cu --name program"):
            run(shell, f"{line}\n{cell}").raise_error()
            said = capsys.readouterr().out
            assert "[%%cu] signal 6 ended the program: Aborted." in said
            assert "kernel put\n  cell.cu:3" in said
        assert shell.user_ns["program"].status == 128 + 6


def test_without_nvcc_a_cell_says_how_to_get_it(shell, capsys, monkeypatch):
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter(()))
    run(shell, "%%cu --name program\nint main() {}").raise_error()
    assert "nvcc was not found; need version 13. Get it with" in capsys.readouterr().err
    program = shell.user_ns["program"]
    assert (program.status, program.launches) == (None, [])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--name 1x", "a Python identifier"),
        ("--timeout soon", "invalid float value: 'soon'. Usage: %%cu [--name NAME]"),
        ("-- 'a b", "No closing quotation"),
    ],
)
def test_line_of_a_program_that_is_not_understood(shell, capsys, line, words):
    result = run(shell, f"%%cu {line}\nint main() {{}}")
    assert isinstance(result.error_in_exec, ValueError)
    said = "".join(capsys.readouterr())
    assert words in said
    assert "Traceback" not in said


def printing(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def test_a_program_that_loops_is_stopped(capsys):
    child = printing("import time\nprint('begun', flush=True)\ntime.sleep(1000)")
    assert program_cell._show_output(child, seconds=5.0) == -signal.SIGKILL
    assert capsys.readouterr().out == (
        "begun\n\n[%%cu] stopped after 5 s. Use --timeout for a longer limit.\n"
    )


def test_output_without_end_is_cut(capsys):
    child = printing("for _ in range(30): print('x' * 99999)")
    assert program_cell._show_output(child, seconds=60.0) == 0
    shown = capsys.readouterr().out
    assert len(shown) < 1 << 21
    assert shown.endswith("[%%cu] the rest of the output is not shown.\n")


def test_interrupting_the_notebook_ends_the_program():
    child = printing("import time\ntime.sleep(1000)")
    own = threading.main_thread().ident
    assert own is not None
    timer = threading.Timer(1.0, signal.pthread_kill, (own, signal.SIGINT))
    timer.start()
    assert program_cell._show_output(child, seconds=60.0) == -signal.SIGINT
    assert child.returncode == -signal.SIGKILL


def run_lesson(shell) -> None:
    """Run the lesson of programs, without its cell that installs."""
    path = ROOT / "notebooks" / "22_from_python_to_cuda_cpp.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for source in ["".join(c["source"]) for c in cells if c["cell_type"] == "code"][1:]:
        run(shell, source).raise_error()


def test_the_lesson_of_programs_runs_without_nvcc(shell, capsys, monkeypatch):
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter(()))
    run_lesson(shell)
    said = capsys.readouterr()
    assert said.err.count("nvcc was not found; need version 13. Get it with") == 3
    assert said.out.splitlines()[-1] == "True"


@needs_nvcc
@pytest.mark.slow
def test_the_lesson_of_programs_finds_what_its_text_says(shell, capsys):
    run_lesson(shell)
    said = capsys.readouterr().out
    assert said.count("[   3. 2997.]\n") == 1  # of Python
    assert said.count("3 2997\n") == 1  # of C++
    assert "first one: 0" in said
    assert "fill<<<1, 2048>>>(d_out);\n    unchecked_error" in said
    assert "cudaMalloc(&d_out, 2048 * sizeof(int));\n    memory_not_freed" in said
    program, unguarded = shell.user_ns["program"], shell.user_ns["unguarded"]
    assert (program.status, program.findings) == (0, [])
    kinds = [row["kind"] for row in unguarded.findings]
    assert kinds == ["oob_global"]
    assert unguarded.launches[0].findings[0].thread == (1000 - 3 * 256, 0, 0)
