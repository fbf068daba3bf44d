"""Rehearses benchmarks/gpu/run, and breaks the processes that it supervises."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from benchmarks.gpu.nine_minutes import CONTEXT_BROKEN, Worker

from .source_tree import ROOT

RUN = ROOT / "benchmarks" / "gpu" / "run"
CHILD = f"""
import json, os, signal, sys, time
path = sys.argv[1]
def write(**line):
    with open(path, "a") as file:
        file.write(json.dumps(line) + "\\n")
for name in ("good", "killed", "hangs", "exits", "breaks", "last"):
    if name in open(path).read():
        continue
    write(start=name)
    if name == "killed":
        open(path, "a").write('{{"row": {{"na')  # half a line
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hangs":
        time.sleep(60)
    if name == "exits":
        sys.exit("no such thing")
    write(row={{"name": name, "outcome": "ok", "why": ""}})
    if name == "breaks":
        os._exit({CONTEXT_BROKEN})
"""


def rows_of(worker):
    return {row["name"]: (row["outcome"], row["why"]) for row in worker.rows()}


def start(code, rows):
    rows.touch()
    return Worker([sys.executable, "-c", code, str(rows)], rows, 1.5, dict(os.environ))


def test_every_item_gets_a_row_whatever_the_process_does(tmp_path):
    worker = start(CHILD, tmp_path / "rows.jsonl")
    while worker.runs():
        time.sleep(0.05)
    rows = rows_of(worker)
    assert rows["good"] == rows["breaks"] == rows["last"] == ("ok", "")
    assert rows["killed"] == ("crashed", "exit status -11: ")
    assert rows["hangs"] == ("timed out", "no end after 1.5 s")
    assert rows["exits"] == ("crashed", "exit status 1: no such thing")
    assert len(rows) == 6


def test_a_process_that_cannot_start_is_a_row(tmp_path):
    worker = start("1 / 0", tmp_path / "rows.jsonl")
    while worker.runs():
        time.sleep(0.05)
    (row,) = worker.rows()
    assert row["outcome"] == "failed"
    assert "ZeroDivisionError" in row["why"]


def test_an_item_that_is_cut_off_keeps_the_rows_before_it(tmp_path):
    worker = start(CHILD, tmp_path / "rows.jsonl")
    while "hangs" not in (tmp_path / "rows.jsonl").read_text():
        assert worker.runs()
    worker.stop("timed out", "the time of this part was over")
    assert list(rows_of(worker)) == ["good", "killed", "hangs"]
    assert rows_of(worker)["hangs"][1] == "the time of this part was over"


def rehearse(out, *words):
    kept = {name: each for name, each in os.environ.items() if "MINITORCH" not in name}
    command = [sys.executable, str(RUN), "--out", str(out), *words]
    return subprocess.run(command, capture_output=True, text=True, env=kept, cwd=out)


@pytest.mark.cuda
def test_without_a_card_it_says_so(tmp_path, monkeypatch):
    nowhere = tmp_path / "libcuda.so.1"
    nowhere.write_text("no library")  # hides a driver that this machine may have
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path), prepend=os.pathsep)
    done = rehearse(tmp_path)
    assert done.returncode == 1
    assert "MINITORCH_CUDA" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.skipif(shutil.which("c++") is None, reason="compiles a library")
def test_a_rehearsal_writes_each_part_with_the_driver_and_the_date(
    tmp_path,
):
    parts = ("opcodes", "speed")
    done = rehearse(tmp_path, "--stand-in", "--items", "1", "--only", *parts)
    assert done.returncode == 0, done.stderr
    assert "1 ok" in done.stdout
    for part in parts:
        result = json.loads((tmp_path / f"{part}.json").read_text())
        assert [row["outcome"] for row in result["rows"]] == ["ok"], result
        assert result["finished"]
        assert result["facts"]["driver"] == "stand-in"
        page = (tmp_path / f"{part}.md").read_text()
        assert f"rehearsal, no card, {result['facts']['date']}" in page
        assert "this says nothing about hardware" in page
        assert "Only the first 1 items ran." in page
