"""Turn what the CUDA runtime library reported into findings, and name arrays in all of
them as the source does: by the variable given to cudaMalloc and the kernel's parameter.

Imports nothing of minitorch.
"""

from __future__ import annotations

import linecache
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]

#: The kinds of findings that come from here, with what to do about each.
ADVICE = {
    "unchecked_error": (
        "Call cudaGetLastError() after each launch, and check the result of every "
        "CUDA function."
    ),
    "memory_not_freed": "Free it before the program ends.",
    "copy_direction": "Use the right direction, or cudaMemcpyDefault.",
}

_DIRECTIONS = {
    0: "cudaMemcpyHostToHost",
    1: "cudaMemcpyHostToDevice",
    2: "cudaMemcpyDeviceToHost",
    3: "cudaMemcpyDeviceToDevice",
}

# Headers of the toolkit and the standard library are not where a call was written.
_NOT_THE_PROGRAM = re.compile(
    r"^\?\?|^/usr/|/(cuda_runtime|cuda_runtime_api|host_runtime)\.h$|\.stub\.c$|"
    r"/include/(c\+\+|crt|cccl|thrust|cub)/|^$"
)
_ALLOCATED = re.compile(
    r"cuda(?:Malloc|HostAlloc)\w*\s*\(\s*"
    r"(?:\(\s*void\s*\*\s*\*\s*\)\s*|reinterpret_cast\s*<[^>]*>\s*\(\s*)?"
    r"&?\s*\(?([A-Za-z_][\w.>\[\]-]*)"
)


@dataclass(frozen=True)
class Position:
    """A line of the program's host code; line 0 if it is not known."""

    file: str = ""
    line: int = 0


def find_positions(rows: Iterable[Row]) -> None:
    """Give each row of the runtime its `position`: the call in the program's code."""
    rows = [row for row in rows if "runtime" in row]
    known = _look_up({frame for row in rows for frame in row["frames"]})
    for row in rows:
        calls = [call for frame in row["frames"] for call in known.get(frame, [])]
        stubs = [i for i, (name, _) in enumerate(calls) if "__device_stub__" in name]
        if stubs:  # a launch: nvcc's function, then the one with the kernel's name
            calls = calls[stubs[-1] + 2 :]
        row["position"] = next(
            (at for _, at in calls if not _NOT_THE_PROGRAM.search(at.file)), Position()
        )


