"""The tests of the doctor and the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

import pytest

from minitorch import __main__ as command_line
from minitorch import __version__
from minitorch.__main__ import main
from minitorch.tools import doctor

from .source_tree import ROOT


def run(**environment):
    process = subprocess.run(
        [sys.executable, "-m", "minitorch", "doctor"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        env={**os.environ, **environment},
    )
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stdout
    return process.stdout


def value(report, name):
    return next(
        line.removeprefix(name).strip()
        for line in report.splitlines()
        if line.startswith(name)
    )


@pytest.mark.cuda
def test_every_part_is_there():
    names = [line.name for line in doctor.lines()]
    for name in ("python", "device", "driver", "nvrtc", "kernel cache", "blas"):
        assert name in names


def test_profile_is_named():
    report = run(MINITORCH_CUDA="emulator", MINITORCH_EMULATED_GPU="a100")
    assert value(report, "emulated profile") == "a100"
    assert "compute capability 8.0" in value(report, "device")


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MINITORCH_CUDA": "emulator", "MINITORCH_EMULATED_GPU": "gtx285"}, "gtx285"),
        ({"MINITORCH_CUDA": "teapot"}, "teapot"),
        ({"MINITORCH_BLAS": "/nowhere/libblas.so"}, "/nowhere/libblas.so"),
        ({"MINITORCH_CACHE_DIR": "/proc/nowhere"}, "/proc/nowhere"),
        ({"MINITORCH_NVRTC": "/nowhere/libnvrtc.so"}, "/nowhere/libnvrtc.so"),
    ],
)
def test_each_problem_is_named_with_advice(environment, named):
    report = run(**environment)
    assert named in report
    assert "->" in report
    assert re.search(r"\b[1-9]\d* problems? found\.$", report.rstrip())


def test_a_cache_that_cannot_be_written_is_told_with_advice(monkeypatch):
    def refuse(*args, **named):
        raise PermissionError(13, "Permission denied", "x")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    line = next(line for line in doctor.lines() if line.name == "kernel cache")
    assert line.advice == (
        "It cannot be written (Permission denied); set MINITORCH_CACHE_DIR."
    )


def test_a_part_that_raises_becomes_a_line(monkeypatch):
    def broken():
        yield doctor.Line("first", "fine")
        raise OSError("the disk is gone")

    monkeypatch.setattr(doctor, "_PARTS", (broken,))
    assert doctor.lines()[0] == doctor.Line("first", "fine")
    assert "the disk is gone" in doctor.report()


def test_without_words_the_command_line_shows_its_help(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["minitorch"])
    assert main() == main([]) == 2
    assert "copy the lessons into a folder" in capsys.readouterr().err


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"minitorch-cuda {__version__}\n"


@pytest.mark.parametrize("words", [["course", "check"], ["doctor", "--grading"]])
def test_a_command_of_the_grader_names_its_package(words, capsys, monkeypatch):
    monkeypatch.setattr(command_line, "entry_points", lambda **_: ())
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    refused = capsys.readouterr().err
    assert f"pip install minitorch-grading=={__version__}, or in a checkout" in refused


@pytest.mark.parametrize("word", ["lesson", "surgeon", ""])
def test_a_command_that_is_none_is_answered_with_all(word, capsys):
    with pytest.raises(SystemExit) as caught:
        main([word])
    assert caught.value.code == 2
    refused = capsys.readouterr().err
    assert f"invalid choice: '{word}'" in refused
    assert "'doctor', 'lessons'" in refused


def test_a_summary_has_the_device_and_what_is_wrong(monkeypatch):
    lines = [doctor.Line("driver", "d"), doctor.Line("device", "a card")]
    lines.append(doctor.Line("nvrtc", "not found", "Install it."))
    monkeypatch.setattr(doctor, "lines", lambda: lines)
    rows = [row.split() for row in doctor.summary().splitlines() if row]
    assert rows == [
        ["device", "a", "card"],
        ["nvrtc", "not", "found"],
        ["->", "Install", "it."],
        ["1", "problem", "found."],
    ]
