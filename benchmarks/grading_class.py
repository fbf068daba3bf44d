"""Measures the grading of a class: 200 submissions with faults of every kind.

    python -m benchmarks.grading_class assignments/m0 assignments/m3 --count 200

They are made from the twins of assignments, the solution, the starter, and ways to go
wrong that no twin has. The class is graded twice: the scores must be equal. Throughput
is that of two workers beside that of two grader processes which share nothing, in the
same run and of the same part of the class.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from minitorch_grading.course.sources import Source, read_source
from minitorch_grading.course.trees import Tree, sources_tree, twin_tree, write_tree
from minitorch_grading.course.twins import twins_of
from minitorch_grading.together.compare import compare
from minitorch_grading.together.grade_class import ClassGraded, grade_class
from minitorch_grading.together.results import read_results

from .report import Row

SECRET = b"the benchmark's inputs follow it"
WORKERS = 2
PART = 24  # submissions that throughput is measured with

#: Ways to go wrong in front of a student's own text, or in place of it (None).
FAULTS: dict[str, str | None] = {
    "syntax": "def f(:\n",
    "exit": "import os\nos._exit(0)\n",
    "system_exit": "raise SystemExit(0)\n",
    "loop": "while True: pass\n",
    "recursion": "def f(): f()\nf()\n",
    "memory": "hog = [bytearray(1 << 30) for _ in range(64)]\n",
    "output": "print('x' * (1 << 30))\n",
    "lines": "for _ in range(10_000): print('passed')\n",
    "import": "import socket, a_module_that_is_not_there\n",
    "write": "open('/tmp/report.json', 'w').write('{}')\n",
    "missing": None,
    "empty": "",
}


def variants(source: Source) -> Iterator[tuple[str, Tree]]:
    """Every submission that follows from an assignment, once each."""
    solution = sources_tree(source, "solution")
    own = [name for name in source.files if name in solution]
    yield "solution", solution
    yield "starter", sources_tree(source, "starter")
    for twin in twins_of(source.folder):
        yield f"twin-{twin.path.stem}", twin_tree(source, twin)
    python = [name for name in own if name.endswith(".py")]
    for title, text in FAULTS.items() if python else ():
        tree = dict(solution)
        name = python[-1]
        if text is None:
            del tree[name]
        else:
            future = b"from __future__ import annotations\n"
            below = b"" if title == "empty" else tree[name].replace(future, b"", 1)
            tree[name] = text.encode() + below
        yield f"fault-{title}", tree
    for name in python:
        tree = dict(solution)
        tree[name] = b"\xef\xbb\xbf" + tree[name].replace(b"\n", b"\r\n")
        yield f"crlf-{Path(name).stem}", tree


def write_class(source: Source, count: int, to: Path) -> Counter[str]:
    """Write `count` submissions that all differ; every fifth is a zip.

    Returns:
        How often each kind of fault was written.
    """
    kinds: Counter[str] = Counter()
    known = list(variants(source))
    for number, (title, tree) in zip(
        range(count), itertools.cycle(known), strict=False
    ):
        kinds[title.partition("-")[0]] += 1
        files = {name: data for name, data in tree.items() if name in source.files}
        for name, data in files.items():
            mark = "//" if name.endswith((".cu", ".cuh")) else "#"
            files[name] = data + f"\n{mark} submission {number}\n".encode()
        folder = to / f"{number:03d}-{title}"
        if number % 5:
            write_tree(files, folder)
            continue
        to.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder.with_suffix(".zip"), "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    return kinds


_ALONE = """
import json, sys
from pathlib import Path
from minitorch_grading.judge.grade import grade_one
assignment, to, secret = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].encode()
cache = to / "solution"  # and a library of its own, as `grade_one` makes it
cache.mkdir(parents=True, mode=0o700)
for path in map(Path, sys.argv[4:]):
    grade_one(assignment, path, to / path.stem, secret, cache=cache)
