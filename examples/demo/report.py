"""Demo.html: its sections in order, one sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path

from minitorch import cuda
from minitorch.tools.files import write_atomically
from minitorch.viz import Figure
from minitorch.viz.scene.palette import style_sheet

from . import at_work, curves, student
from .digits import Reading, draw_digits
from .kernel_table import draw_kernels, threads_of, totals
from .machine import Machine
from .next_steps import Step
from .training import Agreement, History


@dataclass(frozen=True, eq=False)
class Results:
    """What a run of the demo found.

    Attributes:
        machine: What it ran on.
        parameters: How many numbers the network has learned.
        learned_from: How many scans it learned from.
        seconds: How long its training took on device `cpu`.
        history: Losses and shares of that training.
        reading: What the trained network read in the test digits, on device `cpu`.
        alike: How many of these digits device `cuda` read as device `cpu` did.
        agreement: How device `cuda` did the first steps.
        rows: The kernels that did both on device `cuda`.
        figure: A kernel at work.
        error: The student's mistake; None: a GPU did not notice it.
        network: How the network is mapped onto the card; None: a GPU cannot be asked.
    """

    machine: Machine
    parameters: int
    learned_from: int
    seconds: float
    history: History
    reading: Reading
    alike: int
    agreement: Agreement
    rows: list[cuda.LaunchRow]
    figure: Figure
    error: cuda.KernelError | None
    network: Figure | None

    @property
    def epochs(self) -> int:
        """How often the network saw each training digit."""
        return len(self.history.accuracy)

    @property
    def launches(self) -> int:
        """Launches of all kernels."""
        return sum(row.launches for row in self.rows)


def headline(found: Results) -> str:
    """The demo in one sentence."""
    return (
        f"You trained a network of {found.parameters:,} parameters: it reads "
        f"{found.reading.score} new digits right ({found.reading.percent})."
    )


def where_it_ran(found: Results) -> str:
    """What ran where, in one sentence."""
    same = found.agreement
    return (
        f"The processor ran all {len(found.history.loss):,} steps; "
        f"{found.machine.device} repeated the first {same.steps} with CUDA kernels, "
        f"and no loss differs by more than {same.loss:.1e}."
    )


def what_the_mistake_did(found: Results) -> str:
    """What was said of the student's kernel, in one sentence."""
    error = found.error
    if error is None or error.thread is None or error.block is None:
        return (
            "A student's kernel without if (i < n) ran past the end of its arrays, but "
            "this GPU reported nothing; with MINITORCH_CUDA=emulator, a message names "
            "the line."
        )
    thread, block = error.thread[0], error.block[0]
    return (
        f"A student forgot if (i < n), and thread {thread} of block {block} ran past "
        f"the end of the array: the message names line {error.line}."
    )


def _section(question: str, sentence: str, content: str) -> str:
    return (
        f'<section><h2>{question}</h2><p class="say">{escape(sentence)}</p>'
        f"{content}</section>"
    )


def _top(found: Results) -> str:
    machine = found.machine
    kernels = (
        f"that processor also emulated the {machine.card} that ran the CUDA kernels"
        if machine.emulated
        else f"the CUDA kernels ran on the GPU ({machine.card})"
    )
    words = (
        f"It learned from {found.learned_from:,} scans for {found.epochs} epochs, in "
        f"{found.seconds:.1f} s on this machine's processor ({machine.processor}); "
        f"{kernels}."
    )
    return f"<header><h1>{escape(headline(found))}</h1><p>{escape(words)}</p></header>"


def _digits(found: Results) -> str:
    wrong, total = len(found.reading.wrong), len(found.reading.labels)
    sentence = (
        f"It had never seen these {total:,} digits of 8 × 8 pixels, and it misread "
        f"{f'{wrong:,} of them' if wrong else 'none'}."
    )
    return _section("What can it read?", sentence, draw_digits(found.reading))


def _training(found: Results) -> str:
    loss, accuracy = found.history.loss, found.history.accuracy
    sentence = (
        f"In {found.epochs} epochs of {len(loss) // found.epochs} steps, the loss fell "
        f"from {loss[0]:.2f} to {loss[-1]:.2f}."
    )
    drawn = curves.draw_loss(loss, found.epochs), curves.draw_accuracy(accuracy)
    return _section(
        "How did it learn?", sentence, f'<div class="two">{"".join(drawn)}</div>'
    )


