"""Tests confined processes from the grader's side: limits, ends, and what stays."""

from __future__ import annotations

import os
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from minitorch_grading.author.problem import AuthorError
from minitorch_grading.author.requests import Author
from minitorch_grading.sandbox import confine, levels, library_subset, starting
from minitorch_grading.sandbox.frames import FrameLimits
from minitorch_grading.sandbox.levels import LEVELS, best, missing
from minitorch_grading.sandbox.library_subset import library
from minitorch_grading.sandbox.process import Ended, PeerEnded, Room, confined

from .trees import at_levels, children, processes


def run(
    code: str, folder: Path, level: str = "confined", sees: str = "nothing", **limits
) -> object:
    """The value of `answer` after `code` has run in an author."""
    text = "def run():\n    " + code.replace("\n", "\n    ") + "\n    return answer"
    seconds = limits.pop("answer_within", 30.0)
    with confined("author", level=level, sees=sees, folder=folder, **limits) as peer:
        return Author(peer, seconds=seconds).call(text, "run", [])


def end_of(code: str, folder: Path, level: str = "confined", **limits) -> Ended:
    with pytest.raises(PeerEnded) as caught:
        run(code + "\nanswer = 1", folder, level, **limits)
    return caught.value.ended


@at_levels()
def test_a_process_answers_and_is_gone(level, tmp_path):
    before = children()
    with confined("author", level=level, sees="nothing", folder=tmp_path) as peer:
        assert peer.level == level
        assert Author(peer).call("def f(x): return x + 1", "f", [np.arange(3)])[2] == 3
        (number,) = children() - before
        assert peer.ended is None
    assert number not in processes()
    assert peer.ended.how == "closed"
    with pytest.raises(PeerEnded, match="needs it no more"):
        peer.ask({"ask": "call"})


@at_levels()
def test_large_arrays_and_much_text_go_both_ways_at_once(level, tmp_path):
    text = """
    def twice(x):
        for _ in range(10_000):
            print("a line among very many")
        return x * 2
    """
    array = np.arange(1_500_000.0)
    with confined("author", level=level, sees="nothing", folder=tmp_path) as peer:
        import textwrap

        got = Author(peer).call(textwrap.dedent(text), "twice", [array])
    np.testing.assert_array_equal(got, array * 2)
    assert peer.ended.stdout.startswith("a line among very many\n")
    assert len(peer.ended.stdout) == 64 << 10
    assert peer.ended.stderr == ""


ENDS = {
    "import os; os._exit(0)": ("exited", 0),
    "import sys; sys.exit(3)": ("exited", 3),
    "raise KeyboardInterrupt": ("signalled", 2),
    "import ctypes; ctypes.string_at(0)": ("signalled", 11),
    "import os; os.abort()": ("signalled", 6),
    "import numpy as np; np.ones(10**10)": ("memory", 86),
    "kept = []\nwhile True: kept.append(bytearray(10**7))": ("memory", 86),
    "import os, gc\nfor file in range(3, 20):\n"
    "    try: os.close(file)\n    except OSError: pass": ("exited", 1),
    "import os\nfor file in range(3, 20):\n"
    "    try: os.write(file, b'MTF1 is what a message begins with')\n"
    "    except OSError: pass": ("protocol", 9),
}


@at_levels("confined", "uid")
def test_threads_without_end_end(level, tmp_path):
    code = """import threading, time
threading.stack_size(1 << 16)
while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
answer = 1"""
    with pytest.raises(PeerEnded) as caught:
        run(code, tmp_path, level)
    assert caught.value.ended.how == "threads"


@at_levels("confined", "uid")
def test_files_in_memory_hold_nothing(level, tmp_path):
    code = """import os
open(os.devnull, "w").write("nowhere")
file = os.memfd_create("kept")
try: answer = os.write(file, bytes(4096))
except OSError as error: answer = error.strerror"""
    assert run(code, tmp_path, level) == "File too large"


FILL = """
import mmap, time
kept = []
def fill(megabytes, shared):
    size = megabytes << 20
    kept.append(mmap.mmap(-1, size) if shared else bytearray(size))
    for at in range(0, size, 4096):
        kept[-1][at] = 1
    time.sleep(1)
"""


