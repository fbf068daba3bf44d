"""A class has one report for each submission, whoever is killed, whenever."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from minitorch_grading.errors import UsageError
from minitorch_grading.together.cluster import workers_of
from minitorch_grading.together.grade_class import ClassGraded, grade_class
from minitorch_grading.together.results import (
    held,
    read_overrides,
)
from minitorch_grading.together.submissions import find_submissions

pytest.importorskip("distributed")

DATA = Path(__file__).with_name("data")
TINY = DATA / "tiny"
SECRET = 32 * b"s"


@pytest.fixture
def calls(tmp_path, monkeypatch) -> Path:
    """Where the fake grader leaves a file for each submission that it met."""
    folder = tmp_path / "calls"
    folder.mkdir()
    monkeypatch.setenv("FAKE_CALLS", str(folder))
    monkeypatch.syspath_prepend(str(DATA))
    return folder


def class_of(folder: Path, answers: dict[str, str]) -> Path:
    for name, answer in answers.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "answer.txt").write_text(answer)
    return folder


def grade(handed_in: Path, to: Path, **more) -> ClassGraded:
    more = {"workers": 2, "grade": "fake_grader:grade_one", **more}
    return grade_class(TINY, handed_in, to, SECRET, **more)


def reports_in(to: Path) -> dict[str, dict]:
    """The reports by submission."""
    paths = to.glob("reports/[!.]*/report.json")
    return {path.parent.name: json.loads(path.read_text()) for path in paths}


def write_override(to: Path, name: str, text: str) -> None:
    """Write into a cell of the column `override`, as a teacher does."""
    with open(to / "scores.csv", newline="") as table:
        lines = list(csv.DictReader(table))
    for line in lines:
        if line["name"] == name:
            line["override"] = text
    with open(to / "scores.csv", "w", newline="") as table:
        writer = csv.DictWriter(table, lines[0])
        writer.writeheader()
        writer.writerows(lines)


def test_a_class_with_everything_in_it(tmp_path, calls):
    answers = {
        "ada": "4",
        "bob": "9",
        "cyd": "dies",
        "dan": "dies once",
        "eve": "fails",
    }
    handed_in = class_of(tmp_path / "in", {**answers, "fay": "broken", "gil": "9"})
    with zipfile.ZipFile(handed_in / "hal.zip", "w") as archive:
        archive.writestr("answer.txt", "zip")
    seen = []
    done = grade(handed_in, tmp_path / "out", progress=lambda n, all_: seen.append(n))
    assert (done.graded, done.known) == (8, 0)
    assert seen == sorted(seen)
    assert seen[-1] == 8
    assert done.says.startswith("8 of 8; 1 not gradable; 2 not final; median ")
    reports = reports_in(tmp_path / "out")
    assert sorted(reports) == [
        *("ada", "bob", "cyd", "dan", "eve", "fay", "gil", "hal")
    ]
    assert {name for name in reports if not reports[name]["final"]} == {"cyd", "eve"}
    assert "the grader is wrong" in reports["eve"]["rows"][0]["staff_message"]
    counts = {path.name: len(path.read_text().splitlines()) for path in calls.iterdir()}
    assert counts["cyd"] == counts["dan"] == 2
    assert counts.keys() & {"bob", "gil"} == {"bob"}  # equal files are graded once

    table = (tmp_path / "out" / "scores.csv").read_text()
    rows = list(csv.DictReader(table.splitlines()))
    assert {row["name"]: row["score"] for row in rows}["bob"] == "9"
    assert {row["name"]: row["score"] for row in rows}["cyd"] == ""
    assert {row["name"]: row["final"] for row in rows}["cyd"] == "no"

    again = grade(handed_in, tmp_path / "out")
    assert (again.graded, again.known) == (0, 8)
    assert reports_in(tmp_path / "out") == reports


def test_no_report_and_no_page_has_a_name(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada-lovelace": "4", "grace-hopper": "9"})
    grade(handed_in, tmp_path / "out")
    files = list(tmp_path.glob("out/reports/*/*.*"))
    assert len(files) == 6
    for path in files:
        assert "lovelace" not in path.read_text(), path


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0, 2, 5])
def test_a_killed_client_goes_on_where_it_was(tmp_path, calls, moment, monkeypatch):
    answers = {f"s{n}": str(n) for n in range(7)}
    handed_in, out = class_of(tmp_path / "in", answers), tmp_path / "out"
    program = (
        "import sys; from pathlib import Path\n"
        "from minitorch_grading.together.grade_class import grade_class\n"
        "if __name__ == '__main__':\n"
        "    grade_class(*map(Path, sys.argv[1:4]), b's' * 32, workers=2,\n"
        "                grade='fake_grader:grade_one')\n"
    )
    script = tmp_path / "grade.py"
    script.write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(DATA), "FAKE_SECONDS": "0.3"}
    arguments = [sys.executable, script, TINY, handed_in, out]
    with subprocess.Popen(arguments, env=environment, start_new_session=True) as client:
        deadline = time.monotonic() + 240
        while not any(calls.iterdir()) or len(reports_in(out)) < moment:
            assert client.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(client.pid, signal.SIGKILL)
    before = {path: path.stat().st_mtime_ns for path in out.glob("reports/[!.]*/key")}
    done = grade(handed_in, out)
    assert done.known == len(before)
    assert all(path.stat().st_mtime_ns == time_ for path, time_ in before.items())
    scores = {name: report["score"] for name, report in reports_in(out).items()}
    assert scores == {f"s{n}": n for n in range(7)}


@pytest.mark.parametrize(
    ("file", "text"), [("report.json", "{"), ("key", "{"), ("report.json", None)]
)
def test_what_a_killed_run_left_is_dropped(tmp_path, calls, file, text):
    handed_in = class_of(tmp_path / "in", {"ada": "4", "bob": "3"})
    out = tmp_path / "out"
    grade(handed_in, out, workers=1)
    left = out / "reports" / "ada" / file
    left.unlink() if text is None else left.write_text(text)
    (out / "reports" / ".half").mkdir()
    done = grade(handed_in, out, workers=1)
    assert (done.graded, done.known) == (1, 1)
    assert sorted(path.name for path in (out / "reports").iterdir()) == ["ada", "bob"]
    assert reports_in(out)["ada"]["score"] == 4


@pytest.mark.slow
def test_our_faults_are_graded_again_when_asked(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada": "fails", "bob": "3"})
    grade(handed_in, tmp_path / "out")
    assert grade(handed_in, tmp_path / "out").graded == 0
    assert grade(handed_in, tmp_path / "out", again=True).graded == 1


@pytest.mark.slow
def test_other_files_another_secret_or_level_are_graded(tmp_path, calls):
    handed_in, out = (
        class_of(tmp_path / "in", {"ada": "4", "bob": "3"}),
        tmp_path / "out",
    )
    grade(handed_in, out)
    (handed_in / "ada" / "answer.txt").write_text("5")
    assert grade(handed_in, out).graded == 1
    assert reports_in(out)["ada"]["score"] == 5
    assert grade(handed_in, out, level="uid").graded == 2


@pytest.mark.slow
def test_points_that_a_teacher_changed_stay_when_graded_again(tmp_path, calls):
    handed_in, out = (
        class_of(tmp_path / "in", {"ada": "1", "bob": "9"}),
        tmp_path / "out",
    )
    grade(handed_in, out)
    row = reports_in(out)["ada"]["rows"][-1]["id"]
    write_override(out, "ada", f"{row} = 2: We handed out a wrong test.")
    (handed_in / "ada" / "answer.txt").write_text("2")
    assert grade(handed_in, out).graded == 1
    with open(out / "scores.csv") as table:
        lines = {line["name"]: line for line in csv.DictReader(table)}
    assert lines["ada"]["score"] == "4"
    assert lines["ada"]["override"] == f"{row} = 2: We handed out a wrong test."
    paths = sorted(out.glob("reports/*/index.html"))
    for path in paths:
        suites = ElementTree.parse(path.with_name("junit.xml")).getroot()
        assert int(suites.get("tests")) == len(suites.findall(".//testcase")) > 0
    pages = [path.read_text() for path in paths]
    assert sum("We handed out a wrong test." in page for page in pages) == 1


def test_what_one_has_handed_in_does_not_stop_the_class(tmp_path, calls, monkeypatch):
    """Files that are too many, too large, unreadable or oddly called are one's own."""
    handed_in = class_of(tmp_path / "in", dict.fromkeys(("ada", "bob", "cyd"), "4"))
    odd = (b"two\nlines", b"caf\xe9", b"...", b"x" * 255, "\u202e".encode())
    for name in odd:
        Path(os.fsdecode(os.path.join(os.fsencode(handed_in / "ada"), name))).touch()
    deep = os.open(handed_in / "ada", os.O_RDONLY)
    for _ in range(20):  # deeper than paths may be long
        os.mkdir("d" * 250, dir_fd=deep)
        deep = os.open("d" * 250, os.O_RDONLY, dir_fd=deep)
    os.close(os.open("deep", os.O_CREAT, dir_fd=deep))
    with open(handed_in / "bob" / "large", "wb") as large:
        large.truncate(201_000_000)
    secret = handed_in / "cyd" / "secret"
    secret.write_text("x")
    real = open

    def refusing(file, *arguments, **options):
        if str(file) == str(secret):  # root may read everything
            raise PermissionError(13, "Permission denied", str(file))
        return real(file, *arguments, **options)

    monkeypatch.setattr("builtins.open", refusing)
    out = tmp_path / "out"
    assert grade(handed_in, out).says.startswith("3 of 3; median 4/10")
    assert grade(handed_in, out).known == 3
    os.utime(handed_in / "bob" / "large", (1, 1))
    assert grade(handed_in, out).graded == 1


