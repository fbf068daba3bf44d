"""Run programs on the emulator: `minitorch run`, `emulate` and `check`.

A program finds the emulator under the names of NVIDIA's driver library, and a runtime
library of ours under the name of NVIDIA's; `run` and `check` compile CUDA C++ before.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cuda.python_kernels.findings import read_report_words
from . import runtime_findings

NAMES = ("libcuda.so.1", "libcuda.so")  # clients look for one or the other
# Programs look for the first, the linker for the second.
RUNTIME_NAMES = ("libcudart.so.13", "libcudart.so")
EMULATOR = "libminitorch_emulator.so"

# Where Triton looks for the assembler: the second is for sm_90 and newer cards.
PTXAS = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")

# Asks for tables that only NVIDIA's driver has.
EXPORT_TABLE = "cuGetExportTable"

NO_CUDART = (
    "the program, or one of its libraries, was linked with NVIDIA's CUDA runtime "
    "library (cudart), which needs private tables of NVIDIA's driver "
    "(cuGetExportTable). That part cannot run on the emulator: do not trust results "
    "that depend on it, even if the program reports no error. Link again with nvcc "
    "-cudart shared (in a Makefile: NVCC_APPEND_FLAGS='-cudart shared'), so that the "
    "program finds minitorch's runtime library."
)

# Programs on the runtime library that call what is not there go on with wrong results.
RUNTIME_PREFIX = "cuda"


@dataclass
class Report:
    """Merged reports of all processes of a run.

    Args:
        status: exit status of the command; 128 + n when signal n ended it.
        launches: kernels that ran on the emulator.
        findings: one each kind, kernel and source line, as the emulator wrote it; of a
            Python kernel with its lines, words and indices.
        absent: how often each function was asked for that the emulator does not offer.
        runtime: a program called our CUDA runtime library.
    """

    status: int = 0
    launches: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)
    absent: dict[str, int] = field(default_factory=dict)
    runtime: bool = False


def emulator_library() -> Path:
    """Return the driver library of this package.

    Raises:
        FileNotFoundError: an installation without it.
    """
    from .. import _core

    return _library(Path(_core.__file__).with_name(EMULATOR))


def linked_library() -> Path:
    """libcuda.so.1 of this package, which leads to the emulator: for programs that are
    linked against it, and for linking them. This process must never load it: whoever
    asked for NVIDIA's library then would get this one.

    Raises:
        FileNotFoundError: an installation without it.
    """
    from .. import _core

    return _library(Path(_core.__file__).parent / "emulated" / NAMES[0])


def _library(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(
            f"[emulate] the emulator's library {path}, a part of minitorch-cuda, is "
            "missing. Reinstall minitorch-cuda."
        )
    return path


def environment(
    folder: Path, checks: str | None, given: Mapping[str, str]
) -> dict[str, str]:
    """Fill `folder` and return the variables of a process that runs on the emulator.

    Args:
        folder: empty and writable; it must live as long as the process.
        checks: value for MINITORCH_CHECKS; None leaves the caller's.
        given: the caller's variables.

    Raises:
        FileNotFoundError: an installation without the emulator's libraries.
    """
    driver, site, reports = folder / "driver", folder / "site", folder / "reports"
    for subfolder in (driver, site, reports):
        subfolder.mkdir()
    emulator_library()  # where the other one looks for it
    linked = linked_library()
    for name in NAMES:
        (driver / name).symlink_to(linked)
    runtime = _library(linked.with_name(RUNTIME_NAMES[0]))
    for name in RUNTIME_NAMES:
        (driver / name).symlink_to(runtime)
    tools = Path(__file__).parent
    # Python reads it at its start.
    shutil.copyfile(tools / "emulated_start.py", site / "sitecustomize.py")
    ptxas = folder / "ptxas"
    shutil.copyfile(tools / "emulated_ptxas.sh", ptxas)
    ptxas.chmod(0o755)
    variables = dict(given)
    _put_first(variables, "LD_LIBRARY_PATH", driver)
    _put_first(variables, "PYTHONPATH", site)
    variables.update(dict.fromkeys(PTXAS, str(ptxas)))
    # Triton links with this one. Its cache knows the folder, which stays the same.
    variables["TRITON_LIBCUDA_PATH"] = str(linked.parent)
    variables["MINITORCH_REPORT"] = str(reports)
    variables["MINITORCH_CUDA"] = "emulator"  # if it is a program of this library
    if checks is not None:
        variables["MINITORCH_CHECKS"] = checks
    else:  # what a card goes on after is listed, but ends nothing
        variables.setdefault("MINITORCH_TOLERATE", "barrier_divergence,warp_sync")
    return variables


def _put_first(variables: dict[str, str], name: str, path: Path) -> None:
    before = variables.get(name)
    variables[name] = f"{path}{os.pathsep}{before}" if before else str(path)


def started(command: Sequence[str], where: str, path: str | None) -> list[str]:
    """Return the arguments to execute for `command`; Python files use this Python.

    Args:
        command: the program and its arguments.
        where: `emulate` or `check`, for messages.
        path: the folders of programs, as PATH has them.

    Raises:
        FileNotFoundError: there is no such program.

    Example:
        >>> started(["sh", "-c", "true"], "check", os.environ["PATH"])
        ['sh', '-c', 'true']
    """
    program = command[0]
    if program.endswith(".py") and Path(program).is_file():
        return [sys.executable, *command]
    if shutil.which(program, path=path) is not None:
        return list(command)
    example = f"minitorch {where} program.py, or minitorch {where} -- ./program"
    if program.endswith(".py") or os.sep in program:
        if not Path(program).exists():
            problem = "which does not exist"
        else:
            problem = "which is not executable"
    else:
        problem = "which is neither a Python file nor a command"
    raise FileNotFoundError(
        f"[{where}] got '{program}', {problem}. Example: {example}."
    )


def run(
    command: Sequence[str],
    checks: str | None = None,
    where: str = "emulate",
    wait: Callable[[subprocess.Popen[bytes]], int] | None = None,
    **streams: Any,
) -> Report:
    """Run `command` on the emulator and wait for it.

    Args:
        command: the program and its arguments; a file that ends in .py runs with this
            Python.
        checks: "full", "memory" or None for the default.
        where: the name of the command line's command, for messages.
        wait: returns the exit status when the program has ended; None: leaves Ctrl-C
            to it.
        streams: where it reads and prints, as subprocess.Popen takes them.

    Returns:
        what its processes told, also after a crash or Ctrl-C.

    Raises:
        FileNotFoundError: the program or the emulator's library is missing.
        PermissionError: the program cannot be executed.
    """
    with tempfile.TemporaryDirectory(prefix="minitorch-emulate-") as name:
        folder = Path(name)
        variables = environment(folder, checks, os.environ)
        words = started(command, where, variables.get("PATH"))
        child = subprocess.Popen(words, env=variables, **streams)
        status = (wait or _wait)(child)
        return read_reports(folder / "reports", 128 - status if status < 0 else status)


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait for the child's end; Ctrl-C reaches the child itself and ends it."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def read_reports(folder: Path, status: int = 0) -> Report:
    """Add up the reports of all processes.

    Args:
        folder: with a file for each process, and another for its runtime library.
        status: the exit status of the command.
    """
    report = Report(status)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    for process in sorted({path.name.split(".")[0] for path in folder.glob("*.jsonl")}):
        rows = _read_rows(folder / f"{process}.jsonl")
        runtime_rows = _read_rows(folder / f"{process}.cudart.jsonl")
        report.runtime |= bool(runtime_rows)
        runtime_findings.find_positions(runtime_rows)
        for row in rows if runtime_rows else ():
            if "kind" in row:
                runtime_findings.use_program_lines(row)
                runtime_findings.name_arrays(row, runtime_rows)
        rows += runtime_findings.make_findings(runtime_rows, status)
        for row in (*rows, *runtime_rows):
            report.launches += row.get("launches", 0)
            if "absent" in row:
                name = row["absent"]
                report.absent[name] = report.absent.get(name, 0) + row["count"]
            if "kind" not in row:
                continue
            other = row.get("other", {})
            key: tuple[Any, ...] = (
                row["kind"],
                row["kernel"],
                row["file"],
                row["line"],
            )
            key += (other.get("file"), other.get("line"))
            if not row["kernel"]:  # copies and fills have no lines to tell them apart
                key += (row["detail"],)
            if key in known:
                known[key]["count"] += row["count"]
            else:
                known[key] = row
    _use_words(known.values(), folder)
    report.findings = sorted(  # those of no kernel last
        known.values(),
        key=lambda row: (not row["kernel"], row["kernel"], row["file"], row["line"]),
    )
    return report


def _read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a report, without lines cut short by a crash."""
    rows = []
    if path.exists():
        for line in path.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                rows.append(json.loads(line))
    return rows


