"""The tests of platforms' files: schemas, what is seen when, limits."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from minitorch_grading import autograder
from minitorch_grading.report import adapters
from minitorch_grading.report.adapters import gradescope, junit

from .reports import report, row, zip_report

OUTCOMES = (
    *("passed", "partial", "failed", "not_yet", "reported", "too_costly"),
    *("does_not_compile", "error", "timeout", "memory", "crash", "blocked"),
    *("not_run", "manual"),
)


def valid(made: dict[str, Any]) -> dict[str, Any]:
    path = Path(adapters.__file__).with_name("gradescope.schema.json")
    jsonschema.validate(made, json.loads(path.read_text()))
    json.dumps(made, allow_nan=False)
    return made


EVERY = report(*(row(f"1.1-{each}", each) for each in OUTCOMES))


@pytest.mark.parametrize("graded", [EVERY, zip_report(), report()])
def test_gradescope_and_junit_read_every_outcome(graded):
    valid(gradescope.results(graded))
    suite = ElementTree.fromstring(junit.document(graded)).find("testsuite")
    assert suite is not None
    seen = [row for row in graded["rows"] if row["id"] != "3.3-staff"]
    assert int(suite.get("tests", "")) == len(seen) == len(list(suite))
    for tag, count in (("failure", "failures"), ("error", "errors")):
        assert len(suite.findall(f"testcase/{tag}")) == int(suite.get(count, ""))


def test_gradescope_shows_hidden_rows_when_grades_are_published():
    made = valid(gradescope.results(zip_report()))
    seen = {each["extra_data"]["row"]: each["visibility"] for each in made["tests"]}
    assert seen == {
        "3.3-zip.values": "visible",
        "3.3-zip.clean": "visible",
        "3.3-zip.cost": "visible",
        "3.3-secret": "after_published",
        "3.3-staff": "hidden",
    }
    assert "CANARY" not in made["output"]
    assert made["score"] == 2
    assert made["tests"][1]["status"] == "failed"
    assert "cuda_ops.py:184" in made["tests"][1]["output"]
    assert "status" not in made["tests"][2]


def test_gradescope_says_that_a_weak_level_is_not_final():
    made = gradescope.results(report(row("1.1"), final=False, isolation="process"))
    assert "not final" in valid(made)["output"]


def test_a_fault_of_ours_is_no_zero():
    ours = report(row("1.1", "not_run"), final=False, message="The grader ended.")
    with pytest.raises(gradescope.GraderFault, match="no score: The grader ended"):
        gradescope.results(ours)


def test_junit_tells_students_only_what_they_may_see():
    text = junit.document(zip_report())
    assert "CANARY" not in text


def test_junit_is_xml_whatever_a_message_holds():
    odd = "bell \x07, half \ud800, <&\"'>]]>"
    text = junit.document(report(row("1.1", "failed", message=odd)))
    case = ElementTree.fromstring(text).find("testsuite/testcase/failure")
    assert case is not None
    assert "<&\"'>]]>" in (case.text or "")


def test_the_platforms_program_says_that_the_fault_is_ours(tmp_path, capsys):
    results = tmp_path / "results" / "results.json"
    names = {"assignment": tmp_path, "submission": tmp_path, "results": results}
    arguments = [f"--{name}={path}" for name, path in names.items()]
    assert autograder.main([*arguments, f"--secret={tmp_path / 'none'}"]) == 70
    assert "need the secret from `minitorch course new`" in capsys.readouterr().err
    assert not results.exists()


@pytest.mark.parametrize("name", gradescope.FILES)
def test_scripts_are_bash_and_do_not_import_what_was_handed_in(name):
    script = gradescope.FILES[name]
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert script.startswith("#!/usr/bin/env bash\n# Owns")
    assert "-m minitorch" not in script.replace("-P -m", "").replace("\\\n  ", "")
    assert os.linesep == "\n"