def _places(found: Results) -> str:
    machine, total = found.machine, len(found.reading.labels)
    threads = sum(threads_of(row) for row in found.rows)
    card = machine.card + (", emulated on the processor" if machine.emulated else "")
    launches = f"{found.launches:,} launches of {len(totals(found.rows))} kernels"
    alike = "all of them" if found.alike == total else f"{found.alike:,} of them"
    time = "The emulator's time, not a GPU's." if machine.emulated else ""
    content = (
        f"<dl><dt>device cpu</dt><dd>{escape(machine.processor)}: "
        f"{len(found.history.loss):,} steps in C++ loops, {found.seconds:.1f} s</dd>"
        f"<dt>device cuda</dt><dd>{escape(card)}: {found.agreement.steps} steps, and "
        f"{total:,} digits read, {alike} as device cpu did; {launches}, "
        f"{threads:,} threads</dd></dl>"
        f"{draw_kernels(found.rows, time)}"
    )
    return _section("What ran where?", where_it_ran(found), content)


def _kernel(found: Results) -> str:
    sentence = (
        "Each thread of this kernel computes one pixel of a filtered digit; point at a "
        "thread, or tap it, to see what it reads."
    )
    given = (
        "image: a digit from above, 0 to 16; weights: the first filter that the "
        "network learned, in quarters"
    )
    fold = (
        "<details><summary>The kernel, in Python</summary>"
        f"<pre>{escape(at_work.source())}</pre></details>"
    )
    return _section(
        "What does a kernel do?",
        sentence,
        f'<p class="detail">{given}</p>{found.figure.fragment()}{fold}',
    )


def _mistake(found: Results) -> str:
    wrong = found.error.line if found.error is not None else None
    lines = "".join(
        f'<span class="line{" wrong" if at == wrong else ""}">'
        f"<i>{'▲ ' if at == wrong else ''}{at}</i>{escape(line)}</span>"
        for at, line in enumerate(student.SOURCE.splitlines(), 1)
    )
    said = f'<pre class="report">{escape(str(found.error))}</pre>' if wrong else ""
    return _section(
        "What does a mistake look like?",
        what_the_mistake_did(found),
        f"<pre>{lines}</pre>{said}",
    )


def _network(found: Results) -> str:
    if found.network is None:
        return ""
    sentence = (
        "To read one digit, the network launches these kernels; choose one, and go "
        "down to one block, one warp, one thread and what it reads."
    )
    return _section(
        "How is the network mapped onto the GPU?", sentence, found.network.fragment()
    )


def _next(steps: list[Step]) -> str:
    items = "".join(
        f"<li>{escape(step.why)}: "
        + (
            f"<pre>{escape(step.command)}</pre>"
            if step.command
            else f'<a href="{escape(step.address)}">{escape(step.address)}</a>'
        )
        + "</li>"
        for step in steps
    )
    return _section("What next?", "Here are some next steps.", f"<ol>{items}</ol>")


def to_html(found: Results, steps: list[Step]) -> str:
    """The page; it needs no network."""
    look = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    parts = (_top, _digits, _training, _places, _kernel, _mistake, _network)
    body = "\n".join(part(found) for part in parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(headline(found))}</title>"
        f"<style>{style_sheet('page')}\n{look}</style></head>"
        f'<body id="page"><main>\n{body}\n{_next(steps)}\n</main></body></html>\n'
    )


def write(path: Path, found: Results, steps: list[Step]) -> None:
    """Write the page to a file.

    Raises:
        OSError: It cannot be written, as on a full disk; no part of it is left.
    """
    page = to_html(found, steps).encode()
    try:
        write_atomically(path, page)
    except OSError as error:
        raise OSError(
            f"[demo] {path.absolute()} cannot be written ({error.strerror}); need "
            f"{len(page) // 1000 + 1} KB of disk space. Free some space, or go to "
            "another folder (cd), and run python -m examples.demo."
        ) from error
