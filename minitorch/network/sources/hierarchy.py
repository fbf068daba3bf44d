"""Call hierarchy of a recording: Python, autograd, op, loop, kernel."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from ... import _core
from ..scopes import Record, outwards

Frame = tuple[str, str]  # a place, "train.py:12", and the function there

_FRAME = re.compile(r"(?P<file>.*)\((?P<line>\d+)\): (?P<function>.*)", re.DOTALL)
# Through which each op goes that may be overridden.
_ON_THE_WAY = ("minitorch/tensors/op_calls.py", "minitorch/autograd/stand_ins.py")
# Scopes that are no steps of their own: those that Python code began, which its lines
# show, and compiling, which is there once.
_NO_STEPS = ("module", "user", "step", "compile")
_ROOMS = {"cpp/autograd": "autograd", "cpp/ops": "op"}


@dataclass
class Step:
    """One line of a call hierarchy.

    Attributes:
        kind: "python", "autograd" and "op" (functions of cpp/autograd, cpp/ops),
            "backward" (a node of the graph on the way back), "loop" (a function of
            cpp/cpu, which computes on the host), "kernel", "copy", "fill", "wait" or
            "graph" (of launches).
        name: of the function or kernel.
        place: "cpp/ops/conv2d.cpp:118"; "" where there is none.
        detail: shapes of an op's tensors, a kernel's grid and block, a copy's bytes.
        children: what it calls, in the order of the calls.
    """

    kind: str
    name: str
    place: str
    detail: str = ""
    children: list[Step] = field(default_factory=list)

    def walk(self) -> Iterable[Step]:
        """Yield this step and all steps within it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class KernelSource:
    """The source of one kernel that ran.

    Attributes:
        name: of the kernel.
        file: "conv2d.cu", which kernels are asked for by; "" for one of the program.
        place: where its body begins, "cpp/kernels/conv2d.cu:35"; for a kernel of the
            program the line that launched it.
        text: of the file; "" for a kernel of the program.
        spec: what the kernel was made for: CUDA C++ in place of `#include "spec.cuh"`.
        grid, block: of its first launch.
        registers: of each thread.
        launches: how often it ran.
    """

    name: str
    file: str
    place: str
    text: str
    spec: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    registers: int
    launches: int


def place_of_kernel(work: Record) -> str:
    """Return the file and line of a kernel's body, or of its launch."""
    if not work["source"]:
        return str(work["site"])
    entry = re.compile(rf"__global__\b[^;{{]*?\b{re.escape(work['entry'])}\s*\(")
    match = entry.search(work["source"])
    line = work["source"].count("\n", 0, match.start()) + 1 if match else 1
    return f"cpp/kernels/{work['file']}:{line}"


def kernels_of(works: Iterable[Record]) -> tuple[KernelSource, ...]:
    """Return each kernel once, in the order of first launches."""
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for work in works:
        if work["kind"] == "kernel":
            site = "" if work["library"] else work["site"]
            groups[work["file"], work["name"], work["spec"], site].append(work)
    return tuple(_kernel(launched) for launched in groups.values())


def _kernel(launched: list[Record]) -> KernelSource:
    first = launched[0]
    return KernelSource(
        name=first["name"],
        file=first["file"] if first["library"] else "",
        place=place_of_kernel(first),
        text=first["source"],
        spec=first["spec"],
        grid=first["grid"],
        block=first["block"],
        registers=first["registers"],
        launches=len(launched),
    )