"""


def alone(assignment: Path, handed_in: Path, to: Path) -> float:
    """Seconds that two independent processes take for a class, half of it each."""
    paths = sorted(handed_in.iterdir())
    began = time.perf_counter()
    command = [sys.executable, "-c", _ALONE, str(assignment.resolve())]
    halves = [
        subprocess.Popen([*command, str(to / str(n)), SECRET.decode(), *map(str, half)])
        for n, half in enumerate((paths[::2], paths[1::2]))
    ]
    statuses = [half.wait() for half in halves]
    assert statuses == [0, 0], statuses
    return time.perf_counter() - began


def _part_of(handed_in: Path, to: Path) -> Path:
    """Every kind of fault that a few submissions can have, in a folder of their own."""
    paths = sorted(handed_in.iterdir())
    to.mkdir()
    for path in paths[:: max(1, len(paths) // PART)][:PART]:
        copied = shutil.copytree if path.is_dir() else shutil.copy
        copied(path, to / path.name)
    return to


def _graded(assignment: Path, handed_in: Path, to: Path) -> tuple[float, ClassGraded]:
    began = time.perf_counter()
    done = grade_class(
        assignment, handed_in, to, SECRET, workers=WORKERS, progress=_told
    )
    return time.perf_counter() - began, done


def _wrong(folder: Path) -> list[str]:
    """Submissions that are right and lost points, or have nothing and got some."""
    found = []
    for each in read_results(folder):
        title, report = each.name.partition("-")[2], each.report
        missing = report["max_score"] - report["score"]
        right = title.startswith(("solution", "crlf", "fault-lines"))
        if (right and missing) or (title.startswith("starter") and report["score"]):
            found.append(f"{each.name} {report['score']}/{report['max_score']}")
    return found


def measured(assignment: Path, count: int, to: Path) -> Iterator[Row]:
    """Grade a class of one assignment twice, and a part of it without a class."""
    source = read_source(assignment)
    handed_in = to / "handed-in"
    kinds = write_class(source, count, handed_in)
    seconds = []
    for name in ("first", "second"):
        taken, done = _graded(assignment, handed_in, to / name)
        seconds.append(taken)
        assert done.graded == count, done.says
        print(f"  {name}: {taken:.0f} s; {done.says}", flush=True)
    changes = compare(to / "first", to / "second")
    wrong = _wrong(to / "first")
    outcomes: Counter[str] = Counter()
    for each in read_results(to / "first"):
        outcomes.update({row["outcome"] for row in each.report["rows"]})
    title = f"{count} submissions of {source.name}"
    differ = f"{len(changes.changes)} differ"
    yield Row(f"{title}, graded twice", differ, "none", not changes.changes)
    yield Row(f"{title}, judged wrongly", str(len(wrong)), "none", not wrong)
    rate = f"{count / min(seconds):.2f} a second"
    yield Row(f"{title}, {WORKERS} workers", rate, "", None)
    print(f"  written: {json.dumps(kinds)}\n  outcomes: {json.dumps(outcomes)}")
    print(f"  {changes.says}\n  wrong: {wrong}", flush=True)
    yield _throughput(assignment, _part_of(handed_in, to / "part"), to)


def _throughput(assignment: Path, part: Path, to: Path) -> Row:
    by_class, done = _graded(assignment, part, to / "by-class")
    by_two = alone(assignment, part, to / "alone")
    count, share = done.graded, by_two / by_class
    title = f"{count} of {assignment.name} in {by_class:.0f} s, alone {by_two:.0f} s"
    bar = ">= 0.9 x two processes alone"
    return Row(f"{title}: throughput", f"{share:.2f} x", bar, share >= 0.9)


def _told(done: int, count: int) -> None:
    print(f"\r  {done} of {count}", end="", file=sys.stderr, flush=True)


def rows(
    assignments: tuple[str, ...] = ("assignments/m0",), count: int = 40
) -> Iterator[Row]:
    """The rows of `python -m benchmarks`: a small class."""
    each = -(-count // len(assignments))
    for name in assignments:
        with tempfile.TemporaryDirectory() as folder:
            yield from measured(Path(name), each, Path(folder))


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignments", nargs="*", default=["assignments/m0"])
    parser.add_argument("--count", type=int, default=200, help="in all, 200")
    told = parser.parse_args()
    for row in rows(tuple(told.assignments), told.count):
        print(row, flush=True)


if __name__ == "__main__":
    main()