@at_levels()
def test_processes_of_a_task_have_their_memory_together(level, tmp_path):
    options = {"level": level, "sees": "nothing", "folder": tmp_path}
    options |= {"memory_mb": 200, "card_mb": 0, "room": Room(200)}
    with confined("author", **options) as one, confined("author", **options) as other:
        for peer, megabytes in ((one, 90), (other, 20)):
            Author(peer).call(FILL, "fill", [megabytes, False])
        with pytest.raises(PeerEnded, match="more memory than the task has") as caught:
            Author(other).call(FILL, "fill", [130, False])
        assert caught.value.ended.how == "memory"
        Author(one).call(FILL, "fill", [20, False])
        with confined("author", **options) as third:  # what has ended fills nothing
            Author(third).call(FILL, "fill", [80, False])


def test_shared_memory_counts_where_it_can_be_had(tmp_path):
    options = {"level": "process", "sees": "nothing", "folder": tmp_path}
    options |= {"memory_mb": 100, "card_mb": 0}
    with confined("author", **options) as peer, pytest.raises(PeerEnded) as caught:
        Author(peer).call(FILL, "fill", [300, True])
    assert caught.value.ended.how == "memory"


TWICE = """
import gc, os, sys, threading, time
def answer(late):
    (channel,) = [x for x in gc.get_objects() if type(x).__name__ == "Channel"]
    file, module = channel._replies, sys.modules[type(channel).__module__]
    frame = module.encode({"value": {"int": "7"}, "nonce": channel._nonce})
    def again():
        time.sleep(late)
        os.write(file, frame)
    if late:
        threading.Thread(target=again).start()
        return 6
    os.write(file, frame + frame)
    return 6
def wait():
    time.sleep(0.5)
    return 5
"""


def test_a_second_answer_is_not_the_next_ones(tmp_path):
    """It ends the process that gave it, or is left out; never what comes behind it."""
    options = {"level": "process", "sees": "nothing", "folder": tmp_path}
    with confined("author", **options) as peer:
        assert Author(peer).call(TWICE, "answer", [0.3]) == 6
        assert Author(peer).call(TWICE, "wait", []) == 5  # it comes meanwhile
        assert peer.is_ready()
        assert Author(peer).call(TWICE, "answer", [0.1]) == 6
        time.sleep(0.5)
        assert not peer.is_ready()
        assert "answered twice" in peer.ended.sentence
    two = pytest.raises(PeerEnded, match="two answers")
    with confined("author", **options) as peer, two:
        Author(peer).call(TWICE, "answer", [0])


@at_levels("confined", "uid")
def test_all_of_the_standard_library_loads(level, tmp_path):
    code = """import importlib, os, sys
answer = [open(os.devnull).read()]
for place in sys.path[-1:]:
    for file in sorted(os.listdir(place)):
        name = file.partition(".")[0]
        if name.startswith(("_test", "_xx", "xx")): continue
        try: importlib.import_module(name)
        except ImportError as error: answer.append(f"{name}: {error}")"""
    folder = Path(sysconfig.get_path("stdlib"), "lib-dynload")
    if not any(folder.glob("*.so")):
        pytest.skip("this Python has its modules inside")
    assert run(code, tmp_path, level) == [""]


@at_levels("confined", "uid")
@pytest.mark.parametrize(("sees", "seen"), [("nothing", []), ("cuda", ["msgspec"])])
def test_packages_of_the_judge_are_not_there(level, sees, seen, tmp_path):
    """A kernel's form is checked by msgspec where it is made; the rest stays away."""
    code = """import importlib.util
names = ["jinja2", "markupsafe", "msgspec", "pytest", "distributed"]
names += [f"minitorch_grading.{room}" for room in ("judge", "report", "rubric")]
answer = [name for name in names if importlib.util.find_spec(name)]"""
    assert run(code, tmp_path, level, sees=sees) == seen


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(PeerEnded, match="there is no folder"):
        run("answer = 1", tmp_path / "missing")


@at_levels("confined", "uid")
@pytest.mark.parametrize("code", ENDS)
def test_each_end_has_a_name(level, code, tmp_path):
    ended = end_of(code, tmp_path, level, memory_mb=256)
    assert (ended.how, ended.code) == ENDS[code], ended


@at_levels("confined", "uid")
def test_endless_work_ends(level, tmp_path):
    before = children()
    ended = end_of("while True: pass", tmp_path, level, answer_within=1.0)
    assert (ended.how, ended.code) == ("timeout", 9)
    assert "did not answer within 1 seconds" in ended.sentence
    # The processor's time counts, too, whatever the wall clock says.
    code = "def work():\n    while True: pass\nimport threading\n"
    code += "for _ in range(3):\n    threading.Thread(target=work).start()\nwork()"
    ended = end_of(code, tmp_path, level, seconds=0.4)
    assert ended.how == "timeout"
    assert "of the processor" in ended.sentence
    assert children() == before


