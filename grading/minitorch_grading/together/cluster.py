"""Workers for grading a class: processes of this machine, or of a Dask cluster.

A worker that dies is replaced, and its submission is tried once more, alone.

On SLURM, with a folder that all nodes see (a scheduler obeys whoever can connect: use
TLS where others share the network):

    dask scheduler --scheduler-file scheduler.json --no-dashboard &
    srun --ntasks=32 --cpus-per-task=1 dask worker --scheduler-file scheduler.json \\
        --nthreads 1 --memory-limit 0 --no-dashboard &
    minitorch course grade m3 handed-in/ --to results/ --scheduler scheduler.json
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

from ..errors import UsageError
from ..sandbox.library_subset import share

#: The function that grades one submission, where no other is named.
GRADE_ONE = "minitorch_grading.judge.grade:grade_one"
_PICTURES_BYTES = 20_000_000  # of one report


class Task(TypedDict):
    """The arguments of one grading.

    Two folders spare repeated work: `cache` for what the solution gives, `library` for
    what confined processes import ("": each worker has its own).
    """

    grade: str
    assignment: str
    submission: str
    secret: bytes
    level: str | None
    cache: str
    library: str


class Graded(TypedDict):
    """The report of a submission, and its pictures by name."""

    report: dict[str, Any]
    pictures: dict[str, bytes]


def grade_task(task: Task) -> Graded:
    """Grade one submission in a scratch folder: on any worker, and twice if need be.

    Args:
        task: paths that this machine can read, and the function to call, as
            "module:function" with the parameters of `grade_one`.
    """
    module, _, name = task["grade"].partition(":")
    grade_one = getattr(import_module(module), name)
    if task["library"]:
        share(Path(task["library"]))  # a worker's own would outlive it
    with tempfile.TemporaryDirectory(prefix="minitorch-grade-") as scratch:
        to = Path(scratch, "to")
        report = grade_one(
            Path(task["assignment"]),
            Path(task["submission"]),
            to,
            task["secret"],
            task["level"],
            cache=Path(task["cache"]),
            library=Path(task["library"]) if task["library"] else None,
        )
        return {"report": report, "pictures": _pictures(to / "pictures")}


def _pictures(folder: Path) -> dict[str, bytes]:
    pictures: dict[str, bytes] = {}
    room = _PICTURES_BYTES
    for path in sorted(folder.glob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= room:
            pictures[path.name] = path.read_bytes()
            room -= len(pictures[path.name])
    return pictures


@contextmanager
def workers_of(
    workers: int | None = None, scheduler: Path | None = None
) -> Iterator[Any]:
    """Return a Dask client with workers of one thread each.

    Args:
        workers: how many processes of this machine; None: one for each of its cores.
        scheduler: the file of a running Dask scheduler, in place of own processes.

    Raises:
        UsageError: `distributed` is missing, no such file, or nobody answers.
    """
    dask, distributed = _imported()
    settings = {
        "distributed.scheduler.allowed-failures": 0,  # `run_all` tries again itself
        "distributed.scheduler.worker-saturation": 1.0,  # none waits at a worker
        "distributed.comm.timeouts.connect": "20s",
    }
    if scheduler is not None and not scheduler.is_file():
        raise UsageError(
            f"[grade] {scheduler} is not a file; need the file that `dask scheduler "
            "--scheduler-file` wrote."
        )
    with dask.config.set(settings):
        if scheduler is not None:
            try:
                client = distributed.Client(scheduler_file=str(scheduler))
            except OSError as error:
                raise UsageError(
                    f"[grade] the scheduler does not answer: {error}"
                ) from None
            with client:
                yield client
            return
        cluster = distributed.LocalCluster(
            n_workers=workers or len(os.sched_getaffinity(0)),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # 8787 may be taken
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            scheduler_kwargs={"dashboard": False},
        )
        with cluster, distributed.Client(cluster) as client:
            yield client


def _imported() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError as error:
        raise UsageError(
            f"[grade] grading a class in parallel needs Dask ({error}). Run: pip "
            'install "minitorch-grading[class]".'
        ) from None
    return dask, distributed


def run_all(
    client: Any,
    tasks: Mapping[str, Task],
    done: Callable[[str, Graded | Exception], None],
) -> None:
    """Run tasks until each has come back once, whoever dies meanwhile.

    Whose worker died is tried again with nothing else under way: only who dies then too
    is to blame, not a task that was on the same worker.

    Args:
        client: of `workers_of`.
        tasks: the tasks by key.
        done: called with each key and what came of it, in this thread.
    """
    for key in _run(client, tasks, done):
        for again, error in _run(client, {key: tasks[key]}, done).items():
            done(again, error)


def _run(
    client: Any,
    tasks: Mapping[str, Task],
    done: Callable[[str, Graded | Exception], None],
) -> dict[str, Exception]:
    """Run the tasks on all workers; return the errors of those whose worker died."""
    _, distributed = _imported()
    keys = {
        client.submit(grade_task, task, pure=False): key for key, task in tasks.items()
    }
    died: dict[str, Exception] = {}
    for future in distributed.as_completed(keys):
        graded: Graded | Exception
        try:
            graded = future.result()
        except distributed.KilledWorker as error:
            died[keys[future]] = error
            continue
        except Exception as error:
            graded = error
        future.release()  # a report need not stay with its worker
        done(keys[future], graded)
    return died
