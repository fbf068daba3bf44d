"""The tests of `minitorch emulate` and `minitorch check`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minitorch.__main__ import main
from minitorch.tools import emulate

from .source_tree import ROOT

CLIENT = str(Path(__file__).with_name("data") / "driver_client.py")


def run(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "minitorch", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, **environment},
    )


def client(command, *words):
    return run(command, "--", sys.executable, CLIENT, *words)


def test_findings_are_grouped_by_kernel_and_line():
    process = client("check", "wrong")
    assert process.returncode == 1
    lines = process.stdout.splitlines()
    at = lines.index("kernel number")
    assert lines[at + 1].strip() == "/course/numbers.cu:7"
    assert lines[at + 2].strip() == "oob_global"
    assert "write of 4 bytes, just past the end" in lines[at + 3]
    assert "thread (4,0,0) of block (0,0,0)" in lines[at + 3]


def test_emulate_goes_on_where_a_card_does_and_check_does_not():
    process = client("emulate", "barrier")
    assert process.returncode == 0, process.stderr
    assert process.stdout == "[0, 1, 2, 3]\n"
    assert "warp_sync" in process.stderr
    process = client("check", "barrier")
    assert process.returncode == 1
    assert "warp_sync" in process.stdout


def test_findings_as_json():
    process = run("check", "--json", "--", sys.executable, CLIENT, "wrong")
    assert process.returncode == 1
    told = json.loads(process.stdout)  # nothing else is on stdout
    assert told["launches"] == 1
    (finding,) = told["findings"]
    assert finding["kind"] == "oob_global"
    assert finding["kernel"] == "number"
    assert (finding["file"], finding["line"]) == ("/course/numbers.cu", 7)
    assert finding["thread"] == [4, 0, 0]
    assert finding["allocation"]["size"] == 16
    assert finding["allocation"]["offset"] == 16
    assert told["status"] != 0  # the client noticed, too


PYTHON_KERNEL = """
import numpy as np
from minitorch import cuda

@cuda.jit
def add(out, a, b):
    i = cuda.grid(1)
    out[i] = a[i] + b[i]

