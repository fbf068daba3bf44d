"""Writes demo.html: loss curve, tiled matmul, the student's mistake, the kernels."""

from __future__ import annotations

from html import escape
from pathlib import Path

from .. import cuda
from ..viz import Page
from . import owners, student
from .training import History


def _mistake(error: cuda.KernelError | None) -> str:
    wrong = error.line if error is not None else None
    lines = "".join(
        f'<div class="{"wrong" if number == wrong else ""}">'
        f"<i>{number}</i>{escape(line)}</div>"
        for number, line in enumerate(student.SOURCE.splitlines(), 1)
    )
    said = (
        escape(str(error))
        if error is not None
        else "This GPU ran past the end of the array and said nothing. "
        "Run it on the emulator: MINITORCH_CUDA=emulator."
    )
    return (
        "<h1>What does a missing guard look like?</h1>"
        '<div class="say">The kernel runs with more threads than pixels.</div>'
        f'<div class="code">{lines}</div><h2>The report</h2>'
        f'<div class="report">{said}</div>'
    )


def _kernels(rows: list[cuda.LaunchRow]) -> str:
    total = sum(row.seconds for row in rows) or 1.0
    body = "".join(
        f"<tr><td>{escape(row.kernel)}</td><td class=left>{escape(row.file)}</td>"
        f"<td>{' × '.join(map(str, row.grid))}</td>"
        f"<td>{' × '.join(map(str, row.block))}</td><td>{row.launches:,}</td>"
        f"<td>{row.seconds * 1e3:.1f} ms</td>"
        f'<td><b style="width:{100 * row.seconds / total:.0f}px"></b>'
        f"{100 * row.seconds / total:.1f} %</td></tr>"
        for row in sorted(rows, key=lambda row: -row.seconds)
    )
    return (
        "<h1>Which kernels ran on device cuda?</h1>"
        f'<div class="say">{sum(row.launches for row in rows):,} launches of '
        f"{len({row.kernel for row in rows})} kernels.</div>"
        "<table><tr><th>kernel</th><th class=left>file</th><th>grid</th><th>block</th>"
        f"<th>launches</th><th>time</th><th>share</th></tr>{body}</table>"
    )


def write(
    path: Path,
    history: History,
    error: cuda.KernelError | None,
    rows: list[cuda.LaunchRow],
) -> None:
    """Writes the page; it needs no network and opens in any browser."""
    page = Page("minitorch: first light")
    page.add_view(
        "loss_curve.js",
        "drawLossCurve",
        {
            "loss": [round(value, 5) for value in history.loss],
            "accuracy": history.accuracy,
            "steps_per_epoch": len(history.loss) // len(history.accuracy),
        },
    )
    page.add_view("tiled_matmul.js", "drawTiledMatmul", owners.record())
    page.add_html(_mistake(error))
    page.add_html(_kernels(rows))
    path.write_text(page.to_html(), encoding="utf-8")
