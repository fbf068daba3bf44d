"""`%%cu`: a notebook cell that is a program in CUDA C++, compiled, run and checked."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..cuda import Launch
from ..cuda.launching.arguments import Argument
from ..cuda.launching.launch_data import RecordedLaunch
from ..cuda.launching.launch_notes import Launched, Note, NoteBook
from ..cuda.raw.cell_magic import MagicLine, UsageError, hide_traceback
from . import cuda_programs, emulate, nvcc
from .files import write_atomically
from .runtime_findings import kernel_parameters

_LINE = MagicLine(
    "%%cu",
    "[--name NAME] [--timeout SECONDS] [nvcc options] [--] [program arguments]",
)
_LINE.add_argument("--timeout", type=float, default=60.0)

# A program whose launches are recorded is a library that Python loads.
# Its PTX, which says where arguments are read, must be legible.
_LIBRARY = ["-shared", "-Xcompiler", "-fPIC", "--compress-mode=none"]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from minitorch_cuda.tools.traced_program import main; main(*sys.argv[2:])"
)
_PACKAGES = str(Path(__file__).parents[2])  # the folder that holds the package

_PARAMETER = re.compile(r"_param_(\d+)\b")

_SIZES = (1, 2, 4, 8)  # of a number, in bytes

_MAX_SHOWN = 1 << 20  # characters of a program's output


@dataclass
class Program:
    """What the program of a cell did.

    Attributes:
        status: exit status; 128 + n when signal n ended it, None if it did not run.
        findings: as `minitorch check --json` prints them.
        launches: the last 16, traced, as those of `cuda.inspect(trace=True)`.
    """

    status: int | None = None
    findings: list[dict[str, Any]] = field(default_factory=list, repr=False)
    launches: list[Launch] = field(default_factory=list)


def load_ipython_extension(shell: Any) -> None:
    """Register `%%cu`; called by `%load_ext minitorch`.

    Args:
        shell: IPython's shell.
    """
    magic = functools.partial(run_cell, shell)
    shell.register_magic_function(magic, magic_kind="cell", magic_name="cu")


def run_cell(shell: Any, line: str, cell: str) -> None:
    """Compile and run a cell under all checks; print its output and the findings.

    Args:
        shell: IPython's shell.
        line: what stands behind `%%cu`; with `--name` a variable of the notebook
            becomes a `Program`.
        cell: CUDA C++. Messages count its lines as the notebook does, with the line of
            `%%cu` as the first.

    Raises:
        BuildError: it does not compile; shown without Python's own lines.
        UsageError: the line is not understood.
        KeyboardInterrupt: the notebook's user stopped it.
    """
    try:
        _run(shell, line, cell)
    except (nvcc.BuildError, UsageError) as error:
        hide_traceback(error)
        raise


def _run(shell: Any, line: str, cell: str) -> None:
    asked, words = _LINE.parse_line(line)
    program = Program()
    if asked.name:
        shell.push({asked.name: program})
    file = _write(cell)
    try:
        library = _LIBRARY if asked.name else ()
        command = cuda_programs.command([str(file), *library, "-I.", *words])
    except nvcc.MissingError as error:
        print(error, file=sys.stderr)
        return
    except nvcc.BuildError as error:
        raise nvcc.BuildError(_short(str(error), file)) from None
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder, "records")
        if asked.name:
            start = [sys.executable, "-c", _START, _PACKAGES]
            command = [*start, command[0], str(records), *command[1:]]
        report = emulate.run(
            command,
            checks="full",
            where="%%cu",
            wait=functools.partial(_show_output, seconds=asked.timeout),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if records.exists():
            rows = pickle.loads(records.read_bytes())
            ptx = _ptx_of(command[4])
            program.launches = [_launch(row, cell, ptx) for row in rows]
    program.status, program.findings = report.status, report.findings
    print(_short(_summary(report), file))
    if report.status == 128 + signal.SIGINT:
        raise KeyboardInterrupt


def _write(cell: str) -> Path:
    """Write a cell to a file of its own, whose path depends on its text alone."""
    cache = _core.cache_directory() or tempfile.gettempdir()
    digest = hashlib.sha256(cell.encode()).hexdigest()[:16]
    file = Path(cache, "programs", digest, "cell.cu")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, f"\n{cell}".encode())
    return file


def _short(text: str, file: Path) -> str:
    return text.replace(f"{file.parent}{os.sep}", "")


def _show_output(child: subprocess.Popen[bytes], seconds: float) -> int:
    """Print what a program prints, and end it after some seconds or at Ctrl-C."""
    assert child.stdout is not None
    timer, room = threading.Timer(seconds, child.kill), _MAX_SHOWN
    timer.start()
    try:
        while data := os.read(child.stdout.fileno(), 1 << 16):
            print(data.decode("utf-8", "replace")[: max(room, 0)], end="")
            room -= len(data)
        return child.wait()
    except KeyboardInterrupt:
        child.kill()
        child.wait()
        return -signal.SIGINT
    finally:
        child.stdout.close()
        if room < 0:
            print("\n[%%cu] the rest of the output is not shown.")
        if not timer.is_alive():
            print(
                f"\n[%%cu] stopped after {seconds:g} s. Use --timeout for a longer "
                "limit."
            )
        timer.cancel()


def _summary(report: emulate.Report) -> str:
    lines = [emulate.findings_text(report)] if report.findings else []
    number = report.status - 128
    if number > 0 and (name := signal.strsignal(number)):
        lines.append(f"[%%cu] signal {number} ended the program: {name}.")
    elif report.status:
        lines.append(f"[%%cu] the program ended with exit status {report.status}.")
    return "\n".join([*lines, emulate.summary(report)])


def _ptx_of(program: str) -> str:
    """The PTX that lies in a program without compression; "" without one."""
    texts = Path(program).read_bytes().split(b"\0")
    return next((text for text in texts if b"\n.version " in text), b"").decode(
        "utf-8", "replace"
    )


def _launch(tables: dict[str, Any], cell: str, ptx: str) -> Launch:
    """The launch of a record, with its source, and its arguments by name."""
    facts = tables["facts"]
    kernel, shape = facts["kernel"], (facts["grid"], facts["block"])
    book = NoteBook(debug=False, most=1)
    source = f"\n{cell}"
    book.write(Note(Launched(kernel, 0, *shape, (), (), lambda: source, lambda: ptx)))
    record = RecordedLaunch(tables, (), ptx)
    launch = Launch(record, counters=True, trace=True, notes=book)
    trace, lines, values = launch.trace, ptx.splitlines(), dict[int, int]()
    for step in np.nonzero(np.char.startswith(trace.opcode, "ld.param"))[0]:
        line = trace.ptx_lines[trace.columns["instruction"][step]]
        if found := _PARAMETER.search("".join(lines[line - 1 : line])):
            values.setdefault(int(found[1]), int(trace.values[step].max()))
    plain_name = kernel.split("<")[0].split("::")[-1]
    names = [name for name, _ in kernel_parameters(cell, plain_name)]
    arguments = [Argument(name, values.get(i)) for i, name in enumerate(names)]
    for row in tables["findings"]:  # they know how far an array goes
        array, size = row["allocation"], row["size"]
        if array and size in _SIZES and array["parameter"] in range(len(names)):
            name = names[array["parameter"]]
            row["message"] = row["message"].replace(f"'{array['label']}'", f"'{name}'")
            array["label"] = name
            place = array["base"], (array["size"] // size,), (size,)
            dtype = np.dtype(f"u{size}")
            arguments[array["parameter"]] = Argument(name, None, *place, dtype)
    launch.arguments = tuple(arguments)
    return launch
