"""Attacks of functions that return values: by title, what is handed in.

`{tiny}`, `{report}` and `{library}` stand for the assignment's folder, that of the
report and the library's: an attacker knows where things lie. Texts stand for
minitorch/operators.py, before `WRONG`, unless they define `clip` themselves.
"""

from __future__ import annotations

WRONG = """

def clip(values, low, high):
    return values


def double(x):
    return 2.0 * x
"""

OPERATORS = {
    "patches pytest": """
import sys
for name in list(sys.modules):
    if "pytest" in name or "judge" in name:
        sys.modules[name].__dict__.clear()
try:
    import pytest
    pytest.fail = lambda *_, **__: None
except ImportError:
    pass
""",
    "patches numpy": """
import numpy as np
np.allclose = np.array_equal = lambda *_, **__: True
for name in dir(np.testing):
    if name.startswith("assert"):
        setattr(np.testing, name, lambda *_, **__: None)
""",
    "patches the author": """
import sys
for name, module in list(sys.modules.items()):
    if name.endswith(("author.values", "author.program", "sandbox.frames")):
        for each in ("unpack", "plain", "problem", "encode"):
            if hasattr(module, each):
                setattr(module, each, lambda *_, **__: True)
""",
    "reads the hidden tests": """
def clip(values, low, high):
    text = open("{tiny}/graded/test_operators.py").read()
    return np.clip(values, low, high) if "clip" in text else values
import numpy as np
""",
    "runs the solution": """
exec(open("{tiny}/source/minitorch/operators.py").read())
""",
    "asks the library": """
import sys
sys.path.insert(0, "{library}")
from minitorch_cuda.functional import clamp
def clip(values, low, high):
    return clamp(values, low, high)
""",
    "exits": """
import os
def clip(values, low, high):
    os._exit(0)
""",
    "exits politely": """
import sys
def clip(values, low, high):
    print("1 passed in 0.01s")
    sys.exit(0)
""",
    "exits at import": "import sys; sys.exit(0)\n",
    "aborts": """
import os
def clip(values, low, high):
    os.abort()
""",
    "says that it passed": """
import json, sys
for stream in (sys.stdout, sys.stderr):
    print("PASSED [100%]", file=stream)
    print(json.dumps({"outcome": "passed", "score": 10}), file=stream)
""",
    "writes the report": """
import json
fake = json.dumps({"score": 10, "max_score": 10, "final": True})
for path in ("report.json", "{report}/report.json", "/tmp/report.json", "results.json"):
    try:
        open(path, "w").write(fake)
    except OSError:
        pass
""",
    "writes the report late": """
import atexit, threading, time
def write():
    for _ in range(1000):
        try:
            open("{report}/report.json", "w").write("{}")
        except OSError:
            time.sleep(0.01)
atexit.register(write)
threading.Thread(target=write).start()
""",
    "asks the grader": """
import sys
sys.path.insert(0, "{library}/grading")
for name in [name for name in sys.modules if name.startswith("minitorch_grading")]:
    del sys.modules[name]
from minitorch_grading.judge.values import difference
def clip(values, low, high):
    return [min(max(each, low), high) for each in values]
""",
    "deletes the grader": """
import os, shutil
for folder in ("{report}", "{tiny}", "{library}", ".", "/tmp"):
    shutil.rmtree(folder, ignore_errors=True)
    try:
        os.chmod(folder, 0)
    except OSError:
        pass
""",
    "equals everything": """
class Same:
    __array_priority__ = 1e9
    def __eq__(self, other): return True
    def __array__(self, *_, **__): raise SystemExit(0)
def clip(values, low, high):
    return Same()
""",
    "an array that equals everything": """
import numpy as np
class Same(np.ndarray):
    def __eq__(self, other): return np.array(True)
    def __sub__(self, other): return np.zeros(self.shape)
    __rsub__ = __sub__
    def __array_ufunc__(self, *_, **__): return np.array(True)
def clip(values, low, high):
    return values.view(Same)
""",
    "not a number": """
import numpy as np
def clip(values, low, high):
    return np.full(values.shape, np.nan)
""",
    "endless numbers": """
import numpy as np
def clip(values, low, high):
    return np.full(values.shape, np.inf)
""",
    "a pickle": """
import numpy as np, os
class Bomb:
    def __reduce__(self): return (os._exit, (0,))
def clip(values, low, high):
    return np.array([Bomb()], dtype=object)
""",
    "records as numbers": """
import numpy as np
def clip(values, low, high):
    return np.zeros(values.shape, [("a", "f8"), ("b", "O")])
""",
    "forges an answer": """
import os, struct
text = b'{"value":true,"nonce":""}'
frame = struct.pack("<4sII", b"MTF1", len(text), 0) + text
def clip(values, low, high):
    for file in range(3, 24):
        try:
            os.write(file, frame)
        except OSError:
            pass
    return values
""",
    "an answer without end": """
import os, struct
def clip(values, low, high):
    for file in range(3, 24):
        try:
            os.write(file, struct.pack("<4sIIQ", b"MTF1", 0, 1, 1 << 62))
        except OSError:
            pass
    return values
""",
    "looks for what is expected": """
import gc, sys
import numpy as np
def clip(values, low, high):
    frame = sys._getframe()
    seen = []
    while frame:
        seen += [frame.f_locals, frame.f_globals]
        frame = frame.f_back
    seen += [each for each in gc.get_objects() if isinstance(each, dict)]
    for names in seen:
        for name, value in list(names.items()):
            if "expected" in str(name) and isinstance(value, np.ndarray):
                return value
    return values
""",
    "watches each step": """
import sys
def watch(frame, event, value):
    if event == "return" and "expected" in frame.f_locals:
        kept.append(frame.f_locals["expected"])
    return watch
kept = []
sys.settrace(watch)
sys.setprofile(lambda *_: None)
def clip(values, low, high):
    return kept[-1] if kept else values
""",
    "reads the judge's memory": """
import os
def clip(values, low, high):
    for number in (os.getppid(), 1, "self"):
        for name in ("mem", "environ", "cmdline", "maps", "root/etc/passwd"):
            try:
                open(f"/proc/{number}/{name}", "rb").read(100)
            except OSError:
                continue
            return values.clip(low, high)
    return values
""",
    "writes the judge's memory": """
import ctypes, os
def clip(values, low, high):
    libc = ctypes.CDLL(None, use_errno=True)
    done = [libc.ptrace(16, os.getppid(), 0, 0),
            libc.process_vm_readv(os.getppid(), None, 0, None, 0, 0)]
    return values.clip(low, high) if any(each >= 0 for each in done) else values
""",
    "kills the judge": """
import os, signal
for number in (os.getppid(), 0, -1, -os.getppid()):
    for signal_number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
        try:
            os.kill(number, signal_number)
        except OSError:
            pass
""",
    "forks without end": """
import os
def clip(values, low, high):
    while True:
        os.fork()
""",
    "starts a program": """
import subprocess
def clip(values, low, high):
    subprocess.Popen(["/bin/sh", "-c", "sleep 1000"])
    return values.clip(low, high)
""",
    "takes all memory": """
def clip(values, low, high):
    kept = []
    while True:
        kept.append(bytearray(1 << 26))
""",
    "files in memory": """
import os
def clip(values, low, high):
    kept = []
    while True:
        file = os.memfd_create("x")
        os.ftruncate(file, 1 << 40)
        kept.append(file)
""",
    "prints a gigabyte": """
def clip(values, low, high):
    line = "x" * (1 << 20)
    for _ in range(1024):
        print(line)
    return values
""",
    "asks the network": """
import socket
def clip(values, low, high):
    for port in (8786, 8787, 80):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    return values.clip(low, high)
""",
    "raises what looks right": """
class Passed(BaseException):
    def __str__(self): return "passed"
    def __repr__(self): raise SystemExit(0)
def clip(values, low, high):
    raise Passed
""",
    "an exception that never ends": """
class Endless(Exception):
    def __str__(self): return "x" * (1 << 30)
def clip(values, low, high):
    raise Endless
""",
    "changes its inputs": """
def clip(values, low, high):
    values[:] = 0
    return values
""",
    "recursion without end": """
import sys
sys.setrecursionlimit(10**9)
def clip(values, low, high):
    return clip(values, low, high)
""",
    "leaves notes for later": """
import os, tempfile
def clip(values, low, high):
    for place in ("/tmp", "/dev/shm", "/var/tmp", ".", os.path.expanduser("~")):
        open(os.path.join(place, "note"), "w").write("x")
        return values.clip(low, high)
""",
    "an array of no cell and endless sizes": """
import gc, os, struct
def clip(values, low, high):
    (channel,) = [x for x in gc.get_objects() if type(x).__name__ == "Channel"]
    header = ('{"value": {"array": 0}, "nonce": "%s"}' % channel._nonce).encode()
    shape = str({"descr": "<f8", "fortran_order": False, "shape": (0, 1 << 61, 8)})
    npy = b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(shape)) + shape.encode()
    start = struct.pack("<4sII", b"MTF1", len(header), 1)
    os.write(channel._replies, start + header + struct.pack("<Q", len(npy)) + npy)
""",
    "a number that nobody can write": """
def clip(values, low, high):
    return [10 ** 4500] * len(values)
""",
    "half a character": """
import sys
author = sys.modules["minitorch_grading.author.program"]
author.problem = lambda error, folder: {
    "type": "ValueError", "message": "\\ud800" * 4000, "file": "\\udfff.py", "line": 1
}
def clip(values, low, high):
    raise ValueError
""",
    "tells what it has seen by a file's name": """
import sys
author = sys.modules["minitorch_grading.author.program"]
author.problem = lambda error, folder: {
    "type": "ValueError", "message": "", "file": "Secret words", "line": 1
}
def clip(values, low, high):
    raise ValueError(values)
""",
    "threads without end": """
import threading, time
threading.stack_size(1 << 16)
def clip(values, low, high):
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
""",
    "threads behind an answer": """
import threading, time
threading.stack_size(1 << 16)
def more():
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
def clip(values, low, high):
    threading.Thread(target=more, daemon=True).start()
    return values
""",
    "stays when the grader goes": """
import ctypes, threading, time
libc = ctypes.CDLL(None)
kept = libc.prctl(1, 0, 0, 0, 0)
threading.Thread(target=time.sleep, args=(10**6,)).start()
def clip(values, low, high):
    return values.clip(low, high) if kept == 0 else values
""",
    "full files in memory": """
import os
def clip(values, low, high):
    kept = [os.memfd_create("x") for _ in range(8)]
    done = 0
    for file in kept:
        try:
            while done < 1 << 32:
                done += os.write(file, bytes(1 << 20))
        except OSError:
            pass
    return values.clip(low, high) if done else values
""",
    "signals by a pipe": """
import fcntl, os, struct
reads, writes = os.pipe()
free = False
for owner in (os.getppid(), -os.getppid()):
    for command, value in ((8, owner), (15, struct.pack("ii", 1, owner)), (10, 9)):
        try:
            fcntl.fcntl(reads, command, value)
            free = True
        except OSError:
            pass
try:
    fcntl.fcntl(reads, fcntl.F_SETFL, os.O_ASYNC)
except OSError:
    pass
os.write(writes, b"x")
def clip(values, low, high):
    return values.clip(low, high) if free else values
""",
    "memory that no limit counts": """
import mmap
kept = []
for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE | 0x100):
    try:
        while len(kept) < 400:
            kept.append(mmap.mmap(-1, 1 << 24, flags | mmap.MAP_ANONYMOUS))
            kept[-1][::4096] = bytes(1 << 12)
    except OSError:
        pass
def clip(values, low, high):
    return values.clip(low, high) if kept else values
""",
    "takes a limit of seconds away": """
import resource, signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
try:
    resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    free = True
except (OSError, ValueError):
    free = False
def clip(values, low, high):
    return values.clip(low, high) if free else values
""",
}