@at_levels("confined", "uid")
def test_output_without_end_ends(level, tmp_path):
    ended = end_of("while True: print('x' * 1_000_000)", tmp_path, level)
    assert ended.how == "output"
    assert len(ended.stdout) == 64 << 10


def test_answers_have_limits(tmp_path):
    limits = FrameLimits(total=1 << 20)
    code = "import numpy as np; answer = np.zeros(1 << 18)"
    with pytest.raises(PeerEnded) as caught:
        run(code, tmp_path, limits=limits)
    assert caught.value.ended.how == "protocol"


REFUSED = {
    "read": "open('/etc/passwd').read()",
    "read the library": f"open({confine.__file__!r}).read()",
    "list": "import os; os.listdir('/tmp')",
    "list home": "import os; os.listdir('/root')",
    "write": "open('/tmp/written', 'w')",
    "write here": "open('written', 'w')",
    "delete": "import os; os.remove('seen.txt')",
    "rename": "import os; os.rename('seen.txt', 'other.txt')",
    "change mode": "import os; os.chmod('seen.txt', 0o777)",
    "truncate": "import os; os.truncate('seen.txt', 0)",
    "cut while reading": "import os; os.open('seen.txt', os.O_RDONLY | os.O_TRUNC)",
    "cut without reading": "import os; os.open('seen.txt', 3 | os.O_TRUNC)",
    "link": "import os; os.symlink('/etc', 'link')",
    "make a folder": "import os; os.mkdir('new')",
    "proc": "open('/proc/1/environ').read()",
    "memory of another": f"open('/proc/{os.getpid()}/mem').read()",
    "fork": "import os; os.fork()",
    "spawn": "import subprocess; subprocess.run(['/bin/true'])",
    "exec": "import os; os.execv('/bin/true', ['true'])",
    "socket": "import socket; socket.socket()",
    "unix socket": "import socket; socket.socket(socket.AF_UNIX)",
    "socket pair": "import socket; socket.socketpair()",
    "signal the grader": f"import os; os.kill({os.getpid()}, 0)",
    "signal all": "import os; os.kill(-1, 9)",
    "signal the group": "import os; os.killpg(0, 9)",
    "trace": "import ctypes, os\nif ctypes.CDLL(None, use_errno=True).ptrace(16, "
    f"{os.getpid()}, 0, 0) < 0: raise OSError(ctypes.get_errno())",
    "raise a limit": "import resource\n"
    "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "leave the session": "import os; os.setsid()",
    "become root": "import os; os.setuid(0)\nos.setresuid(0, 0, 0)",
    "mount": "import ctypes\nif ctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, 0)"
    " < 0: raise OSError",
    "new namespace": "import ctypes\nif ctypes.CDLL(None).unshare(0x10000000) < 0: "
    "raise OSError",
    "terminal": "open('/dev/tty')",
    "disk": "open('/dev/vda', 'rb')",
}


# By what other processes of the same user could be ended, and memory that no limit of
# Linux's counts.
REFUSED |= {
    title: f"import ctypes, fcntl, mmap, os, struct\nfile = os.pipe()[0]\n{code}"
    for title, code in {
        "signals by a file": f"fcntl.fcntl(file, fcntl.F_SETOWN, {os.getpid()})",
        "signals by a file, by type": "fcntl.fcntl(file, 15, struct.pack('ii', 1, "
        f"{os.getpid()}))",
        "another signal of a file": "fcntl.fcntl(file, fcntl.F_SETSIG, 9)",
        "news of a file": "fcntl.fcntl(file, fcntl.F_SETFL, os.O_ASYNC)",
        "news of a file, by ioctl": "fcntl.ioctl(file, 0x5452, struct.pack('i', 1))",
        "shared memory": "mmap.mmap(-1, 4096)",
        "memory that grows down": "mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | "
        "mmap.MAP_ANONYMOUS | 0x100)",
        "a file in memory": "os.ftruncate(os.memfd_create('x'), 4096)",
    }.items()
}


@pytest.fixture(params=[0, 1, 4])
def landlock(request, monkeypatch):
    """The version of Landlock's interface that confined processes find; 0: it is as it
    is here. Kernels before 6.12 have one below 6, which keeps no signals in."""
    start = starting.subprocess.Popen
    module = "minitorch_grading.sandbox.confine"
    pretend = f"; import {module} as c; c.landlock_version = lambda: {request.param}"

    def start_pretending(command, **options):
        *words, code = command
        code = code.replace("; from ", f"{pretend}; from ", 1)
        return start([*words, code], **options)

    if request.param:
        monkeypatch.setattr(starting.subprocess, "Popen", start_pretending)
    return request.param


