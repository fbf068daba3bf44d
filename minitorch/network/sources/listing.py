"""How a call hierarchy is written: as text, and as a page of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Protocol

from .hierarchy import KernelSource, Step

MOST_LINES = 200


class _Pass(Protocol):
    @property
    def device(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...
    @property
    def dropped(self) -> int: ...


class _Source(Protocol):
    @property
    def call(self) -> str: ...
    @property
    def passes(self) -> tuple[_Pass, ...]: ...
    @property
    def kernels(self) -> tuple[KernelSource, ...]: ...


def text_of(source: _Source, most_lines: int | None) -> str:
    """A line for each step, indented below what calls it."""
    lines = [line for each in source.passes for line in _pass_lines(source, each)]
    if most_lines is None or len(lines) <= most_lines:
        return "\n".join(lines)
    more = len(lines) - most_lines
    last = f"... {more:,} lines more: print the whole with .text()"
    return "\n".join([*lines[:most_lines], last])


def _pass_lines(source: _Source, each: _Pass) -> list[str]:
    rows = list(_rows(each.steps, 1))
    width = max((len(left) for left, _ in rows), default=0)
    lines = [f"{source.call}, {each.direction} on {each.device}"]
    lines += [f"{left:<{width}}  {right}".rstrip() for left, right in rows]
    if each.dropped:
        lines.append(f"  {each.dropped:,} records more were not kept")
    return lines


def _rows(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[str, str]]:
    """Place and name of each step, and what it is; equal neighbours are one."""
    place = 0
    while place < len(steps):
        step = steps[place]
        count = 1
        while place + count < len(steps) and steps[place + count] == step:
            count += 1
        times = f" ({count} times)" if count > 1 else ""
        left = "  " * depth + " ".join(filter(None, [step.place, step.name]))
        yield left, f"{step.kind} {step.detail}".rstrip() + times
        yield from _rows(step.children, depth + 1)
        place += count


def page_of(source: _Source) -> str:
    """The text, and below it the kernels' files to unfold."""
    parts = [f"<pre>{escape(text_of(source, MOST_LINES))}</pre>"]
    shown = set()
    for kernel in source.kernels:
        if kernel.text and kernel.file not in shown:
            shown.add(kernel.file)
            parts.append(
                f"<details><summary><code>cpp/kernels/{escape(kernel.file)}</code>"
                f"</summary><pre>{escape(kernel.text)}</pre></details>"
            )
    return "\n".join(parts)
