"""Exceptions, warnings and findings of device cuda, and their source lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from .compiler_messages import Diagnostic, diagnostic_from, header_hint

#: File and line, as the device names them or as people know them.
SourceLine = tuple[str, int]

_finders: list[Callable[[int, SourceLine], SourceLine | None]] = []


def add_line_finder(find: Callable[[int, SourceLine], SourceLine | None]) -> None:
    """Register a function that maps a kernel's line to the author's line."""
    _finders.append(find)


def original_line(owner: int, position: SourceLine) -> SourceLine | None:
    """Return the line in the author's file; None if there is no other.

    Args:
        owner: The number of the kernel in a finding or record; 0: CUDA C++.
        position: As the device names it.
    """
    for find in _finders if owner else ():
        original = find(owner, position)
        if original is not None:
            return original
    return None


def original_lines(
    owner: int, positions: Sequence[SourceLine | None]
) -> list[SourceLine | None]:
    """Map a line and its call chain, innermost first, to the author's file.

    Where the innermost ones belong to no original, as headers of the library do, the
    list begins with the first that does.

    Example:
        >>> original_lines(0, [("map.cu", 3), None])
        [('map.cu', 3), None]
    """
    originals = [
        original_line(owner, position) if position else None for position in positions
    ]
    first = next((number for number, position in enumerate(originals) if position), 0)
    return [new or old for new, old in zip(originals, positions, strict=True)][first:]


class CudaError(RuntimeError):
    """Failed call of the CUDA driver; base of all errors of `minitorch.cuda`.

    `code` is the driver's CUresult, or None where no driver call failed.
    """

    def __init__(self, message: str = "", *, code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class OutOfMemoryError(CudaError, MemoryError):
    """Not enough free device memory for an allocation."""


class GraphCaptureError(CudaError):
    """Call that a graph cannot contain, or a capture that such a call ended."""


class CompileError(CudaError):
    """CUDA C++ that NVRTC rejected.

    `diagnostics` holds its messages (file, line, column, message, source_line, ...),
    `log` its whole output.
    """

    def __init__(
        self,
        message: str = "",
        *,
        diagnostics: Sequence[Diagnostic] = (),
        log: str = "",
    ) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        self.log = log


class PtxError(CudaError):
    """PTX (or a cubin) that the driver rejected; `log` is the driver's text."""

    def __init__(
        self, message: str = "", *, code: int | None = None, log: str = ""
    ) -> None:
        super().__init__(message, code=code)
        self.log = log


class LaunchError(CudaError):
    """Launch that was rejected before it started.

    `kind` is "launch_config", "arg_mismatch" or "entry_not_found".
    """

    def __init__(self, message: str = "", *, kind: str = "launch_config") -> None:
        super().__init__(message)
        self.kind = kind


Coordinates = tuple[int, int, int]


@dataclass(frozen=True)
class Site:
    """One thread at one source line; `call_chain` holds (file, line) of the calls.

    `block` and `thread` are None where whole launches race (race_host, race_stream).
    """

    file: str | None
    line: int | None
    column: int | None
    call_chain: tuple[tuple[str, int], ...]
    block: Coordinates | None
    thread: Coordinates | None


@dataclass(frozen=True)
class Allocation:
    """Memory that an access hit or was nearest to; `offset` counts from `base`.

    `parameter` is the index of the kernel's parameter that held the pointer, or None.
    """

    base: int
    size: int
    offset: int
    label: str
    parameter: int | None


@dataclass(frozen=True)
class Index:
    """One index of a subscript, as the thread computed it, and the dimension's size."""

    dimension: int
    index: int
    extent: int


@dataclass(frozen=True)
class Finding:
    """Result of a check in a kernel; see docs/checks.md for the kinds.

    `indices`: of an access outside of an array of a Python kernel, which is found
    before there is an address; else (). Of a race `other_access` is what the thread at
    `other` does, `element` the name of what both use, such as "out[0]", and `remedy`
    the name of what would order them, such as "AtomicUpdate"; else None and "".
    """

    kind: str
    severity: str
    kernel: str
    site: Site | None
    other: Site | None
    space: str | None
    access: str | None
    address: int | None
    size: int | None
    allocation: Allocation | None
    count: int
    detail: str
    launch_site: str
    message: str
    indices: tuple[Index, ...] = ()
    other_access: str | None = None
    element: str = ""
    remedy: str = ""


def _site(fields: Mapping[str, Any] | None, owner: int) -> Site | None:
    if fields is None:
        return None
    innermost = fields["position"]
    column = innermost[2] if innermost else None
    given = [
        position and position[:2] for position in (innermost, *fields["call_chain"])
    ]
    positions = original_lines(owner, given)
    if positions != given:
        column = None
    while len(positions) > 1 and positions[0] is None:  # in a function without lines
        positions.pop(0)
    file, line = positions[0] or (None, None)
    chain = tuple(position for position in positions[1:] if position)
    return Site(file, line, column, chain, fields["block"], fields["thread"])


