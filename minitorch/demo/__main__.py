"""Runs the main job from data to demo.html; see the package's docstring."""

from __future__ import annotations

import time
from pathlib import Path

from tqdm import tqdm

from .. import cuda
from ..data import Split, load_digits
from . import report, student, training

COMPARED_STEPS = 45
SHOWN_ROWS = 12


def _train(digits: Split) -> training.History:
    steps = training.EPOCHS * -(-len(digits.train_labels) // training.BATCH)
    with tqdm(total=steps, desc="training on cpu", unit="step") as bar:

        def progress(loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update()

        return training.train(digits, training.EPOCHS, "cpu", progress)


def _print_table(rows: list[cuda.LaunchRow]) -> None:
    total = sum(row.seconds for row in rows) or 1.0
    head = ("kernel", "file", "grid", "block", "launches", "time", "share")
    form = "{:<18} {:<21} {:>12} {:>12} {:>9} {:>10} {:>7}"
    print(form.format(*head))
    slowest = sorted(rows, key=lambda row: -row.seconds)
    for row in slowest[:SHOWN_ROWS]:
        print(
            form.format(
                row.kernel,
                Path(row.file).name,
                "x".join(map(str, row.grid)),
                "x".join(map(str, row.block)),
                row.launches,
                f"{row.seconds * 1e3:.1f} ms",
                f"{100 * row.seconds / total:.1f} %",
            )
        )
    if len(rows) > SHOWN_ROWS:
        print(f"and {len(rows) - SHOWN_ROWS} faster ones, in the page")


def main() -> None:
    """Trains, compares devices, shows a mistake, lists the kernels, writes the page."""
    start = time.perf_counter()
    digits = load_digits()
    history = _train(digits)
    print(f"test accuracy on cpu: {100 * history.accuracy[-1]:.1f} %\n")

    print(f"the same {COMPARED_STEPS} steps on cuda ({cuda.device_name()}):")
    cuda.time_launches()
    same = training.compare_devices(digits, COMPARED_STEPS)
    for device, loss in same.last_loss.items():
        print(f"  loss after step {same.steps} on {device:<5} {loss:.12f}")
    print(f"  largest difference of a loss      {same.loss:.1e}")
    print(f"  largest difference of a gradient  {same.gradient:.1e}\n")
    rows = cuda.launch_table()

    print("a student's kernel without `if (i < n)`:")
    error = student.run_without_guard(digits.test_images[0])
    print(f"  {error}\n" if error else "  this GPU did not notice the overrun\n")

    print("kernels launched on cuda:")
    _print_table(rows)
    page = Path("demo.html")
    report.write(page, history, error, rows)
    print(
        f"\nwrote {page} in {time.perf_counter() - start:.0f} s; open it in a browser"
    )


if __name__ == "__main__":
    main()