ones = [cuda.to_device(np.ones(n, np.float32)) for n in (40, 36, 40)]
add[2, 32](*ones)
cuda.synchronize()
"""


def test_findings_of_python_kernels_name_their_lines_and_indices(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PYTHON_KERNEL)
    process = run("check", "--json", "--", sys.executable, program)
    assert process.returncode == 1
    (finding,) = json.loads(process.stdout)["findings"]
    assert finding["kind"] == "oob_global"
    assert (finding["file"], finding["line"]) == (str(program), 8)
    assert finding["indices"] == [[0, 36, 36]]  # of dimension 0: index, extent
    assert finding["inlined_from"] == []
    assert "read: a[i] with i = 36, but a has 36 elements (" in finding["text"]
    assert "address" not in finding  # none was made
    process = run("check", "--", sys.executable, program)
    line = "    | out[i] = a[i] + b[i]"
    words = "    oob_global\n      out-of-bounds read: a["
    assert f"  {program}:8\n{line}\n{words}" in process.stdout
    assert "/minitorch/" not in process.stdout


def test_a_copy_that_does_not_wait_for_the_kernel_is_found():
    process = run("check", "--json", "--", sys.executable, CLIENT, "beside")
    assert process.returncode == 1
    told = json.loads(process.stdout)
    (finding,) = told["findings"]
    assert finding["kind"] == "race_host"
    assert finding["kernel"] == "number"
    assert (finding["file"], finding["line"]) == ("/course/numbers.cu", 7)
    assert finding["block"] is finding["thread"] is None
    assert finding["allocation"]["size"] == finding["size"] == 16
    assert "a copy to the host, in the default stream" in finding["detail"]
    assert told["status"] == 0  # the program goes on


def test_a_right_program_passes_the_check():
    process = run("check", "--json", "--", sys.executable, CLIENT, "right")
    assert process.returncode == 0
    assert json.loads(process.stdout) == {
        "status": 0,
        "launches": 1,
        "findings": [],
        "absent": {},
    }
    assert "[0, 1, 2, 3]" in process.stderr


def test_all_processes_of_a_program_count():
    process = client("emulate", "children")
    assert process.returncode == 0, process.stderr
    assert "the emulator saw 2 launches" in process.stderr


def test_a_crash_loses_nothing():
    process = client("emulate", "crash")
    assert process.returncode == 128 + signal.SIGABRT
    assert "the emulator saw 1 launch" in process.stderr


@pytest.mark.parametrize(
    ("command", "launches"), [("emulate", ()), ("check", ("and right",))]
)
def test_programs_of_the_cuda_runtime_are_told_why_they_cannot_run(command, launches):
    process = client(command, "tables", *launches)
    assert process.returncode == 0
    assert ("saw no launch." in process.stderr) == (not launches)
    assert (
        "asked 2 times for private tables that the emulator does not have: "
        in process.stderr
    )
    assert "CUDA runtime library (cudart)" in process.stderr


@pytest.mark.parametrize("command", ["emulate", "check"])
def test_functions_that_are_not_offered_are_counted_without_a_launch(command):
    process = client(command, "absent")
    assert process.returncode == 0
    assert (
        "functions that the emulator does not have: cuSecret (1 time), "
        "cuTexObjectDestroy (2 times)." in process.stderr
    )


commands = pytest.mark.parametrize("command", ["emulate", "check"])


@commands
def test_a_missing_program_is_an_error(command, capsys):
    assert main([command, "--", "no-such-program-anywhere"]) == 127
    assert capsys.readouterr().err == (
        f"[{command}] got 'no-such-program-anywhere', which is neither a "
        f"Python file nor a command. Example: minitorch {command} program.py, or "
        f"minitorch {command} -- ./program.\n"
    )
    with pytest.raises(SystemExit) as caught:
        main([command])
    assert caught.value.code == 2
    assert f"minitorch {command} program.py" in capsys.readouterr().err


@commands
@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "does not exist") for name in ("none.py", "folder/none.py", "./none")),
        *((name, "is not executable") for name in ("./notes.txt", "./folder.py")),
    ],
)
def test_a_file_that_cannot_run_is_an_error(
    command, name, why, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "folder.py").mkdir()
    assert main([command, name]) == 127
    said = capsys.readouterr().err
    assert said.startswith(f"[{command}] got '{name}', which {why}. ")


@commands
def test_a_python_file_runs_with_this_python(command, tmp_path):
    name = os.path.relpath(CLIENT, ROOT)
    for words in ([name, "right", "3"], ["--", name, "right", "3"]):
        process = run(command, *words)
        assert process.returncode == 3, process.stderr
        assert process.stdout == "[0, 1, 2, 3]\n"
        assert "the emulator saw 1 launch, 0 findings." in process.stderr
    program = tmp_path / "which.py"
    program.write_text("import sys; print(sys.executable, sys.argv[1:])")
    process = run(command, str(program), "--help")
    assert process.stdout == f"{sys.executable} ['--help']\n"


def test_ctrl_c_ends_the_program_and_is_reported():
    process = subprocess.Popen(
        [sys.executable, "-m", "minitorch", "emulate", sys.executable, CLIENT, "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "[0, 1, 2, 3]\n"
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - start < 20
    assert process.returncode in (1, 128 + signal.SIGINT)  # Python's, or the signal's
    assert "the emulator saw 1 launch" in errors


def test_python_runs_without_nvjitlink_and_with_its_own_start(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('mine')\n")
    code = (
        "from cuda import pathfinder\n"
        "try:\n"
        "    pathfinder.load_nvidia_dynamic_lib('nvJitLink')\n"
        "except pathfinder.DynamicLibNotFoundError as error:\n"
        "    print('machine code' in str(error))\n"
    )
    process = run("emulate", "--", sys.executable, "-c", code, PYTHONPATH=str(tmp_path))
    # Twice: minitorch itself is a Python with this variable.
    assert process.stdout == "mine\nmine\nTrue\n", process.stderr


def test_no_launch_is_said():
    process = client("emulate", "nothing")
    assert process.returncode == 0
    assert "saw no launch" in process.stderr
    assert "libcuda.so.1" in process.stderr


def test_equal_findings_of_several_processes_are_one(tmp_path):
    row = {"kind": "race", "kernel": "k", "file": "a.cu", "line": 3, "count": 2}
    (tmp_path / "1.jsonl").write_text(
        json.dumps({"launches": 4}) + "\n" + json.dumps(row) + "\n"
    )
    (tmp_path / "2.jsonl").write_text(
        json.dumps({"launches": 5}) + "\n" + json.dumps(row) + '\n{"kind": "ra'
    )
    report = emulate.read_reports(tmp_path)
    assert report.launches == 9
    assert [finding["count"] for finding in report.findings] == [4]
