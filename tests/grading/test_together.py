"""Owns the tests of a class at once: one result each, whoever is killed, whenever."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from minitorch.grading.together.cluster import ClusterError, workers_of
from minitorch.grading.together.grade_class import ClassGraded, grade_class
from minitorch.grading.together.key import bundle_hash, result_key
from minitorch.grading.together.ledger import Ledger, LedgerError, read_lines
from minitorch.grading.together.overrides import OverrideError, keep_overrides
from minitorch.grading.together.submissions import HandedInError, find_submissions

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


def lines_in(to: Path) -> list[dict]:
    path = to / "results.jsonl"
    if not path.exists():
        return []
    return [json.loads(each) for each in path.read_text().splitlines()]


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
    lines = lines_in(tmp_path / "out")
    assert sorted(line["name"] for line in lines) == [
        *("ada", "bob", "cyd", "dan", "eve", "fay", "gil", "hal")
    ]
    assert {line["name"] for line in lines if not line["final"]} == {"cyd", "eve"}
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
    assert lines_in(tmp_path / "out") == lines


def test_no_report_and_no_page_for_the_class_has_a_name(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada-lovelace": "4", "grace-hopper": "9"})
    grade(handed_in, tmp_path / "out")
    out = tmp_path / "out"
    for path in [*out.glob("reports/*/*.*"), out / "board.html", out / "board.json"]:
        assert "lovelace" not in path.read_text(), path
    board = json.loads((out / "board.json").read_text())
    assert len(board["entries"]) == 2
    assert (out / ".board").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0, 2, 5])
def test_a_killed_client_goes_on_where_it_was(tmp_path, calls, moment, monkeypatch):
    answers = {f"s{n}": str(n) for n in range(7)}
    handed_in, out = class_of(tmp_path / "in", answers), tmp_path / "out"
    program = (
        "import sys; from pathlib import Path\n"
        "from minitorch.grading.together.grade_class import grade_class\n"
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
        while not any(calls.iterdir()) or len(lines_in(out)) < moment:
            assert client.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(client.pid, signal.SIGKILL)
    before = lines_in(out)
    done = grade(handed_in, out)
    lines = lines_in(out)
    assert done.known == len(before)
    assert lines[: len(before)] == before
    assert sorted(line["name"] for line in lines) == sorted(answers)
    assert {line["name"]: line["score"] for line in lines} == {
        f"s{n}": n for n in range(7)
    }


@pytest.mark.parametrize("left", ["", '{"name": "x", "ke', '{"name": "x"}'])
def test_half_a_line_and_half_a_report_are_dropped(tmp_path, calls, left):
    handed_in = class_of(tmp_path / "in", {"ada": "4"})
    out = tmp_path / "out"
    grade(handed_in, out, workers=1)
    with open(out / "results.jsonl", "a") as lines:
        lines.write(left)
    (out / "reports" / ".half").mkdir()
    done = grade(handed_in, out, workers=1)
    assert (done.graded, done.known) == (0, 1)
    assert len(lines_in(out)) == 1
    assert not (out / "reports" / ".half").exists()


@pytest.mark.slow
def test_a_report_without_its_line_is_graded_again(tmp_path, calls):
    """Killed between the report and its line: the line is what counts."""
    handed_in, out = (
        class_of(tmp_path / "in", {"ada": "4", "bob": "3"}),
        tmp_path / "out",
    )
    grade(handed_in, out)
    lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
    (out / "results.jsonl").write_text(lines[0])
    done = grade(handed_in, out)
    assert (done.graded, done.known) == (1, 1)
    assert len(lines_in(out)) == 2


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
    assert [each.score for each in read_lines(out) if each.name == "ada"] == [5]
    assert grade(handed_in, out, level="uid").graded == 2


@pytest.mark.slow
def test_points_that_a_teacher_changed_stay_when_graded_again(tmp_path, calls):
    handed_in, out = (
        class_of(tmp_path / "in", {"ada": "1", "bob": "9"}),
        tmp_path / "out",
    )
    grade(handed_in, out)
    report = json.loads(next(out.glob("reports/*/report.json")).read_text())
    row = report["rows"][-1]
    (out / "overrides.toml").write_text(
        f'[[override]]\nsubmission = "ada"\nrow = "{row["id"]}"\npoints = 2\n'
        'reason = "We handed out a wrong test."\n'
        '[[override]]\nsubmission = "zoe"\nrow = "x"\npoints = 1\nreason = "gone"\n'
    )
    (handed_in / "ada" / "answer.txt").write_text("2")
    done = grade(handed_in, out)
    assert done.graded == 1
    with open(out / "scores.csv") as table:
        scores = {row["name"]: row["score"] for row in csv.DictReader(table)}
    assert scores["ada"] == "4"
    paths = sorted(out.glob("reports/*/index.html"))
    for path in paths:
        suites = ElementTree.parse(path.with_name("junit.xml")).getroot()
        assert int(suites.get("tests")) == len(suites.findall(".//testcase")) > 0
    pages = [path.read_text() for path in paths]
    assert sum("We handed out a wrong test." in page for page in pages) == 1
    overview = (out / "index.html").read_text()
    assert "We handed out a wrong test." in overview
    assert "speaks of no submission here" in overview


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
    assert (done.graded, done.numbers.median) == (7, 4)
    names = {each.name for each in read_lines(tmp_path / "out")}
    assert names == {*ODD_NAMES[:-1], r"caf\xe9"}
    assert grade(handed_in, tmp_path / "out").known == 7


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
        with pytest.raises(HandedInError, match=r"inside .*in, where each folder is a"):
            grade(handed_in, to)
    (tmp_path / "file").write_text("x")
    with pytest.raises(LedgerError, match=r"file, where no result can be written \(F"):
        grade(handed_in, tmp_path / "file")
    out = tmp_path / "out"
    grade(handed_in, out, workers=1)
    lines = out / "results.jsonl"
    lines.write_text(lines.read_text().replace(': "tiny"', ': "m3"'))
    before = lines.read_text()
    with pytest.raises(LedgerError, match=r"results of m3; need .* of tiny alone"):
        grade(handed_in, out)
    assert lines.read_text() == before


def test_a_report_that_is_gone_is_made_again(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada": "4"})
    grade(handed_in, tmp_path / "out", workers=1)
    next(tmp_path.glob("out/reports/*/report.json")).unlink()
    done = grade(handed_in, tmp_path / "out", workers=1)
    assert (done.graded, done.known, done.numbers.median) == (1, 0, 4)


def test_a_slip_of_an_override_is_told_before_anybody_is_graded(tmp_path, calls):
    handed_in = class_of(tmp_path / "in", {"ada": "4"})
    mine = tmp_path / "mine.toml"
    with pytest.raises(OverrideError, match=r"got .*mine.toml, which is no file"):
        grade(handed_in, tmp_path / "out", overrides=mine)
    entry = '[[override]]\nsubmission = "{}"\nrow = "{}"\npoints = {}\nreason = "r"\n'
    for values, says in {
        ("ada", "9.9", 1): "got row = '9.9' for ada; need one of 1.1-clip",
        ("a81f", "9.9", 1): "got row = '9.9' for a81f",
        ("ada", "1.1-clip", "1" + 400 * "0"): "need a number of at least 0, at most",
    }.items():
        mine.write_text(entry.format(*values))
        with pytest.raises(OverrideError, match=says):
            grade(handed_in, tmp_path / "out", overrides=mine)
    assert not any(calls.iterdir())
    assert not (tmp_path / "out").exists()


def test_a_file_of_overrides_is_kept_with_the_results(tmp_path):
    given, results = tmp_path / "mine.toml", tmp_path / "out"
    results.mkdir()
    given.write_text("# no changes yet\n")
    keep_overrides(given, results)
    assert (results / "overrides.toml").read_text() == "# no changes yet\n"
    keep_overrides(given, results)
    given.write_text("# another\n")
    with pytest.raises(OverrideError, match=r"got .*mine.toml and another"):
        keep_overrides(given, results)


def test_one_process_grades_into_a_folder(tmp_path):
    with Ledger(tmp_path / "out"), pytest.raises(LedgerError, match="another process"):
        Ledger(tmp_path / "out").__enter__()


def test_what_was_handed_in_is_named_when_it_is_wrong(tmp_path):
    with pytest.raises(
        HandedInError, match="which is no folder; need a folder with one"
    ):
        find_submissions(tmp_path / "nothing")
    with pytest.raises(HandedInError, match="got no folder, zip or notebook"):
        find_submissions(tmp_path)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada.zip").write_bytes(b"PK")
    with pytest.raises(HandedInError, match="got ada twice, as ada and ada"):
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


def test_a_key_follows_from_all_that_a_result_follows_from(tmp_path):
    def key(submission="00", bundle="11", secret=SECRET, level=None, made_of=None):
        return result_key(submission, bundle, secret, level, made_of or {"a": "1"})

    others = [
        key(submission="01"),
        key(bundle="12"),
        key(secret=32 * b"t"),
        key(level="uid"),
        key(made_of={"a": "2"}),
    ]
    assert len({key(), *others}) == 6
    assert key() == key()


def test_a_bundle_is_the_assignment_and_what_it_needs(tmp_path):
    for name, needs in (("m0", []), ("m1", ["m0"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "assignment.toml").write_text(f"needs = {needs}\n")
    before = bundle_hash(tmp_path / "m1")
    (tmp_path / "m0" / "solution.py").write_text("x = 1\n")
    assert bundle_hash(tmp_path / "m1") != before
    with pytest.raises(ValueError, match=r"need an assignment's folder"):
        bundle_hash(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[override]\n", "need TOML"),
        ("points = 1\n", r"got points; need tables \[\[override\]\]"),
        ('override = "x"\n', "need tables"),
        ('[[override]]\nrow = "a"\n', "got row; need submission, row, points, reason"),
        ("x", "need TOML"),
    ],
)
def test_overrides_are_read_whole(tmp_path, calls, text, says):
    handed_in = class_of(tmp_path / "in", {"ada": "1"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "overrides.toml").write_text(text)
    with pytest.raises(OverrideError, match=says):
        grade(handed_in, tmp_path / "out", workers=1)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"reason": '" "'}, "need a reason, which the student reads"),
        ({"points": "-1"}, "got points = -1; need a number of at least 0"),
        ({"points": "nan"}, "need a number of at least 0"),
        ({"points": "true"}, "need a number"),
        ({"row": '"9.9"'}, "got row = '9.9' for ada; need one of 1.1-clip"),
    ],
)
def test_an_override_says_whose_which_how_many_and_why(tmp_path, calls, entry, says):
    handed_in = class_of(tmp_path / "in", {"ada": "1"})
    fields = {
        "submission": '"ada"',
        "row": '"1.1-clip"',
        "points": "1",
        "reason": '"r"',
    }
    fields.update(entry)
    text = "".join(f"{key} = {value}\n" for key, value in fields.items())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "overrides.toml").write_text(f"[[override]]\n{text}")
    with pytest.raises(OverrideError, match=says):
        grade(handed_in, tmp_path / "out", workers=1)


@pytest.mark.parametrize(
    ("workers", "scheduler", "says"),
    [(0, None, "got 0 workers; need 1"), (None, Path("none.json"), "which is no file")],
)
def test_a_cluster_that_cannot_be_had_is_said(workers, scheduler, says):
    with pytest.raises(ClusterError, match=says), workers_of(workers, scheduler):
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