class Hierarchy:
    """Makes the steps of one recording, of the thread that made the call.

    Args:
        scopes, works: as a recording has them, of one thread.
        is_runner: tells the file of the frames around the call, which are left out.
        forward: the scopes of the way forward, by the number of the graph's step.
    """

    def __init__(
        self,
        scopes: Iterable[Record],
        works: Iterable[Record],
        is_runner: Callable[[str], bool],
        forward: Mapping[int, Record],
    ) -> None:
        self._scopes = {scope["id"]: scope for scope in scopes}
        self._is_runner = is_runner
        self._forward = forward
        self._within: dict[int, list[tuple[int, Record]]] = defaultdict(list)
        for scope in self._scopes.values():
            parent = self._visible(scope["parent"])
            self._within[parent].append((scope["begin"], scope))
        for work in works:
            parent = self._visible(work["scope"])
            self._within[parent].append((work["host_begin"], work))
        for inside in self._within.values():
            inside.sort(key=lambda pair: pair[0])

    def steps(self) -> tuple[Step, ...]:
        """Return the outermost steps, in the order of their beginning."""
        top = Step("", "", "")
        self._fill(top, -1, lines=True)
        return tuple(top.children)

    def _visible(self, number: int) -> int:
        """Return the innermost visible scope that encloses a scope."""
        around = outwards(self._scopes, number)
        return next((s["id"] for s in around if s["kind"] not in _NO_STEPS), -1)

    def _fill(self, node: Step, number: int, lines: bool, known: int = 0) -> None:
        """Add all that began within a scope, with or without the Python lines between.

        Args:
            known: so many lines led to the scope itself.
        """
        for _, record in self._within[number]:
            if "spec" in record:
                node.children.append(_work(record))
            elif record["kind"] not in _NO_STEPS:
                back = record["kind"] == "backward"
                child = self._backward(record) if back else _scope(record)
                if lines and not known:
                    child.detail = " ".join(
                        filter(None, [child.detail, self._in(record)])
                    )
                frames = self._frames(record) if lines else []
                # An op of Python's has lines within, too.
                is_python_op = not back and not record["file"]
                self._fill(
                    child,
                    record["id"],
                    back or is_python_op,
                    len(frames) if is_python_op else 0,
                )
                # Handing a gradient to its owner is no work unless something is added.
                if child.children or child.name != "accumulate":
                    _descend(node, frames[known:]).children.append(child)

    def _in(self, record: Record) -> str:
        """Return which layer called an op."""
        for scope in outwards(self._scopes, record["parent"]):
            if scope["kind"] == "module":
                name, type_name = scope["name"], scope["detail"]
                return f"in {name} ({type_name})" if name else f"in {type_name}"
        return ""

    def _backward(self, record: Record) -> Step:
        """Return a node of the graph, with the position of its forward."""
        node = _scope(record)
        forward = self._forward.get(record["sequence"])
        if forward is not None:
            frames = reversed(self._frames(forward))
            outside = [
                position
                for position, _ in frames
                if not position.startswith("minitorch/")
            ]
            position = f"{forward['file']}:{forward['line']}" if forward["file"] else ""
            places = filter(None, [position, *outside[:1], _row("rule", forward)])
            node.detail = "of " + (", ".join(places) or forward["name"])
        return node

    def _frames(self, record: Record) -> list[Frame]:
        """Return the Python lines of an op within the call, outermost first."""
        frames: list[Frame] = []
        for line in record["stack"]:
            match = _FRAME.fullmatch(line)
            if match is None or self._is_runner(match["file"]):
                break
            if match["file"] in _ON_THE_WAY:
                continue
            frames.append((f"{match['file']}:{match['line']}", match["function"]))
        return frames[::-1]


def _descend(top: Step, frames: list[Frame]) -> Step:
    """Return the node of the innermost frame; calls from one line share a node."""
    node = top
    for position, function in frames:
        last = node.children[-1] if node.children else None
        if last is None or (last.kind, last.place) != ("python", position):
            last = Step("python", function, position)
            node.children.append(last)
        node = last
    return node


def _scope(scope: Record) -> Step:
    kind = scope["kind"]
    position = f"{scope['file']}:{scope['line']}" if scope["file"] else ""
    shapes = " ".join(map(_shape, scope["shapes"]))
    if kind in ("op", "inner"):
        room = scope["file"].rpartition("/")[0]
        detail = ", ".join(filter(None, [shapes, _row("formula", scope)]))
        return Step(_ROOMS.get(room, "op"), scope["name"], position, detail)
    return Step(kind, scope["name"], position, scope["detail"])


# Elementwise ops stand in one table; their functions, in two folders.
_FOLDERS = {"formula": "cpp/ops", "rule": "cpp/autograd"}


def _row(kind: str, scope: Record) -> str:
    """Return where an elementwise op's formula or gradient rule is defined, or ""."""
    name = scope["name"]
    if scope["file"] != f"{_FOLDERS[kind]}/elementwise.cpp" or not _has_row(name):
        return ""
    return f'{kind}: row "{name}" of cpp/cpu/elementwise.inc'


@cache
def _has_row(op: str) -> bool:
    try:
        _core.float_code(op)
    except ValueError:
        return False
    return True


def _shape(shape: tuple[int, ...]) -> str:
    return str(tuple(shape))


def _work(work: Record) -> Step:
    kind = work["kind"]
    if kind == "kernel":
        detail = f"grid {_shape(work['grid'])}, block {_shape(work['block'])}"
        return Step("kernel", work["name"], place_of_kernel(work), detail)
    if kind == "copy":
        return Step("copy", work["direction"], "", f"{work['bytes']} bytes")
    if kind == "fill":
        return Step("fill", "memset", "", f"{work['bytes']} bytes")
    name = work["name"] or "event"
    return Step("wait" if kind == "event_wait" else kind, name, "")
