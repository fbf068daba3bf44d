"""The one run of all notebooks: their outputs, their times, what must not happen.

    python docs/run_notebooks.py [--fresh] [OUT]

executes every notebook on the emulator, each in a fresh kernel, into OUT (else
build/notebooks); one that ran since it and the library changed is kept, unless
`--fresh`. Ends with status 1 if a cell fails, or if something is found in a kernel
where the notebook does not speak of it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
WATCH = Path(__file__).with_name("notebook_watch.py")

KERNELS = 2  # at a time
CELL_SECONDS = 300
BAR_SECONDS = 240  # for all notebooks together, on two cores

#: Forms of an output that need no script, best first; others are left out.
STATIC = ("text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain")

# A cell means a finding if it, or the next one, speaks of it in one of these ways.
_MEANT = re.compile(r"\bKernelError\b|\bfindings\b|\bviz\.race\b|\.check\(")
_ENDS = re.compile(r"\x1b\[[0-9;]*m")  # colours of a terminal


@dataclass
class Run:
    """One notebook that ran: how long, and what went wrong, a sentence each."""

    name: str
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def execute(source: Path, target: Path) -> Run:
    """Run one notebook in a fresh kernel and write it with its outputs.

    Args:
        source: the notebook.
        target: where it goes. One that went wrong goes beside it, into failed/.
    """
    run = Run(source.stem)
    book = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "findings")
        found.touch()
        client = NotebookClient(
            book,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(source.parent)}},
            extra_arguments=[
                f"--IPKernelApp.exec_files={json.dumps([str(WATCH)])}",
                "--IPKernelApp.log_level=ERROR",
            ],
        )
        start = time.perf_counter()
        try:
            client.execute(env=os.environ | _settings(found))
        except CellExecutionError as error:
            run.wrong.append(_ENDS.sub("", str(error)).strip())
        run.seconds = time.perf_counter() - start
        rows = [json.loads(line) for line in found.read_text("utf-8").splitlines()]
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    run.wrong += unmeant(cells, rows) + warned(cells)
    for cell in cells:
        cell.outputs = [kept for each in cell.outputs if (kept := static(each))]
        cell.metadata.pop("execution", None)  # times: they differ in each run
    book.metadata.pop("widgets", None)
    failed = target.parent / "failed" / target.name
    for path in (target, failed):
        path.unlink(missing_ok=True)
    place = failed if run.wrong else target
    place.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, place)
    return run


def _settings(found: Path) -> dict[str, str]:
    return {"MINITORCH_CUDA": "emulator", "MINITORCH_NOTEBOOK_FINDINGS": str(found)}


def unmeant(cells: list[Any], rows: list[dict[str, Any]]) -> list[str]:
    """The findings of cells that do not speak of findings, nor does the next.

    Args:
        cells: the code cells, in order.
        rows: cell (from 1), kind, severity and message of each finding.
    """
    wrong = []
    for row in rows:
        number = row["cell"]
        speaks = "".join(each.source for each in cells[number - 1 : number + 1])
        if row["severity"] != "note" and not _MEANT.search(speaks):
            wrong.append(f"code cell {number}: {row['kind']}: {row['message']}")
    return wrong


def warned(cells: list[Any]) -> list[str]:
    """The warnings on a notebook's error stream; a reader should meet none."""
    return [
        f"code cell {number}: {output.text.strip()}"
        for number, cell in enumerate(cells, 1)
        for output in cell.outputs
        if output.get("name") == "stderr" and "Warning" in output.text
    ]


def static(output: Any) -> Any | None:
    """An output without the forms that need a script; None if nothing is left."""
    if "data" not in output:
        return output
    output.data = {name: output.data[name] for name in STATIC if name in output.data}
    return output if output.data else None


def fresh(source: Path, target: Path) -> bool:
    """Whether a notebook ran, and nothing that it depends on has changed since."""
    if not target.exists():
        return False
    changed = max(path.stat().st_mtime for path in (source, WATCH, *LIBRARY))
    return target.stat().st_mtime >= changed


#: What notebooks and docstrings are made of.
LIBRARY = [*(ROOT / "minitorch").rglob("*.py"), *(ROOT / "minitorch").rglob("*.so")]


def main(target: Path, again: bool = False) -> int:
    """Run the notebooks that have to, print a line for each; give the exit status.

    Args:
        target: the folder of the results.
        again: run also those that have not changed.
    """
    sources = sorted(NOTEBOOKS.glob("*.ipynb"))
    names = {path.name for path in sources}
    for old in target.glob("*.ipynb"):
        if old.name not in names:
            old.unlink()
    due = [each for each in sources if again or not fresh(each, target / each.name)]
    start = time.perf_counter()
    failed = 0
    with ThreadPoolExecutor(KERNELS) as pool:
        for run in pool.map(lambda each: execute(each, target / each.name), due):
            print(f"{run.name:<34} {run.seconds:6.1f} s", *run.wrong, sep="\n  ")
            failed += bool(run.wrong)
    total = time.perf_counter() - start
    over = f", more than the bar of {BAR_SECONDS} s" if total > BAR_SECONDS else ""
    kept = len(sources) - len(due)
    print(
        f"{len(due)} notebooks ran, {kept} kept, {failed} failed, {total:.1f} s{over}"
    )
    return int(failed > 0)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--fresh"]
    folder = Path(words[0]) if words else ROOT / "build" / "notebooks"
    sys.exit(main(folder, "--fresh" in sys.argv))