def _element(fields: Mapping[str, Any]) -> str:
    """Return the element of a race, counted in units of the access size."""
    allocation = fields["allocation"]
    if allocation is None or not fields["size"] or KINDS[fields["kind"]].form != "race":
        return ""
    return (
        f"element {allocation['offset'] // fields['size']} of '{allocation['label']}'"
    )


def _allocation(fields: Mapping[str, Any] | None) -> Allocation | None:
    if fields is None:
        return None
    index = fields["parameter"]
    return Allocation(
        fields["base"],
        fields["size"],
        fields["offset"],
        fields["label"],
        index if index >= 0 else None,
    )


_complete: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict


def connect_completion(
    complete: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> None:
    """Register the function that completes findings in the kernel's language."""
    global _complete
    _complete = complete


def finding_from(fields: Mapping[str, Any]) -> Finding:
    """Build a `Finding` from the fields of the core."""
    fields = {"element": _element(fields), **_complete(fields)}
    values = {name: fields[name] for name in Finding.__dataclass_fields__}
    values["indices"] = tuple(Index(*index) for index in fields["indices"])
    values["site"] = _site(fields["site"], fields["owner"])
    values["other"] = _site(fields["other"], fields["owner"])
    values["allocation"] = _allocation(fields["allocation"])
    return Finding(**values)


_NOWHERE = Site(None, None, None, (), None, None)
# What a real GPU tells of a fault.
_UNKNOWN = Finding(
    "device_fault", "error", "", None, None, None, None, None, None, None, 1, "", "",
    "",
)  # fmt: skip


class KernelError(CudaError):
    """Fault of a kernel, raised by the next call that waits for the device.

    Fields that a fault does not have, or that a real GPU cannot tell, are None.

    Args:
        message: the whole report.
        finding: what was found, whole; the attributes below are taken from it.

    Attributes: `kind`, `severity`, `kernel`, `file`, `line`, `call_chain`, `block`,
    `thread`, `address`, `space`, `access`, `size`, `allocation`, `other` (the second
    site of a race or barrier), `indices` (of an access outside of an array of a Python
    kernel, see `Finding`), `launch_site` ("train.py:12") and `message`.
    """

    def __init__(self, message: str = "", finding: Finding | None = None) -> None:
        super().__init__(message)
        self.finding = finding
        known = finding or _UNKNOWN
        site = known.site or _NOWHERE
        self.kind, self.severity = known.kind, known.severity
        self.kernel = finding.kernel if finding else None
        self.file, self.line, self.call_chain = site.file, site.line, site.call_chain
        self.block, self.thread = site.block, site.thread
        self.address, self.size, self.space = known.address, known.size, known.space
        self.access, self.allocation = known.access, known.allocation
        self.other, self.indices = known.other, known.indices
        self.launch_site = finding.launch_site if finding else None

    def __reduce__(self) -> tuple[type[KernelError], tuple[str, Finding | None]]:
        return type(self), (self.message, self.finding)


class KernelWarning(UserWarning):
    """Something suspicious in a kernel that does not make its result wrong."""


_MAX_LINES = 40


def _compile_error(
    message: str, diagnostics: Sequence[_core.Diagnostic], log: str
) -> CompileError:
    messages = [diagnostic_from(diagnostic) for diagnostic in diagnostics]
    lines = message.splitlines()
    if len(lines) > _MAX_LINES:
        kept = max(n for n in range(_MAX_LINES) if not lines[n].startswith("  "))
        rest = f"The error's attribute log has all {len(lines)} lines."
        message = "\n".join([*lines[:kept], rest])
    hint = header_hint(log)
    return CompileError(
        f"{message}\n{hint}" if hint else message, diagnostics=messages, log=log
    )


# Tracebacks name them as programs do.
for _public in (
    CudaError, OutOfMemoryError, GraphCaptureError, CompileError, PtxError,
    LaunchError, KernelError, KernelWarning,
):  # fmt: skip
    _public.__module__ = "minitorch.cuda"


def connect(warn: Callable[[str, type[Warning]], None]) -> None:
    """Register the exceptions with the core; `warn` receives each kernel warning."""
    _core.register_error("CudaError", CudaError)
    _core.register_error("OutOfMemoryError", OutOfMemoryError)
    _core.register_error("GraphCaptureError", GraphCaptureError)
    _core.register_error("CompileError", _compile_error)
    _core.register_error("PtxError", PtxError)
    _core.register_error("LaunchError", LaunchError)
    _core.register_error(
        "KernelError",
        lambda message, **fields: KernelError(
            message, finding_from({**fields, "message": message})
        ),
    )
    _core.set_warning_hook(lambda fields: warn(fields["message"], KernelWarning))


#: By name, such as "oob_global", in the order of the catalogue.
KINDS = {kind.name: kind for kind in _core.finding_kinds()}