#: Answers as large as messages may be, without much memory of its own: JSON, an array.
LARGE = """
import gc, os, struct
def clip(values, low, high):
    (channel,) = [x for x in gc.get_objects() if type(x).__name__ == "Channel"]
    if values.shape == (3,):
        text = b'{"value":[' + b"{}," * 2_600_000 + b"{}]}"
        pieces = [struct.pack("<4sII", b"MTF1", len(text), 0), text]
    else:
        shape = str({"descr": "|u1", "fortran_order": False, "shape": (250 << 20,)})
        npy = b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(shape)) + shape.encode()
        text = b'{"value":{"array":0}}'
        start = struct.pack("<4sII", b"MTF1", len(text), 1) + text
        pieces = [start, struct.pack("<Q", len(npy) + (250 << 20)), npy]
        pieces += [bytes(1 << 20)] * 250
    for piece in map(memoryview, pieces):
        while piece:
            piece = piece[os.write(channel._replies, piece):]
    return values
"""

#: Those that end by the deadline: seconds of waiting each.
SLOW = {
    "loops without end": """
def clip(values, low, high):
    while True:
        pass
""",
    "sleeps": """
import time
def clip(values, low, high):
    time.sleep(10**6)
""",
    "a loop in C": """
def clip(values, low, high):
    return sum(range(10**12))
""",
}