ODD_NAMES = [
    "ada lovelace",
    "two\nlines",
    "ö ß 学生",
    "line\u2028and\x85end",
    "=1+1",
    "x" * 250,
    b"caf\xe9".decode("utf-8", "surrogateescape"),
]


def test_any_name_of_a_folder_is_graded_and_known_again(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", dict.fromkeys(ODD_NAMES, "4"))
    for number, folder in enumerate(sorted(handed_in.iterdir())):
        (folder / "other.txt").write_text(str(number))  # no two are equal
    done = grade(handed_in, tmp_path / "out")
    assert done.graded == 7
    assert {each.name for each in done.results} == {*ODD_NAMES[:-1], r"caf\xe9"}
    for name in ("=1+1", "two\nlines", "line\u2028and\x85end", r"caf\xe9"):
        cell = f"'{name}" if name.startswith("=") else name
        write_override(tmp_path / "out", cell, "1.1-clip = 0: Why.")
    assert grade(handed_in, tmp_path / "out").known == 7
    assert len(read_overrides(tmp_path / "out")) == 4


def test_what_is_no_submission_is_named(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada": "4"})
    for name in ("bob.tar.gz", "cyd.py", ".DS_Store"):
        (handed_in / name).write_text("x")
    os.mkfifo(handed_in / "dan.zip")
    (handed_in / "eve").symlink_to(handed_in / "ada")
    assert [each.name for each in find_submissions(handed_in)] == ["ada"]
    said = grade(handed_in, tmp_path / "out", workers=1).says
    told = "4 left out, no folder, zip or notebook: bob.tar.gz, cyd.py, dan.zip, eve; "
    assert told in said


def test_results_have_a_folder_of_their_own(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada": "4"})
    for to in (handed_in, handed_in / "results"):
        with pytest.raises(UsageError, match=r"inside .*in, where each folder is a"):
            grade(handed_in, to)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"cannot write to .*file "):
        grade(handed_in, tmp_path / "file")
    out = tmp_path / "out"
    grade(handed_in, out, workers=1)
    path = out / "reports" / "ada" / "report.json"
    path.write_text(path.read_text().replace(': "tiny"', ': "m3"'))
    before = path.read_text()
    with pytest.raises(UsageError, match=r"results of m3, not tiny"):
        grade(handed_in, out)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("name", "cell", "says"),
    [
        ("ada", "9.9 = 1: r", "row '9.9' for ada; need one of 1.1-clip"),
        (
            "ada",
            "1.1-clip = 1",
            "cannot read the override '1.1-clip = 1' of ada; need ROW",
        ),
        ("ada", "1.1-clip = 1: ", "need ROW = POINTS: REASON"),
        ("ada", "1.1-clip = -1: r", "need ROW = POINTS: REASON"),
        ("ada", "1.1-clip = 1" + 400 * "0" + ": r", "need ROW = POINTS: REASON"),
        ("zoe", "1.1-clip = 1: r", "of 'zoe', who handed in nothing. Correct"),
    ],
)
def test_an_override_that_fits_nothing_stops_before_grading(
    tmp_path, calls, name, cell, says
):
    handed_in, out = class_of(tmp_path / "in", {"ada": "4"}), tmp_path / "out"
    out.mkdir()
    (out / "scores.csv").write_text(f"name,override\n{name},{cell}\n")
    with pytest.raises(UsageError, match=re.escape(says)):
        grade(handed_in, out)
    assert not any(calls.iterdir())
    assert not (out / "reports").exists()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"name;override\n", "got the header 'name;override'; need"),
        (b"", "got the header ''"),
        (b"name,override\ncaf\xe9,\n", "not valid UTF-8"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, data, says):
    (tmp_path / "scores.csv").write_bytes(data)
    with pytest.raises(UsageError, match=says):
        read_overrides(tmp_path)


