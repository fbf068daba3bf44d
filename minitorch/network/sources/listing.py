"""Format a call hierarchy as text and as HTML."""

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
    """Return a line for each step, indented below its caller."""
    lines = [line for part in source.passes for line in _pass_lines(source, part)]
    if most_lines is None or len(lines) <= most_lines:
        return "\n".join(lines)
    more = len(lines) - most_lines
    last = f"... {more:,} lines more: print the whole with .text()"
    return "\n".join([*lines[:most_lines], last])


def _pass_lines(source: _Source, part: _Pass) -> list[str]:
    rows = list(_rows(part.steps, 1))
    width = max((len(left) for left, _ in rows), default=0)
    lines = [f"{source.call}, {part.direction} on {part.device}"]
    lines += [f"{left:<{width}}  {right}".rstrip() for left, right in rows]
    if part.dropped:
        lines.append(f"  {part.dropped:,} records more were not kept")
    return lines


def _rows(steps: tuple[Step, ...], depth: int) -> Iterator[tuple[str, str]]:
    """Yield name and description of each step; merge equal neighbours."""
    index = 0
    while index < len(steps):
        step = steps[index]
        count = 1
        while index + count < len(steps) and steps[index + count] == step:
            count += 1
        times = f" ({count} times)" if count > 1 else ""
        left = "  " * depth + " ".join(filter(None, [step.place, step.name]))
        yield left, f"{step.kind} {step.detail}".rstrip() + times
        yield from _rows(step.children, depth + 1)
        index += count


def page_of(source: _Source) -> str:
    """Return the text as HTML, with the kernels' files to unfold below it."""
    parts = [f"<pre>{escape(text_of(source, MOST_LINES))}</pre>"]
    files = set()
    for kernel in source.kernels:
        if kernel.text and kernel.file not in files:
            files.add(kernel.file)
            parts.append(
                f"<details><summary><code>cpp/kernels/{escape(kernel.file)}</code>"
                f"</summary><pre>{escape(kernel.text)}</pre></details>"
            )
    return "\n".join(parts)
