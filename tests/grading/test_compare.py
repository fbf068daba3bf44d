"""Owns the tests of what teachers read of a class: comparisons, scores, board."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from minitorch.grading import command
from minitorch.grading.together.board import (
    board_of,
    board_page,
    board_text,
    pseudonyms,
)
from minitorch.grading.together.compare import compare
from minitorch.grading.together.ledger import Ledger, LedgerError, read_lines
from minitorch.grading.together.overrides import Override, OverrideError, changed
from minitorch.grading.together.overview import overview_page
from minitorch.grading.together.scores import (
    class_results,
    numbers_of,
    scores_csv,
)
from minitorch.grading.together.similar import similar_pairs, write_similar
from minitorch.grading.together.submissions import Submission, find_submissions
from minitorch.grading.together.summary_files import write_summaries

from .reports import report, row, zip_report
from .test_pages import read


def results(folder: Path, reports: dict[str, dict]) -> Path:
    with Ledger(folder) as ledger:
        for number, (name, each) in enumerate(reports.items()):
            key = f"{number:064x}"[::-1]
            ledger.put(key, each, {"race.svg": b"<svg/>"})
            # A line has the hash of all files; pages show that of what counts.
            sha256 = each["submission"]["sha256"][::-1]
            ledger.add_line(Submission(name, Path(name), sha256), key)
    return folder


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
    text = (
        '[[override]]\nsubmission = "a81f"\nrow = "3.3-zip.clean"\npoints = 1\n'
        'reason = "Our mistake."\n'
    )
    first = results(tmp_path / "a", {"ada": zip_report(), "cyd": zip_report()})
    second = results(tmp_path / "b", {"ada": zip_report(), "bob": zip_report()})
    (second / "overrides.toml").write_text(text)
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
    assert "1.1 what 1.1 asks: 1 -> 2; 1.1 what 1.1 asks: worth 1 -> 2" in said
    assert "1.3 what 1.3 asks: new row, failed" in said
    assert "1.2 what 1.2 asks: row is gone" in said
    assert "a81f no score (" in said


def test_the_code_of_a_page_finds_the_report_and_its_override(tmp_path, capsys):
    eve = zip_report()
    eve["submission"]["sha256"] = "a81f77" + 58 * "0"
    folder = results(tmp_path / "a", {"ada": zip_report(), "eve": eve})
    write_summaries(folder, class_results(folder))
    page = (folder / class_results(folder)[0].page).read_text()
    code = re.findall(r"Send your teacher <code>(\w+)</code>", page)[0]
    override(folder, code)
    ada, eve_ = class_results(folder)
    assert [ada.report["score"], eve_.report["score"]] == [3, 2]
    write_summaries(folder, [ada, eve_])
    assert "Our mistake." in (folder / ada.page).read_text()
    overview = (folder / "index.html").read_text()
    assert "Our mistake." in overview
    assert "speaks of no submission" not in overview
    for word in (code, code[:5].upper(), "ada"):
        where = ["--results", str(folder), "--to", str(tmp_path / "page.html")]
        assert command.main(["report", word, *where]) == 0
        assert "Our mistake." in (tmp_path / "page.html").read_text()
        (tmp_path / "page.html").unlink()


def override(folder: Path, submission: str) -> None:
    (folder / "overrides.toml").write_text(
        f'[[override]]\nsubmission = "{submission}"\nrow = "3.3-zip.clean"\n'
        'points = 1\nreason = "Our mistake."\n'
    )


def test_a_code_that_fits_none_or_two_is_said(tmp_path, capsys):
    eve = zip_report()
    eve["submission"]["sha256"] = "a81f77" + 58 * "0"
    same = {"ada": zip_report(), "bob": zip_report()}
    folder = results(tmp_path / "a", {**same, "eve": eve})
    for word, says in {
        "beef": r"got 'beef'; need a report.json, .* digits or more of the code",
        "a81": "got 'a81'; need a report.json",
        "a81f": "got 'a81f', with which 3 codes begin: a81f0000 of ada, .*; need more",
    }.items():
        assert command.main(["report", word, "--results", str(folder)]) == 2
        assert re.match(rf"\[report\] {says}", capsys.readouterr().err)
    # Equal files have one code and one report: whoever is meant, it is that one.
    assert command.main(["report", "a81f0", "--results", str(folder), "--text"]) == 0
    override(folder, "a81f0")
    assert [each.report["score"] for each in class_results(folder)] == [3, 3, 2]
    override(folder, "a81f")
    with pytest.raises(OverrideError, match=r"with which 3 begin: .*; need more digit"):
        class_results(folder)
    override(folder, "beef")
    write_summaries(folder, class_results(folder))
    assert (
        "for <code>beef</code> speaks of no submission here."
        in (folder / "index.html").read_text()
    )


def test_a_name_goes_before_a_code_that_begins_so(tmp_path):
    folder = results(tmp_path / "a", {"a81f": report(row("1.1")), "bob": zip_report()})
    override(folder, "a81f")
    told = (folder / "overrides.toml").read_text().replace("3.3-zip.clean", "1.1")
    (folder / "overrides.toml").write_text(told)
    found = [each.report["rows"][0].get("override") for each in class_results(folder)]
    assert found[0] is not None
    assert found[1] is None


def test_two_assignments_are_not_compared(tmp_path):
    first = results(tmp_path / "a", {"ada": report(row("1.1"))})
    second = results(tmp_path / "b", {"ada": report(row("1.1"), assignment="m4")})
    with pytest.raises(ValueError, match="got results of m3 and m4; need two results"):
        compare(first, second)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, r"got no results.jsonl"),
        ("", r"got no results.jsonl"),
        ("{}\n", "results.jsonl:1: got no result"),
        ("nonsense\n", "results.jsonl:1: got no result"),
    ],
)
def test_a_folder_without_results_is_said(tmp_path, text, says):
    if text is not None:
        (tmp_path / "results.jsonl").write_text(text)
    with pytest.raises(LedgerError, match=says):
        class_results(tmp_path)


def test_a_report_that_is_gone_is_said(tmp_path):
    folder = results(tmp_path / "a", {"ada": report(row("1.1"))})
    (folder / read_lines(folder)[0].report / "report.json").unlink()
    with pytest.raises(LedgerError, match="need the report"):
        class_results(folder)


def test_numbers_of_a_class(tmp_path):
    ours = report(row("1.1", "not_run"), final=False)
    bad = report(row("1.1", "error"), gradable=False, format_errors=["a.py:1: no"])
    right = report(row("1.1", max_points=4))
    weak = report(row("1.1", max_points=4), final=False, isolation="process")
    folder = {"a": right, "b": bad, "c": ours, "d": weak}
    numbers = numbers_of(class_results(results(tmp_path / "a", folder)))
    assert (numbers.median, numbers.max_score) == (4, 4)
    assert (numbers.count, numbers.not_gradable, numbers.not_final) == (4, 1, 2)
    assert numbers.rows["1.1"] == {"passed": 2, "error": 1, "not_run": 1}


def test_scores_are_a_table_without_formulas(tmp_path):
    names = {"=1+1": report(row("1.1")), "b,c": report(row("1.2", "failed"))}
    names["ours"] = report(row("1.1", "not_run"), final=False)
    text = scores_csv(class_results(results(tmp_path / "a", names)))
    rows = {row["name"]: row for row in csv.DictReader(text.splitlines())}
    assert set(rows) == {"'=1+1", "b,c", "ours"}
    assert rows["'=1+1"]["1.1"] == "1"
    assert rows["b,c"]["1.1"] == ""
    assert rows["ours"]["score"] == ""


def test_the_overview_names_the_hardest_row_and_whom_to_look_at(tmp_path):
    bad = report(row("1.1", "error"), gradable=False, format_errors=["a.py:1: <b>"])
    folder = results(tmp_path / "a", {"<i>": bad, "bob": report(row("1.1"))})
    text = read(overview_page(class_results(folder))).text
    assert "2 submissions; the median is 0.5 of 1 points." in text
    assert "The row 1.1 is not right yet in 1 of them." in text
    assert "not gradable. a.py:1: <b>" in text
    assert "1 passed" in text


def test_submissions_are_ordered_and_filtered_without_a_script(tmp_path):
    unready = report(row("1.1", "not_run"), final=False)
    graded = {"zoe": report(row("1.1", "failed")), "Bob": report(row("1.1"))}
    folder = results(tmp_path / "a", graded | {"ada": unready})
    page = overview_page(class_results(folder))
    lines = re.findall(r"<li( class=\"done\")? style=\"(.*?)\">.*?>(\w+) \(", page)
    assert lines == [
        ("", "--name:0;--score:0", "ada"),
        (' class="done"', "--name:1;--score:2", "Bob"),
        (' class="done"', "--name:2;--score:1", "zoe"),
    ]
    for rule in ("#by-score:checked~.list li{order", "#to-do:checked~.list .done{"):
        assert rule in page
    assert "<h2>Scores</h2>" in page
    assert "<script" not in page


def test_what_a_class_has_none_of_is_not_drawn(tmp_path):
    unready = report(row("1.1", "not_run"), final=False)
    page = overview_page(class_results(results(tmp_path, {"ada": unready})))
    assert "<h2>Scores</h2>" not in page
    assert "not judged</span>" in page.partition("<b>Key</b>")[2]
    assert "not right yet" not in page.partition("<b>Key</b>")[2]


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


def test_sentences_of_the_overview_end_once(tmp_path):
    errors = ["a.py is not there; it cannot be judged.", "b.py:1 does not compile"]
    changed_ = {"before": 0, "reason": "Our mistake"}
    bad = report(
        *(row("1.1", "error"), row("1.2", "failed", override=changed_)),
        gradable=False,
        format_errors=errors,
    )
    text = read(overview_page(class_results(results(tmp_path, {"ada": bad})))).text
    assert "not gradable. a.py is not there; it cannot be judged. b.py:1 does" in text
    assert "b.py:1 does not compile. " in text
    assert "from 0 to 0: Our mistake. " in text
    assert text.count("1 submission; the median") == 1
    assert not re.search(r"[.;:,?!][.;:,]", text)


def test_the_board_ranks_counters_under_pseudonyms(tmp_path):
    def told(sectors=None, flops=None):
        values = {"global_sectors": (sectors, "asc"), "tensor_flops": (flops, "desc")}
        board = [
            {"name": name, "value": value, "order": order}
            for name, (value, order) in values.items()
            if value is not None
        ]
        return report(row("1.1"), leaderboard=board)

    everyone = {"ada": told(64, 9), "bob": told(64, 10), "cyd": told(32), "dan": told()}
    everyone["eve"] = {**told(1, 1), "final": False}
    found = class_results(results(tmp_path / "a", everyone))
    given = pseudonyms([each.name for each in found], b"s" * 32)
    board = board_of(found, given)
    order = [entry["pseudonym"] for entry in board["entries"]]
    assert order == [given["cyd"], given["bob"], given["ada"]]
    assert json.loads(board_text(board)) == board
    page = read(board_page(board)).text
    assert f"{given['cyd']} leads with global sectors 32." in page
    assert not any(name in page.split() for name in everyone)
    assert "Nobody is on the board yet" in board_page(board_of([], {}))


def test_pseudonyms_are_each_ones_own_and_stay():
    names = [f"student{n}" for n in range(500)]
    given = pseudonyms(names, b"a" * 32)
    assert len(set(given.values())) == 500
    assert given == pseudonyms(names, b"a" * 32)
    assert given != pseudonyms(names, b"b" * 32)


def test_equal_files_have_a_page_each(tmp_path):
    folder = tmp_path / "a"
    with Ledger(folder) as ledger:
        ledger.put(64 * "1", zip_report(), {})
        for name in ("ada", "bob"):
            ledger.add_line(Submission(name, Path(name), 64 * "0"), 64 * "1")
    found = class_results(folder)
    write_summaries(folder, found)
    assert [each.page for each in found] == [
        f"reports/{16 * '1'}/index.html",
        f"reports/{16 * '1'}/index-2.html",
    ]
    assert all((folder / each.page).is_file() for each in found)


def test_overrides_name_a_submission_or_its_hash():
    graded = zip_report()
    for who in ("ada", "a81f"):
        told = [Override(who, "3.3-zip.clean", 0.5, "why"), Override("x", "no", 1, "y")]
        report_now = changed(graded, "ada", told)
        assert report_now["score"] == 2.5
        assert report_now["rows"][1]["override"] == {"before": 0, "reason": "why"}
    assert changed(graded, "bob", [Override("a8", "3.3-zip.clean", 1, "y")]) == graded
    assert graded["score"] == 2


CODE = """
def {name}(values, other):
    total = 0
    for number, value in enumerate(values):
        if value > other and number % 2 == 0:
            total += value * number - other
        elif value == other:
            total -= number * number
        else:
            total += other // (number + 1)
    while total > 1000:
        total = total - 100 if total % 3 else total // 2
    return [total + value for value in values if value != total]