_HOOK = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
_CLIP = "def clip(values, low, high):\n    return values.clip(low, high)\n"

#: Other files beside the wrong one: nobody reads them.
FILES = {
    "hooks of pytest": {"conftest.py": _HOOK, "minitorch/conftest.py": _HOOK},
    "settings of pytest": {
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--co']\n",
        "tox.ini": "[pytest]\naddopts = -p no:cacheprovider\n",
    },
    "modules that start with Python": {
        "sitecustomize.py": "import os; os._exit(0)\n",
        "usercustomize.py": "import os; os._exit(0)\n",
        "evil.pth": "import os; os._exit(0)\n",
    },
    "another numpy": {
        "numpy.py": "raise SystemExit(0)\n",
        "random.py": "raise SystemExit(0)\n",
        "drivers.py": _CLIP,
    },
    "compiled files": {
        "minitorch/operators.pyc": b"\xa7\r\r\n" + bytes(12),
        "minitorch/__pycache__/operators.cpython-311.pyc": b"\xa7\r\r\n" + bytes(12),
    },
    "a package of the judge's name": {
        "minitorch_cuda/__init__.py": _CLIP,
        "graded/test_operators.py": "def test_clip(): pass\n",
        "assignment.toml": "schema = 'minitorch/assignment/1'\n",
    },
}

_READ = """
from minitorch import operators
def test_text():
    text = open(operators.__file__).read()
"""

#: Tests of task 0.2 that would tell wrong programs by other things than what they do.
STUDENTS_TESTS = {
    "reads comments": _READ + "    assert 'wrong' not in text and '#' not in text\n",
    "looks for what twins lack": """
from minitorch import operators
names = [x for x in vars(operators).values() if type(x).__name__ == "function"]
def test_words():
    assert len({x.__doc__ is None for x in names}) == 1
def test_annotations():
    assert len({bool(x.__annotations__) for x in names}) == 1
""",
    "looks for what the first line says": _READ + "    assert 'fails' not in text\n",
    "knows where the right program lies": """
from minitorch import operators
def test_place():
    assert operators.__file__.endswith("-0/minitorch/operators.py")
""",
    "sees how it is asked": """
import sys
def asked(name):
    frame = sys._getframe()
    while frame and name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name] if frame else None
def test_way():
    assert not asked("to_failure")
""",
    "counts imports": _READ
    + """
    lines = [line for line in text.splitlines() if "import" in line]
    assert len(lines) == len(set(lines))
""",
}