def test_a_table_from_a_spreadsheet_is_read(tmp_path):
    text = '\ufeffname,override\r\n"\'=1","1.1 = 0.5: a\n 1.2=2 : b: c "\r\nbob,\r\n'
    (tmp_path / "scores.csv").write_bytes(text.encode())
    (changes,) = read_overrides(tmp_path).items()
    assert changes[0] == "=1"
    assert [(each.row, each.points, each.reason) for each in changes[1]] == [
        ("1.1", 0.5, "a"),
        ("1.2", 2, "b: c"),
    ]


def test_one_process_grades_into_a_folder(tmp_path):
    out, says = tmp_path / "out", "another process"
    with held(out), pytest.raises(UsageError, match=says), held(out):
        pass


def test_what_was_handed_in_is_named_when_it_is_wrong(tmp_path):
    with pytest.raises(UsageError, match="is not a folder; need a folder with one"):
        find_submissions(tmp_path / "nothing")
    with pytest.raises(UsageError, match="contains no folder, zip or notebook"):
        find_submissions(tmp_path)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada.zip").write_bytes(b"PK")
    with pytest.raises(UsageError, match="ada handed in twice, as ada and ada"):
        find_submissions(tmp_path)
    (tmp_path / "ada.zip").unlink()
    (tmp_path / "Bo.IPYNB").write_bytes(b"{}")
    (tmp_path / "notes.txt").write_bytes(b"who is who")
    assert [each.name for each in find_submissions(tmp_path)] == ["Bo", "ada"]