"""
GIVEN = """
def handed_out(shape, strides, index):
    position = 0
    for size, stride, place in zip(shape, strides, index):
        if place >= size or place < 0:
            raise IndexError(f"{place} of {size}")
        position += stride * place
    return position
"""


def test_files_that_look_alike_are_listed_and_what_was_given_is_not(tmp_path):
    pytest.importorskip("copydetect")
    works = {
        "ada": GIVEN + CODE.format(name="one"),
        "bob": GIVEN + CODE.format(name="two").replace("total", "sum_of_all"),
        "cyd": GIVEN + "def other(x):\n    return {y: y ** 3 for y in reversed(x)}\n",
    }
    for name, text in works.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "ops.py").write_text(text)
    (tmp_path / "starter").mkdir()
    (tmp_path / "starter" / "ops.py").write_text(GIVEN)
    submissions = find_submissions(tmp_path / "in")
    pairs = similar_pairs(submissions, ["ops.py", "notes.md"], tmp_path / "starter")
    assert [{each.first, each.second} for each in pairs] == [{"ada", "bob"}]
    path = write_similar(tmp_path / "out", pairs, len(submissions))
    assert "1 pairs of 3 submissions" in read(path.read_text()).text
    with pytest.raises(ValueError, match="need a share from 0 to 1"):
        similar_pairs(submissions, ["ops.py"], alike=60)