def _look_up(frames: Iterable[str]) -> dict[str, list[tuple[str, Position]]]:
    """Function and line of each "file+0xaddress", innermost inlined call first."""
    by_file: dict[str, list[str]] = {}
    for frame in frames:
        by_file.setdefault(frame.rpartition("+")[0], []).append(frame)
    found: dict[str, list[tuple[str, Position]]] = {}
    tool = shutil.which("addr2line")  # comes with the compiler
    for file, own in by_file.items():
        if tool is None or not Path(file).is_file():
            continue
        addresses = [frame.rpartition("+")[2] for frame in own]
        process = subprocess.run(
            [tool, "-afiC", "-e", file, *addresses],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        answers = re.split(r"^0x[0-9a-f]+\n", process.stdout, flags=re.M)[1:]
        for frame, answer in zip(own, answers, strict=False):
            lines = answer.splitlines()
            found[frame] = [
                (name, _position(place))
                for name, place in zip(lines[::2], lines[1::2], strict=False)
            ]
    return found


def _position(text: str) -> Position:
    found = re.match(r"(.*):(\d+)", text)  # it may go on: (discriminator 3)
    return Position(found[1], int(found[2])) if found else Position()


def use_program_lines(finding: Row) -> None:
    """Name the program's line where a function of the toolkit was called or inlined.

    Some of its functions, such as the atomics of a build with -G, have no lines.
    """
    calls = finding.get("inlined_from", [])
    while calls and re.search(r"^$|/include/[^/]*$", finding["file"]):
        at = calls.pop(0)
        if finding["file"]:
            before = f"{finding['file']}:{finding['line']}"
            after = f"{at['file']}:{at['line']}"
            finding["text"] = finding["text"].replace(before, after, 1)
        finding["file"], finding["line"] = at["file"], at["line"]


def make_findings(rows: Sequence[Row], status: int) -> list[Row]:
    """The findings in a process's rows, in the form of the emulator's.

    Args:
        rows: with positions.
        status: the program's exit status. One that ended with an error has reacted to
            an error, and need not free its memory.
    """
    wrong_copies = {
        str(row["frames"]) for row in rows if row.get("runtime") == "copy_direction"
    }
    merged: dict[tuple[str, Position, str], Row] = {}
    for row in rows:
        kind = row.get("runtime")
        if kind is None or row["count"] <= 0:
            continue
        launch = _is_launch(row["function"])
        if kind == "memory_not_freed" and status != 0:
            continue
        if kind == "unchecked_error" and (
            str(row["frames"]) in wrong_copies or (not launch and status != 0)
        ):
            continue
        severity = {"memory_not_freed": 1, "copy_direction": 2}.get(kind, 2 * launch)
        text = _sentence(row)
        key = (kind, row["position"], text)
        if key in merged:
            merged[key]["count"] += row["count"]
            continue
        merged[key] = {
            "kind": kind,
            "severity": severity,
            "kernel": "",
            "program": True,
            "file": row["position"].file,
            "line": row["position"].line,
            "inlined_from": [],
            "detail": row["function"],
            "text": f"{text} {ADVICE[kind]}",
            "count": row["count"],
        }
    return list(merged.values())


def _is_launch(function: str) -> bool:
    """Of a kernel, by `<<<...>>>` or a call: its result is often not looked at."""
    return "LaunchKernel" in function or "LaunchCooperative" in function


def _sentence(row: Row) -> str:
    function = row["function"]
    if row["runtime"] == "memory_not_freed":
        name = variable_of(row["position"])
        what = f"`{name}`" if name else f"memory of {function}"
        return f"{what} ({row['bytes']} bytes) was not freed."
    if row["runtime"] == "copy_direction":
        kind = _DIRECTIONS.get(row["copy"], str(row["copy"]))
        return f"{function} with {kind}, but {row['problem']}: nothing was copied."
    message = row["message"].rstrip(".")
    because = f" ({message})" if message else ""
    if not _is_launch(function):
        return (
            f"{function} returned {row['error']}{because}, which the program ignored."
        )
    kernel = _plain_name(row["kernel"])
    what = f"the launch of `{kernel}`" if kernel else "a launch"
    return (
        f"{what} failed with {row['error']}{because}, which the program never checked."
    )


def variable_of(position: Position) -> str:
    """The variable in `cudaMalloc(&variable, …)` there; "" if it is not to be seen."""
    lines = [linecache.getline(position.file, position.line + i) for i in range(3)]
    found = _ALLOCATED.search("".join(lines)) if position.line else None
    return found[1] if found else ""


def name_arrays(finding: Row, rows: Iterable[Row]) -> None:
    """Put the names of the source in place of labels such as 'cudaMalloc #3'."""
    labels = {row["label"]: row for row in rows if "position" in row}
    text = finding["text"]
    allocation = finding.get("allocation", {})
    for label in re.findall(r"'([^']+ #\d+)'", text):
        if label not in labels:
            continue
        position = labels[label]["position"]
        variable = variable_of(position)
        name = f"`{variable}`" if variable else f"'{label}'"
        if allocation.get("label") == label:
            parameter = _parameter_text(finding, allocation.get("parameter", -1))
            name = f"{parameter}: {name}" if parameter else name
            allocation["label"] = variable or label
        if position.line:
            place = f"{Path(position.file).name}:{position.line}"
            text = text.replace(f"'{label}' (", f"{name} (allocated at {place}, ")
        text = text.replace(f"'{label}'", name)
    finding["text"] = text


def _parameter_text(finding: Row, index: int) -> str:
    if index < 0:
        return ""
    kernel = re.split(r"[<(]", finding["kernel"])[0].split("::")[-1].split()[-1]
    source = "".join(linecache.getlines(finding["file"]))
    names = [name for name, _ in kernel_parameters(source, kernel)]
    what = f"argument {index + 1} of `{kernel}`"
    return f"`{names[index]}`, {what}" if index < len(names) else what


def kernel_parameters(source: str, kernel: str) -> list[tuple[str, str]]:
    """Name and declaration of each parameter in a kernel's definition; [] without one.

    Example:
        >>> kernel_parameters("__global__ void fill(float* out, int n) {}", "fill")
        [('out', 'float* out'), ('n', 'int n')]
    """
    pattern = rf"__global__[^;{{}}]*?\b{re.escape(kernel)}\s*\(([^{{}};]*?)\)\s*{{"
    found = re.search(pattern, source)
    if found is None:
        return []
    text = re.sub(r"//.*|/\*.*?\*/", "", found[1])
    while re.search(r"<[^<>]*>", text):  # a comma inside divides no parameters
        text = re.sub(r"<[^<>]*>", "", text)
    declared = [each.strip() for each in text.split(",")]
    names = [re.findall(r"\w+(?=\s*(?:\[.*)?$)|$", each)[0] for each in declared]
    return [pair for pair in zip(names, declared, strict=True) if pair[1]]


def _plain_name(mangled: str) -> str:
    """A kernel's name without its types: `_Z3addPf` is `add`."""
    tool = shutil.which("c++filt") if mangled.startswith("_Z") else None
    if tool is None:
        return mangled
    text = subprocess.run(
        [tool, mangled], capture_output=True, text=True, check=False
    ).stdout.strip()
    return re.split(r"[<(]", text.removeprefix("void "))[0]
