"""Owns the tests of platforms' files: schemas, what is seen when, limits."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from minitorch.grading.report import adapters
from minitorch.grading.report.adapters import (
    classroom50,
    gradescope,
    junit,
    prairielearn,
    running,
)

from .reports import report, row, zip_report

SECRET = 32 * b"s"
OUTCOMES = (
    *("passed", "partial", "failed", "not_yet", "reported", "too_costly"),
    *("does_not_compile", "error", "timeout", "memory", "crash", "blocked"),
    *("not_run", "manual"),
)
IDENTITY = {
    "CLASSROOM": "gpu101",
    "ASSIGNMENT": "m3",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/c/m3-alice/commit/a1b2c3d",
    "RELEASE_URL": "https://github.com/c/m3-alice/releases/tag/submit",
}
NOON = datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.UTC)


def valid(made: dict[str, Any], platform: str) -> dict[str, Any]:
    path = Path(adapters.__file__).with_name(f"{platform}.schema.json")
    jsonschema.validate(made, json.loads(path.read_text()))
    json.dumps(made, allow_nan=False)
    return made


EVERY = report(*(row(f"1.1-{each}", each) for each in OUTCOMES))


@pytest.mark.parametrize("graded", [EVERY, zip_report(), report()])
def test_every_platform_reads_every_outcome(graded):
    valid(gradescope.results(graded), "gradescope")
    valid(prairielearn.results(graded), "prairielearn")
    valid(classroom50.result(graded, IDENTITY, NOON), "classroom50")
    suite = ElementTree.fromstring(junit.document(graded, staff=True)).find("testsuite")
    assert suite is not None
    assert int(suite.get("tests", "")) == len(graded["rows"]) == len(list(suite))
    for tag, count in (("failure", "failures"), ("error", "errors")):
        assert len(suite.findall(f"testcase/{tag}")) == int(suite.get(count, ""))


def test_gradescope_shows_hidden_rows_when_grades_are_published():
    made = valid(gradescope.results(zip_report()), "gradescope")
    seen = {each["extra_data"]["row"]: each["visibility"] for each in made["tests"]}
    assert seen == {
        "3.3-zip.values": "visible",
        "3.3-zip.clean": "visible",
        "3.3-zip.cost": "visible",
        "3.3-secret": "after_published",
        "3.3-later": "after_published",
        "3.3-staff": "hidden",
    }
    assert "SECRET" not in made["output"]
    assert made["score"] == 2
    assert made["tests"][1]["status"] == "failed"
    assert "cuda_ops.py:184" in made["tests"][1]["output"]
    assert "status" not in made["tests"][2]


def test_gradescope_keeps_the_leaderboard():
    board = [{"name": "global_sectors", "value": 64, "order": "asc"}]
    made = gradescope.results(report(row("1.1"), leaderboard=board))
    assert valid(made, "gradescope")["leaderboard"] == board


def test_gradescope_says_that_a_weak_level_is_not_final():
    made = gradescope.results(report(row("1.1"), final=False, isolation="process"))
    assert "not final" in valid(made, "gradescope")["output"]


def test_a_fault_of_ours_is_no_zero_anywhere():
    ours = report(row("1.1", "not_run"), final=False, message="The grader ended.")
    with pytest.raises(running.GraderFault, match="no score: The grader ended"):
        gradescope.results(ours)
    with pytest.raises(running.GraderFault, match="no score"):
        classroom50.result(ours, IDENTITY, NOON)
    made = valid(prairielearn.results(ours), "prairielearn")
    assert made == {
        "gradable": False,
        "format_errors": ["Not your fault: The grader ended."],
    }


def test_prairielearn_takes_no_attempt_for_a_syntax_error():
    told = report(row("1.1", "error"), gradable=False, format_errors=["ops.py:3: no"])
    made = valid(prairielearn.results(told), "prairielearn")
    assert made == {"gradable": False, "format_errors": ["ops.py:3: no"]}


def test_prairielearn_tells_of_rows_that_wait_their_points_alone():
    made = valid(prairielearn.results(zip_report()), "prairielearn")
    text = json.dumps(made)
    assert "SECRET" not in text
    assert "CANARY" not in text
    assert made["score"] == pytest.approx(2 / 7)
    assert len(made["tests"]) == 5


def test_prairielearn_stays_below_a_megabyte(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "small.svg").write_text("<svg/>")
    (tmp_path / "pictures" / "large.svg").write_text("x" * 900_000)
    (tmp_path / "pictures" / "page.html").write_text("<p>")
    pictures = [
        {"label": name, "file": f"pictures/{name}"}
        for name in ("small.svg", "large.svg", "page.html", "absent.svg")
    ]
    rows = [row(f"1.{n}", "failed", message="w" * 4000) for n in range(250)]
    rows[0]["pictures"] = pictures
    made = valid(prairielearn.results(report(*rows), tmp_path), "prairielearn")
    assert running.size_of(made) <= prairielearn.BYTES
    few = valid(prairielearn.results(report(rows[0]), tmp_path), "prairielearn")
    assert [each["label"] for each in few["tests"][0]["images"]] == ["small.svg"]


def test_a_question_of_prairielearn_names_files_and_time():
    files = prairielearn.question("Module 3", ["a.py", "b.py"], "course/m3", "1-2")
    info = json.loads(files["info.json"])
    assert info["externalGradingOptions"]["timeout"] == 600 > prairielearn.SECONDS
    assert info["externalGradingOptions"]["enableNetworking"] is False
    assert 'file-names="a.py,b.py"' in files["question.html"]


def test_classroom50_gets_public_rows_in_whole_points():
    graded = zip_report()
    graded["rows"][0].update(points=1.75, max_points=2, outcome="partial")
    made = valid(classroom50.result(graded, IDENTITY, NOON), "classroom50")
    assert [each["score"] for each in made["tests"]] == [1, 0, 0, 0]
    assert (made["score"], made["max-score"]) == (1, 5)
    assert made["datetime"] == "2026-06-01T12:00:00Z"
    assert made["review"] == IDENTITY["COMMIT_URL"]
    assert "CANARY" not in json.dumps(made) + classroom50.release_body(graded)


def test_classroom50_counts_hundredths_where_points_are_parts():
    graded = report(row("1.1", max_points=0.5), row("1.2", "failed", max_points=2))
    made = valid(classroom50.result(graded, IDENTITY, NOON), "classroom50")
    assert (made["score"], made["max-score"]) == (50, 250)


def test_classroom50_needs_its_environment():
    less = {**IDENTITY, "CLASSROOM": "", "COMMIT_URL": ""}
    with pytest.raises(running.GraderFault, match="got no CLASSROOM, COMMIT_URL in"):
        classroom50.result(report(row("1.1")), less, NOON)
    assert classroom50.main(["--fast"]) == 2


def test_junit_tells_students_only_what_they_may_see():
    text = junit.document(zip_report())
    assert "SECRET" not in text
    assert "SECRET" in junit.document(zip_report(), staff=True)


def test_junit_is_xml_whatever_a_message_holds():
    odd = "bell \x07, half \ud800, <&\"'>]]>"
    text = junit.document(report(row("1.1", "failed", message=odd)))
    case = ElementTree.fromstring(text).find("testsuite/testcase/failure")
    assert case is not None
    assert "<&\"'>]]>" in (case.text or "")


# What a grader does in a process of its own, in place of the judge.
REPORTS = """
import json, sys, time, os
told = json.load(sys.stdin)
report = {"rows": [], "final": True, "isolation": "confined", "message": ""}
open(os.path.join(told["to"], "report.json"), "w").write(json.dumps(report))
"""


@pytest.mark.parametrize(
    ("more", "final", "message"),
    [
        ("", True, ""),
        ("time.sleep(60)", False, "not come to its end"),
        ("if os.fork() == 0: time.sleep(60)\ntime.sleep(60)", False, "not come"),
        ("os._exit(70)", False, "not come to its end"),
        ("print('x' * 10_000_000)", True, ""),
    ],
)
def test_a_grading_always_ends_with_a_report(tmp_path, more, final, message):
    seconds = 5 if "sleep" in more else 60
    graded = running.grade_within(
        *(tmp_path, tmp_path, tmp_path / "to", SECRET, seconds), program=REPORTS + more
    )
    assert graded["final"] is final
    assert message in graded["message"]


def test_a_grading_without_a_report_is_our_fault(tmp_path):
    with pytest.raises(running.GraderFault, match="left no report: exit status 3"):
        running.grade_within(
            tmp_path,
            tmp_path,
            tmp_path / "to",
            SECRET,
            5,
            program="exit(3)",
        )


def test_files_handed_in_are_not_imported_by_the_grader(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('handed in')")
    monkeypatch.chdir(tmp_path)
    graded = running.grade_within(
        tmp_path, tmp_path, tmp_path / "to", SECRET, 60, program=REPORTS
    )
    assert graded["final"]


@pytest.mark.parametrize(
    ("text", "says"),
    [(None, "need the secret's file"), (b"short\n", "secret of 5 bytes")],
)
def test_a_secret_is_a_file_of_enough_bytes(tmp_path, text, says):
    path = tmp_path / "secret"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(running.GraderFault, match=says):
        running.read_secret(path)


@pytest.mark.parametrize("platform", [gradescope, prairielearn])
def test_platforms_programs_say_that_the_fault_is_ours(platform, tmp_path, capsys):
    results = tmp_path / "results" / "results.json"
    names = {"assignment": tmp_path, "submission": tmp_path, "results": results}
    arguments = [f"--{name}={path}" for name, path in names.items()]
    status = platform.main([*arguments, f"--secret={tmp_path / 'none'}"])
    assert "need the secret's file" in capsys.readouterr().err
    assert (status, results.exists()) in [(70, False), (0, True)]
    if results.exists():
        valid(json.loads(results.read_text()), "prairielearn")


@pytest.mark.parametrize(
    "script",
    [
        gradescope.FILES["setup.sh"],
        gradescope.FILES["run_autograder"],
        prairielearn.FILES["tests/run.sh"],
    ],
)
def test_scripts_are_bash_and_do_not_import_what_was_handed_in(script):
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert script.startswith("#!/usr/bin/env bash\n# Owns")
    assert "-m minitorch" not in script.replace("-P -m", "").replace("\\\n  ", "")
    assert os.linesep == "\n"


def test_the_autograder_of_classroom50_is_python():
    compile(classroom50.FILES["autograder.py"], "autograder.py", "exec")
    json.loads(classroom50.FILES["runtime.json"])
