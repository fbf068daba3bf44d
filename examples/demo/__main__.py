"""Runs the demo from data to demo.html; see the package's docstring."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from minitorch import cuda, explain, tensor
from minitorch.data import Split, load_digits
from minitorch.viz import Figure

from . import at_work, machine, report, student, training
from .digits import Reading
from .next_steps import next_steps

PAGE = Path("demo.html")
COMPARED_STEPS = 45  # an epoch


def _train(trainer: training.Trainer, digits: Split) -> training.History:
    """Trains with a bar on the terminal, if tqdm is there."""
    with ExitStack() as open_bar:
        try:
            from tqdm import tqdm
        except ImportError:
            return training.train(trainer, digits, training.EPOCHS, lambda loss: None)
        steps = training.EPOCHS * -(-len(digits.train_labels) // training.BATCH)
        bar = open_bar.enter_context(
            tqdm(total=steps, desc="training on cpu", unit="step", disable=None)
        )

        def progress(loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update()

        return training.train(trainer, digits, training.EPOCHS, progress)


def _mapped(trainer: training.Trainer, image: np.ndarray) -> Figure | None:
    """How reading one digit, (1, 8, 8), is mapped onto a card; None: nobody counts."""
    if not cuda.is_emulated():
        return None
    explained = explain(trainer.network, tensor(image[None]))
    figure: Figure = explained.show()
    return figure


def run(digits: Split) -> report.Results:
    """Trains, repeats the first steps on `cuda`, reads, draws, makes the mistake."""
    trainer = training.Trainer("cpu")
    start = time.perf_counter()
    history = _train(trainer, digits)
    seconds = time.perf_counter() - start
    read = trainer.read(digits.test_images)
    reading = Reading(digits.test_images[:, 0], digits.test_labels, read)

    cuda.clear_launch_table()
    cuda.time_launches()
    same = training.compare_devices(digits, COMPARED_STEPS)
    alike = int((trainer.copy_to("cuda").read(digits.test_images) == read).sum())
    rows = cuda.launch_table()
    cuda.time_launches(False)

    shown = [*reading.wrong, *reading.one_of_each][0]
    return report.Results(
        machine=machine.this_machine(),
        parameters=trainer.size,
        learned_from=len(digits.train_labels),
        seconds=seconds,
        history=history,
        reading=reading,
        alike=alike,
        agreement=same,
        rows=rows,
        figure=at_work.draw(reading.images[shown], trainer.first_filter()),
        error=student.run_without_guard(digits.test_images[0]),
        network=_mapped(trainer, digits.test_images[shown]),
    )


def _tell(found: report.Results) -> None:
    print(report.headline(found))
    print(report.where_it_ran(found))
    print(report.what_the_mistake_did(found))
    if found.error is not None:
        print(f"  {found.error}")


def main(arguments: Sequence[str] = ()) -> int:
    """Run the demo and write its page.

    Args:
        arguments: words after the program's name.

    Returns:
        exit status: 1 where something is missing, which one sentence says.
    """
    argparse.ArgumentParser(
        prog="python -m examples.demo",
        description="Train a network that reads digits, on the CPU and in CUDA "
        f"kernels, and write a page about it: {PAGE} in this folder. It takes "
        "no options, and about a minute.",
    ).parse_args(arguments)
    try:
        machine.require(PAGE)
        digits = load_digits()
    except (ImportError, OSError, machine.MissingError) as error:
        print(error, file=sys.stderr)
        return 1
    found, steps = run(digits), next_steps()
    try:
        report.write(PAGE, found, steps)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    _tell(found)
    print(f"\nOpen this page in a browser: {PAGE.absolute().as_uri()}")
    print(f"{steps[0].why}: {steps[0].command}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
