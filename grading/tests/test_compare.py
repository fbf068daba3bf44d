"""What teachers read of a class: comparisons and scores."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from minitorch_grading import command
from minitorch_grading.errors import UsageError
from minitorch_grading.report.pages.student import student_page
from minitorch_grading.together.compare import compare
from minitorch_grading.together.results import (
    Override,
    overridden,
    read_results,
    scores_csv,
)

from .reports import report, row, zip_report


def results(folder: Path, reports: dict[str, dict]) -> Path:
    for name, each in reports.items():
        (folder / "reports" / name).mkdir(parents=True)
        (folder / "reports" / name / "report.json").write_text(json.dumps(each))
    return folder


def override(folder: Path, name: str, row: str = "3.3-zip.clean") -> None:
    (folder / "scores.csv").write_text(
        f"name,override\n{name},{row} = 1: Our mistake.\n"
    )


def test_a_comparison_says_whose_row_changed(tmp_path):
    better = zip_report()
    better["rows"][1].update(outcome="passed", points=1)
    better["score"] = 3
    first = results(tmp_path / "a", {"ada": zip_report(), "bob": zip_report()})
    second = results(tmp_path / "b", {"ada": better, "bob": zip_report()})
    assert compare(first, second).says == (
        "1 of 2 changed:\n  a81f +1 (3.3 zip on the GPU: clean: reported -> passed)"
    )
    assert compare(first, first).says == "0 of 2 changed"
    back = compare(second, first).says
    assert "a81f -1 (3.3 zip on the GPU: clean: passed -> reported)" in back


def test_a_comparison_shows_overrides_and_who_is_missing(tmp_path):
    first = results(tmp_path / "a", {"ada": zip_report(), "cyd": zip_report()})
    second = results(tmp_path / "b", {"ada": zip_report(), "bob": zip_report()})
    override(second, "ada")
    said = compare(first, second).says
    assert "a81f +1 (3.3 zip on the GPU: clean: 0 -> 1)" in said
    assert "a81f 3.3-zip.clean: 0 -> 1. Our mistake." in said
    assert "1 only in the first: cyd" in said
    assert "1 only in the second: bob" in said


def test_a_comparison_knows_new_rows_other_files_and_our_faults(tmp_path):
    before = report(row("1.1"), row("1.2"))
    after = report(row("1.1", max_points=2), row("1.3", "failed"))
    after["submission"]["sha256"] = 64 * "c"
    ours = report(row("1.1", "not_run"), row("1.2", "not_run"), final=False)
    first = results(tmp_path / "a", {"ada": before, "bob": before})
    second = results(tmp_path / "b", {"ada": after, "bob": ours})
    said = compare(first, second).says
    assert "cccc ±0 (handed in again; " in said
    assert "1.1 what 1.1 asks: 1 -> 2" in said
    assert "a81f no score (" in said


def test_the_code_of_a_page_finds_the_report_with_its_override(tmp_path, capsys):
    eve = zip_report()
    eve["submission"]["sha256"] = "a81f77" + 58 * "0"
    folder = results(tmp_path / "a", {"ada": zip_report(), "eve": eve})
    page = student_page(read_results(folder)[0].report)
    code = re.findall(r"Send your teacher <code>(\w+)</code>", page)[0]
    assert f"ada,{code},2,6,yes,yes," in scores_csv(read_results(folder))
    override(folder, "ada")
    assert [each.report["score"] for each in read_results(folder)] == [3, 2]
    for word in (code, code[:5].upper(), "ada"):
        where = ["--results", str(folder), "--to", str(tmp_path / "page.html")]
        assert command.main(["report", word, *where]) == 0
        assert "Our mistake." in (tmp_path / "page.html").read_text()
        (tmp_path / "page.html").unlink()


def test_a_code_that_fits_none_or_two_is_said(tmp_path, capsys):
    eve = zip_report()
    eve["submission"]["sha256"] = "a81f77" + 58 * "0"
    same = {"ada": zip_report(), "bob": zip_report()}
    folder = results(tmp_path / "a", {**same, "eve": eve})
    for word, says in {
        "beef": r"cannot find 'beef'; need a report.json, .*at least 4 digits",
        "a81": "cannot find 'a81'; need a report.json",
        "a81f": "'a81f' matches 3 codes: a81f0000 of ada, .*\\. Give more",
    }.items():
        assert command.main(["report", word, "--results", str(folder)]) == 2
        assert re.match(rf"\[report\] {says}", capsys.readouterr().err)
    # Equal files have one code and equal reports: whoever is meant, it is that one.
    assert command.main(["report", "a81f0", "--results", str(folder), "--text"]) == 0


def test_an_override_of_a_row_that_is_gone_is_refused(tmp_path):
    folder = results(tmp_path / "a", {"ada": zip_report()})
    override(folder, "ada", "9.9")
    with pytest.raises(UsageError, match=r"row '9.9' .*; need one of 3.3-zip.values"):
        read_results(folder)


def test_two_assignments_are_not_compared(tmp_path):
    first = results(tmp_path / "a", {"ada": report(row("1.1"))})
    second = results(tmp_path / "b", {"ada": report(row("1.1"), assignment="m4")})
    with pytest.raises(ValueError, match="the results are of m3 and m4"):
        compare(first, second)


def test_a_folder_without_results_is_said(tmp_path):
    with pytest.raises(UsageError, match="there are no reports in"):
        read_results(tmp_path)
    (tmp_path / "reports" / "ada").mkdir(parents=True)
    with pytest.raises(ValueError, match="is not a report of"):
        read_results(tmp_path)


def test_scores_are_a_table_without_formulas(tmp_path):
    names = {"=1+1": report(row("1.1")), "b,c": report(row("1.2", "failed"))}
    names["ours"] = report(row("1.1", "not_run"), final=False)
    text = scores_csv(read_results(results(tmp_path / "a", names)))
    rows = {row["name"]: row for row in csv.DictReader(text.splitlines())}
    assert set(rows) == {"'=1+1", "b,c", "ours"}
    assert rows["'=1+1"]["1.1"] == "1"
    assert rows["b,c"]["1.1"] == ""
    assert rows["ours"]["score"] == ""


def test_a_comparison_names_the_assignments_that_graded(tmp_path):
    first = report(row("1.1"))
    second = report(row("1.1"))
    second["grader"] = second["grader"] | {"bundle_sha256": 64 * "c"}
    folders = [
        results(tmp_path / name, {"ada": graded})
        for name, graded in (("a", first), ("b", second))
    ]
    line = "The assignment changed: bundle bbbbbbbb, then cccccccc."
    assert compare(*folders).says == f"0 of 1 changed\n{line}"


def test_an_override_changes_points_and_keeps_the_reason():
    graded = zip_report()
    changes = [Override("3.3-zip.clean", 1, "a"), Override("3.3-zip.clean", 0.5, "why")]
    report_now = overridden(graded, changes)
    assert report_now["score"] == 2.5
    assert report_now["rows"][1]["override"] == {"before": 0, "reason": "why"}
    assert overridden(graded, []) == graded
    assert graded["score"] == 2
