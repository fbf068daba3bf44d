"""Owns the tests of the doctor and the command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from minitorch import cuda, doctor
from minitorch.__main__ import main

from .source_tree import ROOT


def run(**environment: str) -> str:
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


def value(report: str, name: str) -> str:
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


@pytest.mark.cuda
def test_device_is_the_one_in_use():
    line = next(line for line in doctor.lines() if line.name == "device")
    assert cuda.device_name() in line.value


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
    assert report.rstrip().endswith("to look at.")


def test_a_part_that_raises_becomes_a_line(monkeypatch):
    def broken():
        yield doctor.Line("first", "fine")
        raise OSError("the disk is gone")

    monkeypatch.setattr(doctor, "_PARTS", (broken,))
    assert doctor.lines()[0] == doctor.Line("first", "fine")
    assert "the disk is gone" in doctor.report()


def test_command_line(capsys):
    assert main(["doctor"]) == 0
    assert "python" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["surgeon"])
    assert caught.value.code == 2