@at_levels("confined", "uid")
def test_what_is_forbidden_is_refused(level, landlock, tmp_path):
    if landlock and level == "uid":
        pytest.skip("has no Landlock")
    (tmp_path / "seen.txt").write_text("seen")
    text = """
def run(code):
    try:
        exec(code, {})
    except (OSError, ValueError) as error:  # of setrlimit: ValueError
        return "refused"
    return "done"
"""
    with confined("author", level=level, sees="nothing", folder=tmp_path) as peer:
        for title, code in REFUSED.items():
            assert Author(peer).call(text, "run", [code]) == "refused", title
    assert [path.name for path in tmp_path.iterdir()] == ["seen.txt"]
    assert (tmp_path / "seen.txt").read_text() == "seen"


@at_levels("confined", "uid")
def test_ordinary_python_works(level, tmp_path):
    (tmp_path / "data.txt").write_text("data")
    code = """
import asyncio.events, collections, dataclasses, decimal, fractions, functools
import hashlib, itertools, json, logging, random, re, statistics, threading, typing
import numpy as np
found = []
threads = [threading.Thread(target=found.append, args=(n,)) for n in range(4)]
for each in threads: each.start()
for each in threads: each.join()
total = np.linalg.norm(np.ones((50, 50)) @ np.ones((50, 50)))
sample = np.random.default_rng(1).normal(size=3)
answer = [len(found), float(total), open("data.txt").read(),
          str(decimal.Decimal(1) / 3)[:6], hashlib.sha256(b"").hexdigest()[:4]]"""
    text = "def run():\n    " + code.replace("\n", "\n    ") + "\n    return answer"
    with confined("author", level=level, sees="nothing", folder=tmp_path) as peer:
        got = Author(peer).call(text, "run", [])
    assert got == [4, 2500.0, "data", "0.3333", "e3b0"]


@at_levels("confined", "uid")
def test_the_environment_is_not_the_graders(level, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_SECRET", "canary")
    code = "import os, sys; answer = [repr(dict(os.environ)), repr(sys.path)]"
    environment, path = run(code, tmp_path, level)
    assert "canary" not in environment
    assert "site-packages" not in path


SEES = {
    "nothing": ["import numpy"],
    "numba": [
        "import numpy",
        "from numba import njit, prange",
        "from numba import cuda, njit",  # without a device
        "from minitorch_cuda import cuda",  # the same
    ],
    "cuda": [
        "import numpy",
        "from numba import njit, prange",
        "from numba import cuda, njit",
        "from minitorch_cuda import cuda",
    ],
}
EVERYTHING = [
    "from minitorch_cuda.operators import *",
    "from minitorch.operators import *",
    "import minitorch_grading.judge",
    "import minitorch_grading.runner",
    "import minitorch_cuda.functional",
    "import pytest",
    "import pip",
    "import matplotlib",
]


@pytest.mark.parametrize("sees", SEES)
@at_levels("confined", "uid")
def test_of_the_library_only_a_part_is_seen(level, sees, tmp_path):
    wanted = {line for lines in SEES.values() for line in lines} | {*EVERYTHING}
    grader_folder = Path(confine.__file__).parents[2]
    text = """
import sys
def run(line, folders):
    sys.path.extend(folders)
    try:
        exec(line, {})
    except ImportError:
        return False
    return True
"""
    folders = [str(grader_folder), str(grader_folder.parent), *os.sys.path]
    with confined("author", level=level, sees=sees, folder=tmp_path) as peer:
        author = Author(peer)
        for line in sorted(wanted):
            seen = author.call(text, "run", [line, folders])
            assert seen == (line in SEES[sees]), line


def test_threads_from_before_are_refused(monkeypatch):
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    try:
        with pytest.raises(OSError, match="threads; need 1"):
            confine.confine(confine.Rules("confined"))
    finally:
        waiting.set()
        thread.join()


def test_levels_are_told():
    assert missing("process") == ""
    assert not missing(best())
    assert "got level 'docker'; need confined, uid or process" in missing("docker")


def test_what_a_weak_machine_lacks_is_told(monkeypatch):
    reasons = {"confined": "no Landlock", "uid": "not root", "process": ""}
    monkeypatch.setattr(levels, "missing", reasons.__getitem__)
    remedy = levels.report().splitlines()[-1]
    for words in ("confined", "(no Landlock)", "uid (not root)", "Linux 5.13", "root"):
        assert words in remedy
    reasons["uid"] = ""
    assert "as root" not in levels.report()
    assert "gives the level uid; do not ask for process" in levels.remedy()


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"sees": "all"}, ValueError, "got sees='all'; need one of nothing"),
        ({"level": "jail"}, PeerEnded, "level 'jail'"),
        ({"program": "judge"}, PeerEnded, "status 1"),
        ({"folder": Path("/no/such/folder")}, PeerEnded, "no folder"),
    ],
)
def test_wrong_arguments_are_told(changed, error, words, tmp_path):
    arguments = {
        "program": "author", "level": "process", "sees": "nothing", "folder": tmp_path,
    } | changed  # fmt: skip
    with pytest.raises(error) as caught, confined(**arguments):
        pass
    if error is PeerEnded:
        assert words in str(caught.value) + caught.value.ended.stderr
    else:
        assert words in str(caught.value)