def _use_words(findings: Iterable[dict[str, Any]], folder: Path) -> None:
    """Replace the emulator's lines and words by those of Python kernels."""
    words = read_report_words(folder)
    for row in findings:
        replacement = words.get((row["kind"], row["kernel"], row["file"], row["line"]))
        if replacement is None:
            continue
        if replacement["indices"]:  # seen before an address was made
            row.pop("address", None)
            row.pop("size", None)
        row.update(replacement, inlined_from=[])


def summary(report: Report) -> str:
    """Summarize launches, findings and missing functions."""
    absent = _absent_text(report.absent)
    if report.launches == 0 and (EXPORT_TABLE in report.absent or report.runtime):
        return f"[emulate] the emulator saw no launch.{absent}"
    if report.launches == 0:
        return (
            "[emulate] the emulator saw no launch: the program launched no kernel, or "
            f"did not load the driver library libcuda.so.1.{absent}"
        )
    launches = _counted(report.launches, "launch", "launches")
    findings = _counted(len(report.findings), "finding", "findings")
    lines = _lines_text(report)
    return f"[emulate] the emulator saw {launches}, {findings}.{absent}{lines}"


def _lines_text(report: Report) -> str:
    """Return how to get source lines, if a program compiled by nvcc has none."""
    if not report.runtime or all(row["line"] for row in report.findings):
        return ""
    return (
        "\n[emulate] some findings have no source line. Compile with nvcc -lineinfo "
        "for lines of kernels, and -g for lines of host code."
    )


