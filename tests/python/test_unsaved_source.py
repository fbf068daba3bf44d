"""The tests of kernels that are in no file: -c, standard input, the prompt."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.cuda

PROGRAM = """\
import numpy as np
from minitorch import cuda
def triple(v):
    return 3 * v

@cuda.jit
def k(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = triple(i)
    else:
        x[0] = 0

x = np.zeros(4)
k[1, 4](x)
print("result", x.tolist())
cuda.jit(lambda x: None)[1, 1](x)
"""
RESULT = "result [0.0, 3.0, 6.0, 9.0]"
QUIET = {**os.environ, "PYTHONWARNINGS": "ignore"}


def run(*words, **options):
    return subprocess.run(
        [sys.executable, *words],
        env=QUIET,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


@pytest.mark.parametrize(
    "words",
    [("-c", PROGRAM), ("-Wd", "-uc", PROGRAM, "-c", "a"), (f"-c{PROGRAM}", "b")],
)
def test_a_program_behind_c(words):
    done = run(*words)
    assert RESULT in done.stdout, done.stderr


def test_a_file_as_standard_input(tmp_path):
    file = tmp_path / "program"
    file.write_text(PROGRAM)
    with file.open() as given:
        done = run(stdin=given)
    assert RESULT in done.stdout, done.stderr


def test_a_pipe_is_refused_in_one_sentence():
    done = run(input=PROGRAM)
    last = done.stderr.strip().splitlines()[-1]
    assert "is not available. Run a file" in last
    assert last.endswith("Python does not keep source that comes through a pipe.")


def test_another_text_of_the_same_name_is_not_believed():
    # Line and name are those of the text behind -c, the code is not.
    text = "def k(x):\n    x[0] = 1\n"
    other = text.replace("1", "2")
    program = (
        f"{text}exec({other!r})\nfrom minitorch import cuda\n"
        "cuda.jit('void(float32[:])')(k)"
    )
    assert "is not available. " in run("-c", program).stderr


def test_a_mistake_is_shown_with_its_line():
    done = run("-c", PROGRAM.replace("3 * v", "{}"))
    assert 'File "<string>", line 4\n    return {}\n           ^^' in done.stderr


def test_the_prompt(tmp_path):
    plain = {"PYTHON_BASIC_REPL": "1", "TERM": "dumb", "HOME": str(tmp_path)}
    end, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-q"],
        env={**QUIET, **plain},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    told = b""
    deadline = time.monotonic() + 60
    try:
        for line in PROGRAM.splitlines():
            while not told.rstrip().endswith((b">>>", b"...")):
                assert time.monotonic() < deadline, told
                if select.select([end], [], [], 0.1)[0]:
                    told += os.read(end, 4096)
            told += b"\n"
            os.write(end, line.encode() + b"\r")
        while time.monotonic() < deadline and RESULT.encode() not in told:
            if select.select([end], [], [], 0.1)[0]:
                told += os.read(end, 4096)
    finally:
        process.kill()
        process.wait()
        os.close(end)
    assert RESULT.encode() in told
