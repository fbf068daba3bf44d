"""Tests confined processes that are copies: as new ones, in what matters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from minitorch_grading.author.requests import Author
from minitorch_grading.sandbox.process import PeerEnded, confined
from minitorch_grading.sandbox.starting import Prepared

from .test_process import ENDS, REFUSED, run
from .trees import at_levels, children, processes


@pytest.fixture(scope="module")
def prepared():
    with closing(Prepared()) as made:
        made.begin("author", "nothing", 256)
        yield made


def author(prepared: Prepared, folder: Path, level: str = "confined"):
    return confined(
        "author", level=level, sees="nothing", folder=folder, prepared=prepared
    )


def original(prepared: Prepared) -> int:
    """The number of its one process that is copied."""
    (found,) = prepared._originals.values()
    return found._process.pid


@at_levels("confined", "uid")
def test_copies_end_as_new_processes_do(level, prepared, tmp_path):
    for code, (how, number) in ENDS.items():
        options = {"memory_mb": 256, "prepared": prepared}
        with pytest.raises(PeerEnded) as caught:
            run(code + "\nanswer = 1", tmp_path, level, **options)
        assert (caught.value.ended.how, caught.value.ended.code) == (how, number), code


@at_levels("confined", "uid")
def test_copies_are_confined(level, prepared, tmp_path):
    (tmp_path / "seen.txt").write_text("seen")
    text = """
def run(code):
    try:
        exec(code, {})
    except (OSError, ValueError):
        return "refused"
    return "done"
"""
    above = "import os; os.kill(os.getppid(), 9)"
    with author(prepared, tmp_path, level) as peer:
        for title, code in {**REFUSED, "end the original": above}.items():
            assert Author(peer).call(text, "run", [code]) == "refused", title
    assert [path.name for path in tmp_path.iterdir()] == ["seen.txt"]


@at_levels("confined", "uid")
def test_a_copy_has_two_pipes_and_three_outputs(level, prepared, tmp_path):
    """Orders to the original go by a socket, which no copy keeps."""
    code = (
        "import os\ndef kind(n):\n"
        "    try: return os.fstat(n).st_mode >> 12\n"
        "    except OSError: return 0\n"
        "answer = [kind(n) for n in range(24)]"
    )
    answer = run(code, tmp_path, level, prepared=prepared)
    pipe, device = 1, 2
    assert answer[0] == device
    assert sorted(answer[1:])[-4:] == [pipe] * 4
    assert not any(sorted(answer[1:])[:-4])


def test_each_copy_prints_for_itself(prepared, tmp_path):
    text = "def say(x): print(x); return x"
    with author(prepared, tmp_path) as first, author(prepared, tmp_path) as second:
        for peer, word in ((first, "one"), (second, "two")):
            assert Author(peer).call(text, "say", [word]) == word
        assert first.close().stdout == "one\n"
        assert second.close().stdout == "two\n"


def test_a_copy_knows_nothing_of_another(prepared, tmp_path):
    mark = "import sys, numpy as np; old = getattr(sys, 'mark', 0); sys.mark = 1\n"
    mark += "import random; np.mark = 2\n"
    mark += "answer = [old, float(np.random.rand()), random.random(), hash('a')]"
    one, two = (run(mark, tmp_path, prepared=prepared) for _ in range(2))
    assert one[0] == two[0] == 0
    assert one[1] != two[1]
    assert one[2] != two[2]
    assert one[3] == two[3]


def test_at_level_process_each_is_new(prepared, tmp_path):
    """What is not confined could reach the original, and by it the next copy."""
    before = children()
    with author(prepared, tmp_path, "process"):
        assert len(children() - before) == 1


def test_copies_go_with_their_original(tmp_path):
    with closing(Prepared()) as made:
        with author(made, tmp_path) as peer:
            number = Author(peer).call(
                "import os\ndef pid(): return os.getpid()", "pid", []
            )
            first = original(made)
            os.kill(first, signal.SIGKILL)
            assert gone(number)
            with pytest.raises(PeerEnded) as caught:
                Author(peer).call("def f(): return 1", "f", [])
            assert caught.value.ended.how == "memory"  # as of each that was killed
        # The next start notices, and the one behind it has an original again.
        for _ in range(2):
            with author(made, tmp_path) as peer:
                assert Author(peer).call("def f(): return 1", "f", []) == 1
        second = original(made)
        assert second != first
    assert gone(second)


def test_a_program_that_does_not_load_is_told_by_a_new_process(monkeypatch, tmp_path):
    with closing(Prepared()) as made:
        monkeypatch.setattr(made, "start", refuse)
        with author(made, tmp_path) as peer:
            assert Author(peer).call("def f(): return 1", "f", []) == 1


def refuse(*kind: object) -> None:
    raise ConnectionError(f"no {kind}")


def test_originals_and_copies_die_with_the_grader(tmp_path):
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from minitorch_grading.sandbox.levels import best\n"
        "from minitorch_grading.sandbox.process import confined\n"
        "from minitorch_grading.sandbox.starting import Prepared\n"
        "made = Prepared()\n"
        "with confined('author', level=best(), sees='nothing',\n"
        "              folder=Path(sys.argv[1]), prepared=made) as peer:\n"
        "    (original,) = made._originals.values()\n"
        "    print(peer._process.pid, original._process.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        numbers = [int(each) for each in grader.stdout.readline().split()]
        assert len(numbers) == 2
        assert set(numbers) <= processes()
        grader.kill()
    assert all(gone(number) for number in numbers)


def gone(number: int) -> bool:
    """Whether a process ends soon."""
    deadline = time.monotonic() + 20
    while number in processes() and time.monotonic() < deadline:
        time.sleep(0.02)
    return number not in processes()
