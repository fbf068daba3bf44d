"""The tests of `%%cuda` in IPython's shell."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from minitorch import cuda

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
    assert isinstance(shell.user_ns["put"], cuda.RawKernel)
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
            ("mine", "got 'mine'; need"),
            ("--name", "expected one argument"),
            ("--name 1x", "a Python name"),
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