def _absent_text(absent: Mapping[str, int]) -> str:
    """Return the lines on requested functions that the emulator does not offer."""
    text = ""
    tables = absent.get(EXPORT_TABLE, 0)
    if tables:
        times = _counted(tables, "time", "times")
        text = (
            f"\n[emulate] the program asked {times} for private tables that the "
            f"emulator does not have: {NO_CUDART}"
        )
    functions = [
        f"{name} ({_counted(count, 'time', 'times')})"
        for name, count in sorted(absent.items())
        if name != EXPORT_TABLE
    ]
    if functions:
        text += (
            "\n[emulate] the program asked for functions that the emulator does not "
            f"have: {', '.join(functions)}."
        )
    return text


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def findings_text(report: Report) -> str:
    """Return the findings by kernel and line, each with its count."""
    lines: list[str] = []
    kernel = position = None
    for row in report.findings:
        if _heading(row) != kernel:
            kernel, position = _heading(row), None
            lines.append(_heading(row))
        here = f"{row['file']}:{row['line']}" if row["line"] else "no source line"
        if here != position:
            position = here
            lines.append(f"  {here}")
            source = linecache.getline(row["file"], row["line"]).strip()
            if source:
                lines.append(f"    | {source}")
        times = f" (seen {row['count']} times)" if row["count"] > 1 else ""
        lines.append(f"    {row['kind']}{times}")
        # The emulator's sentence without its beginning, which the headings have said.
        where = f" in {row['kernel']}" if row["kernel"] else ""
        text = row["text"].removeprefix(f"[emulator] {row['kind']}{where}: ")
        lines.append(f"      {text}")
        if row["inlined_from"]:
            chain = ", ".join(
                f"{call['file']}:{call['line']}" for call in row["inlined_from"]
            )
            lines.append(f"      inlined from {chain}")
    return "\n".join(lines)


def _heading(row: Mapping[str, Any]) -> str:
    if row.get("program"):
        return "the program"
    return f"kernel {row['kernel']}" if row["kernel"] else "copies and fills"


def emulate(
    command: Sequence[str], ignored: Sequence[str] = (), where: str = "emulate"
) -> int:
    """Run `command` on the emulator; print findings and launches on stderr.

    Args:
        command: the program and its arguments.
        ignored: kinds of findings that are not to be shown.
        where: the name of the command line's command, for messages.

    Returns:
        its exit status.
    """
    report = run(command, where=where)
    report.findings = [row for row in report.findings if row["kind"] not in ignored]
    if report.findings:
        print(findings_text(report), file=sys.stderr)
    print(summary(report), file=sys.stderr)
    return report.status


def check(
    command: Sequence[str], as_json: bool = False, ignored: Sequence[str] = ()
) -> int:
    """Run `command` with all checks and print the findings.

    Args:
        command: the program and its arguments.
        as_json: print one JSON object on stdout instead; the program's own output goes
            to stderr.
        ignored: kinds of findings that do not count.

    Returns:
        1 if anything but notes was found, or a function of the CUDA runtime library was
        called that is not there; else the program's exit status.
    """
    stdout = sys.stderr if as_json else None
    report = run(command, checks="full", where="check", stdout=stdout)
    report.findings = [row for row in report.findings if row["kind"] not in ignored]
    if as_json:
        fields = {
            "status": report.status,
            "launches": report.launches,
            "findings": report.findings,
            "absent": report.absent,
        }
        print(json.dumps(fields, indent=2))
    elif report.findings:
        print(findings_text(report))
    print(summary(report), file=sys.stderr)
    mistakes = any(row["severity"] > 0 for row in report.findings)  # 0: a note
    wrong = mistakes or any(name.startswith(RUNTIME_PREFIX) for name in report.absent)
    return 1 if wrong else report.status