def test_a_hash_follows_no_links_and_sees_names(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("one")
    handed_in = class_of(tmp_path / "in", {"a": "1", "b": "1", "c": "1", "d": "1"})
    (handed_in / "b" / "link.py").symlink_to(outside)
    (handed_in / "c" / "answer.txt").rename(handed_in / "c" / "other.txt")
    (handed_in / "d" / "__pycache__").mkdir()
    (handed_in / "d" / "__pycache__" / "a.pyc").write_text("x")
    a, b, c, d = (each.sha256 for each in find_submissions(handed_in))
    assert a == b == d != c


@pytest.mark.parametrize(
    ("workers", "scheduler", "says"),
    [
        (None, Path("none.json"), "is not a file"),
    ],
)
def test_a_cluster_that_cannot_be_had_is_said(workers, scheduler, says):
    with pytest.raises(UsageError, match=says), workers_of(workers, scheduler):
        pass


@pytest.mark.slow
def test_any_dask_cluster_grades_by_its_file(tmp_path, calls):
    from distributed import LocalCluster

    handed_in = class_of(tmp_path / "in", {"ada": "4", "bob": "9"})
    options = {
        "n_workers": 1,
        "threads_per_worker": 1,
        "dashboard_address": "127.0.0.1:0",
    }
    with LocalCluster(host="127.0.0.1", **options) as cluster:
        path = tmp_path / "scheduler.json"
        path.write_text(json.dumps(cluster.scheduler_info))
        done = grade(handed_in, tmp_path / "out", workers=None, scheduler=path)
    assert done.graded == 2