def test_the_part_of_the_library_is_made_once():
    assert library("nothing") is library("nothing")
    names = {path.name for path in Path(library("nothing").folder).iterdir()}
    assert {"minitorch_cuda", "numpy", "standard"} <= names
    assert not names & {"pytest", "minitorch", "_pytest"}


@pytest.fixture
def no_library(monkeypatch):
    """As in a process that has made no part of the library and shares none."""
    whole = library.__wrapped__
    monkeypatch.setattr(library_subset, "_shared", None)
    return whole


def test_a_part_that_another_process_made_is_taken(no_library, tmp_path):
    tmp_path.chmod(0o755)
    library_subset.share(tmp_path)
    made = no_library("nothing")
    core = Path(made.folder, "minitorch_cuda", "__init__.py")
    first = core.stat().st_ino
    assert Path(made.folder).parent == tmp_path
    assert no_library("nothing") == made
    assert core.stat().st_ino == first
    # Who was killed while it was made left half of it, and no description.
    (tmp_path / "nothing.json").unlink()
    core.unlink()
    assert no_library("nothing") == made
    assert core.exists()


def test_threads_make_a_part_of_the_library_once(no_library, tmp_path):
    library_subset.share(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(no_library, ["nothing"] * 4))
    assert found == found[:1] * 4


def test_a_folder_that_others_can_write_is_no_library(no_library, tmp_path):
    tmp_path.chmod(0o777)
    with pytest.raises(PermissionError, match="other users can write"):
        library_subset.share(tmp_path)
    link = tmp_path / "link"
    link.symlink_to("/")
    with pytest.raises(PermissionError, match="only this user may"):
        library_subset.share(link)
    assert library_subset._shared is None


def test_a_process_dies_with_its_grader(tmp_path):
    """A grader that is killed leaves nobody behind."""
    import subprocess
    import sys

    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from minitorch_grading.sandbox.process import confined\n"
        "with confined('author', level='process', sees='nothing',\n"
        "              folder=Path(sys.argv[1])) as peer:\n"
        "    print(peer._process.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        number = int(grader.stdout.readline())
        assert number in processes()
        grader.kill()
    deadline = time.monotonic() + 20
    while number in processes() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert number not in processes()


def test_an_error_is_no_end(tmp_path):
    with confined("author", level=best(), sees="nothing", folder=tmp_path) as peer:
        author = Author(peer)
        with pytest.raises(AuthorError, match="ZeroDivisionError: division by zero"):
            author.call("def f(): return 1 / 0", "f", [])
        assert author.call("def f(): return 2", "f", []) == 2


def test_the_doctor_tells_the_levels(capsys):
    from minitorch_cuda.__main__ import main

    assert main(["doctor", "--grading"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:6:2]] == list(LEVELS)
    assert lines[4] == "process   yes"
    assert lines[-1].startswith(f"Submissions are judged here at the level: {best()}.")


@at_levels("confined", "uid")
def test_two_processes_see_one_folder(level, tmp_path):
    (tmp_path / "data.txt").write_text("data")
    text = "def read(): return open('data.txt').read()"
    options = {"level": level, "sees": "nothing", "folder": tmp_path}
    with confined("author", **options) as first:
        with confined("author", **options) as second:
            assert Author(second).call(text, "read", []) == "data"
        assert Author(first).call(text, "read", []) == "data"
