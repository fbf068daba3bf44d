"""`%%cuda`: a notebook cell of CUDA C++ whose kernels become Python objects."""

from __future__ import annotations

import argparse
import functools
import re
import shlex
import sys
import warnings
from typing import Any, NoReturn

from ..compiling.compiled_code import CompiledCode
from ..errors import CudaError, KernelWarning
from .raw_kernel import Kernel
from .raw_module import RawModule

_USE = (
    "[--name NAME] [--cooperative] [--instance 'kernel<float>']... [NVRTC options "
    "such as -DTILE=16]"
)
_TEMPLATE = re.compile(r"template\s*<[^{};]*>\s*__global__[^;{(]*?(\w+)\s*\(")


class UsageError(ValueError):
    """Invalid line after a cell magic."""


class MagicLine(argparse.ArgumentParser):
    """Parser of the line after a cell magic; unknown options go to the compiler.

    Args:
        magic: its name, with %%.
        use: the words that it takes.
    """

    def __init__(self, magic: str, use: str) -> None:
        super().__init__(prog=magic, add_help=False, allow_abbrev=False)
        self._use = use
        self.add_argument("--name")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"[{self.prog}] {message}. Usage: {self.prog} {self._use}")

    def parse_line(self, line: str) -> tuple[argparse.Namespace, list[str]]:
        """Return the options, and the other words."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            self.error(f"got {line!r}: {error}")
        asked, others = self.parse_known_args(words)
        if asked.name is not None and not asked.name.isidentifier():
            self.error(f"got name {asked.name!r}, which is not a Python identifier")
        return asked, others


_LINE = MagicLine("%%cuda", _USE)
_LINE.add_argument("--cooperative", action="store_true")
_LINE.add_argument("--instance", action="append", default=[])


def load_ipython_extension(shell: Any) -> None:
    """Register `%%cuda`; called by `%load_ext minitorch`.

    Args:
        shell: IPython's shell.
    """
    magic = functools.partial(run_cell, shell)
    shell.register_magic_function(magic, magic_kind="cell", magic_name="cuda")


def run_cell(shell: Any, line: str, cell: str) -> None:
    """Compile a cell; its kernels become variables of the notebook.

    Args:
        shell: IPython's shell.
        line: what stands behind `%%cuda`.
        cell: CUDA C++. Messages count its lines as the notebook does, with the line of
            `%%cuda` as the first.

    Raises:
        CompileError: the code does not compile; shown without Python's own lines.
    """
    try:
        _run(shell, line, cell)
    except (CudaError, UsageError) as error:
        hide_traceback(error)
        raise


def _run(shell: Any, line: str, cell: str) -> None:
    asked, options = _LINE.parse_line(line)
    for word in options:
        if not word.startswith("-"):
            _LINE.error(f"got {word!r}, which is not an option")
    # IPython counts a cell before or after it runs, depending on its version; its
    # history holds the running cell, and one text in front.
    number = len(shell.history_manager.input_hist_raw) - 1
    file = f"/minitorch/user/cell [{number}]"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)  # shown below, as text
        compiled = CompiledCode("\n" + cell, options, asked.instance, file, {})
    for warning in compiled.module.warnings:
        print(warning, file=sys.stderr)
    module = RawModule.loaded(compiled, asked.cooperative)
    names = list(asked.instance)
    names += [name for name in module.kernel_names if "<" not in name]
    kernels = {variable_name(name): module.get_function(name) for name in names}
    shell.push(kernels | ({asked.name: module} if asked.name else {}))
    _print_kernels(kernels, cell, names)


def variable_name(kernel: str) -> str:
    """Return the notebook variable's name for a kernel.

    Example:
        >>> variable_name("scale"), variable_name("tools::scale<float, 4>")
        ('scale', 'scale_float_4')
    """
    head, _, arguments = kernel.partition("<")
    words = [head.rpartition("::")[2], *re.findall(r"\w+", arguments)]
    return "_".join(words)


def _print_kernels(kernels: dict[str, Kernel], cell: str, names: list[str]) -> None:
    for name, kernel in kernels.items():
        signature = repr(kernel).partition("(")[2].removesuffix(")")
        print(f"{name}: {signature}")
    instantiated = {name.partition("<")[0].rpartition("::")[2] for name in names}
    for template in _TEMPLATE.findall(cell):
        if template not in instantiated:
            print(f"{template}: a template; try %%cuda --instance '{template}<float>'")
    if not kernels and not _TEMPLATE.search(cell):
        print("no kernels: a kernel starts with __global__ void")


def hide_traceback(error: Exception) -> None:
    """Make IPython show the error without a traceback."""
    name = type(error).__name__.lstrip("_")
    setattr(error, "_render_traceback_", lambda: [f"{name}: {error}"])  # noqa: B010
