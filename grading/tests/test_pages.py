"""The tests of pages and terminal text: all is there, in words, no more."""

from __future__ import annotations

import re
import zipfile
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from minitorch_grading.report.advice import OUTCOMES, RACES
from minitorch_grading.report.pages.sources import (
    around,
    lines_of,
)
from minitorch_grading.report.pages.student import cost_bars, student_page
from minitorch_grading.report.words import items_of, report_says
from minitorch_grading.rubric.handed_in import read_handed_in

from .reports import RACE, report, row, zip_report

VOID = {"input", "meta", "img", "path", "rect", "br", "link"}


class Reader(HTMLParser):
    """Reads a page as a browser does: its words, its tags, what is left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def read(text: str) -> Reader:
    reader = Reader(text)
    assert not reader.open
    assert "script" not in reader.tags
    assert all(not name.startswith("on") for _, name, _ in reader.attributes)
    return reader


LINES = {
    "minitorch/cuda_ops.py": [
        *(f"line_{number} = {number}" for number in range(1, 184)),
        "out[o] = fn(a_storage[j], b_storage[k])",
        "# the end <b>",
    ]
}


def test_the_page_says_what_is_right_where_and_what_next(tmp_path):
    folder = tmp_path / "7d42c3"
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "race.svg").write_text("<svg/>")
    reader = read(student_page(zip_report(), folder, LINES))
    text = reader.text
    assert "3.3 zip on the GPU · 2 of 4 points" in text
    assert "2 of 6 points: 2 rows are not right yet. Begin with zip on the GPU" in text
    for word in ("right", "not yet", "not judged yet", "Values", "Clean", "Cost"):
        assert word in text
    assert "out[o] = fn(a_storage[j], b_storage[k])" in text
    assert "Found here:" in text
    assert "threads (0,0,0) and (15,0,0) of block (0,0,0) write out[0]" in text
    assert RACES["store"] in text
    assert "Send your teacher a81f0000" in text
    images = [value for tag, name, value in reader.attributes if (tag, name) == IMAGE]
    assert images == ["data:image/svg+xml;base64,PHN2Zy8+"]


IMAGE = ("img", "src")


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_has_its_page_and_its_text(outcome):
    graded = report(row("1.1", outcome), row("1.2", outcome, hidden=True))
    text = read(student_page(graded)).text
    assert text.count(OUTCOMES[outcome].word) >= 2
    assert OUTCOMES[outcome].word in report_says(graded)


def test_rows_that_students_may_not_see_are_nowhere():
    for text in (student_page(zip_report()), report_says(zip_report())):
        assert "CANARY" not in text
    staff = row("1.1", "failed", staff_message="A CANARY")
    assert "CANARY" not in student_page(report(staff)) + report_says(report(staff))


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        '"onload="x',
        "'x",
        "</style>",
        "{{ 7 * 7 }}{% if %}",
    ],
)
def test_nothing_that_was_handed_in_becomes_markup(evil):
    values = [{"line": RACE["line"], "text": evil}]
    finding = {**RACE, "file": evil, "text": evil, "values": values}
    each = row("1.1-a", "reported", title=evil, message=evil, findings=[finding])
    each["metrics"] = {evil: [2, 1, 1]}
    each["pictures"] = [{"label": evil, "file": "pictures/a.html"}]
    graded = report(each, message=evil, format_errors=[evil], assignment=evil)
    graded["submission"]["files"] = [evil]
    reader = read(student_page(graded, sources={evil: [evil] * 200}))
    assert evil in "".join(reader.words)


def test_lines_have_the_values_of_their_threads_beneath():
    own, theirs = ([{"line": 184, "text": text}] for text in ("o = 0, j = 3", "o = 7"))
    other = {**RACE["race"]["other"], "values": theirs}
    for race, said in [
        (None, "beneath each line the values in thread (0,0,0)"),
        (
            {**RACE["race"], "other": other},
            "beneath each line the values in both threads",
        ),
    ]:
        finding = {**RACE, "values": own, "race": race}
        graded = report(row("3.3-a", "reported", findings=[finding]))
        text = read(student_page(graded, None, LINES)).text
        line = "184 out[o] = fn(a_storage[j], b_storage[k])"
        beneath = "o = 0, j = 3"
        if race:
            beneath = f"thread (0,0,0): {beneath} · thread (15,0,0): o = 7"
        assert f"{line} {beneath} 185 # the end" in text
        assert said in text
    without = read(
        student_page(report(row("3.3-a", "reported", findings=[RACE])), None, LINES)
    )
    assert "beneath each line" not in without.text


def test_values_of_other_blocks_threads_say_so():
    other = {
        **RACE["race"]["other"],
        "block": [2, 0, 0],
        "file": "minitorch/cuda_ops.py",
    }
    other["values"] = [{"line": 183, "text": "i = 9"}]
    finding = {**RACE, "values": [{"line": 183, "text": "i = 1"}]}
    finding["race"] = {**RACE["race"], "other": other}
    page_ = student_page(
        report(row("3.3-a", "reported", findings=[finding])), None, LINES
    )
    expected = "of block (0,0,0): i = 1 · thread (15,0,0) of block (2,0,0): i = 9"
    assert expected in read(page_).text


def test_pages_need_no_network_and_follow_light_and_dark():
    text = student_page(zip_report())
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text
    assert "prefers-color-scheme:dark" in text
    assert "default-src 'none'" in text


def test_a_teachers_change_is_on_the_page():
    each = row("1.1", "failed", override={"before": 0, "reason": "Our mistake."})
    each["points"] = 1
    text = read(student_page(report(each))).text
    assert "Your teacher changed 0 to 1: Our mistake." in text


def test_a_report_that_is_not_final_says_so():
    weak = report(row("1.1"), final=False, isolation="process")
    assert "This report is not final" in read(student_page(weak)).text.replace(
        " .", "."
    )
    assert "not final" in report_says(weak)


def test_pictures_that_are_pages_stand_in_a_sandbox(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.html").write_text("<p>")
    picture = {"label": "A race.", "file": "pictures/a.html"}
    graded = report(row("1.1", "reported", findings=[RACE], pictures=[picture]))
    frames = read(student_page(graded, tmp_path)).attributes
    assert ("iframe", "sandbox", "") in frames
    inside = next(value for _, name, value in frames if name == "srcdoc")
    assert inside == (tmp_path / "pictures" / "a.html").read_text()
    (tmp_path / "pictures" / "a.html").unlink()
    assert "iframe" not in read(student_page(graded, tmp_path)).tags


def test_bars_share_one_scale():
    text = cost_bars({"global_sectors": [200, 110, 100]})
    yours, solution = map(float, re.findall(r"<rect [^>]*width='([\d.]+)'", text))
    limit = float(re.findall(r"<path d='M([\d.]+) ", text)[0])
    left = float(re.findall(r"<rect x='([\d.]+)'", text)[0])
    assert yours == pytest.approx(2 * solution, abs=0.1)
    assert limit - left == pytest.approx(1.1 * solution, abs=0.1)
    assert 'aria-label="global_sectors 200, limit 110, solution 100"' in text


@pytest.mark.parametrize(
    "metrics",
    [
        {"a": [0, 0, 0]},
        {"a": [5, None]},
        {"a": [5, 4]},
        {"a": [0, 70, 64], "b": [10**12, 1.5, 1]},
    ],
)
def test_bars_of_odd_counts(metrics):
    text = cost_bars(metrics)
    assert text.startswith("<svg role=")
    assert "nan" not in text
    assert cost_bars({}) == cost_bars({"a": [None, 1]}) == ""


def test_items_hold_a_kernels_rows():
    items = items_of(zip_report()["rows"])
    assert [len(item.rows) for item in items] == [3, 1, 1]
    assert items[0].title == "zip on the GPU"


def test_terminal_text_is_as_promised():
    said = report_says(report(*zip_report()["rows"][:3])).splitlines()
    assert said[1] == "3.3 zip on the GPU: 2 of 4 points"
    assert said[2] == "  right     values on 6 inputs"
    assert said[3].startswith(
        "  not yet   clean: a race: cuda_ops.py:184, threads (0,0,0)"
    )
    assert max(map(len, said)) <= 100


def test_pages_quote_what_was_judged(tmp_path):
    """Not a copy that lies elsewhere; a form feed ends no line."""
    name = "minitorch/ops.py"
    files = {f"old/a/{name}": "old", f"work/{name}": "x = 1\f\ny = 2\n", "ops.py": ""}
    for file, text in files.items():
        (tmp_path / "in" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / file).write_text(text)
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    declared = SimpleNamespace(files=[name])
    for place in (tmp_path / "in", tmp_path / "in.zip"):
        lines = read_handed_in(place, declared).lines
        assert lines == {name: ["x = 1\f", "y = 2", ""]}


def test_both_lines_of_a_race_are_told_and_quoted():
    sides = {"element": "s[32]", "other_access": "read"}
    sides["other"] = {**RACE["race"]["other"], "thread": [0, 0, 0]}
    race = {**RACE, "kind": "race_shared", "line": 180, "thread": [32, 0, 0]}
    race["race"] = {**RACE["race"], **sides}
    graded = report(row("3.3", "reported", findings=[race]))
    said = " ".join(report_says(graded).split())
    assert "cuda_ops.py:180, thread (32,0,0)" in said
    assert "thread (0,0,0) of block (0,0,0) reads it on line 184; nothing" in said
    page_ = student_page(graded, None, LINES)
    assert page_.count('<div class="found">') == 2
    far = student_page(graded, None, {"minitorch/cuda_ops.py": ["x"] * 180})
    assert far.count('<div class="found">') == 1


@pytest.mark.parametrize("advised", [True, False])
def test_who_has_told_what_to_try_is_not_advised_in_general(advised):
    words = "Six of eight are right. How many threads add in round 3?"
    graded = report(row("1.1", "failed", message=words, advised=advised))
    for said in (report_says(graded), student_page(graded)):
        assert ("Try the smallest input" in said) is not advised


def test_how_to_go_on_is_said_once_a_task():
    lost = [row(name, "failed") for name in ("1.1-a", "1.1-b", "1.2")]
    said = student_page(report(*lost))
    assert said.count("minitorch course check 1.1") == 1
    assert said.count("minitorch course check 1.2") == 1


@pytest.mark.parametrize("line", [None, 0, -3, 10**9])
def test_lines_that_are_not_there_are_not_quoted(line):
    finding = {**RACE, "line": line}
    assert around(LINES, finding) == []
    assert lines_of(LINES, None) == []
    read(student_page(report(row("1.1", "reported", findings=[finding])), None, LINES))


def test_a_page_names_its_marks():
    assert "Key" not in read(student_page(report(row("1.1")))).text
    text = read(student_page(zip_report(), sources=LINES)).text
    assert "Key line in a finding your count limit" in text


def test_a_students_key_has_the_marks_of_the_page_alone():
    keys = [
        student_page(each).partition("<b>Key</b>")[2]
        for each in (
            report(row("1.1")),
            report(row("1.1", "too_costly", metrics={"global_sectors": [236, 70, 64]})),
        )
    ]
    assert keys[0] == ""
    assert "your count" in keys[1]
    assert "limit" in keys[1]
    assert "line in a finding" not in keys[1]


def test_the_judges_own_words_are_not_said_twice():
    hidden = RACE | dict.fromkeys(("file", "line", "block", "thread", "race"))
    hidden["text"] = ""
    advice = "Which threads have no cell of their own?"
    public = f"a race at minitorch/cuda_ops.py:184: {RACE['text']} {advice}"
    graded = report(
        row("1.1-a.values", message="Right on 3 inputs."),
        row("1.1-a.clean", "reported", message=public, findings=[RACE]),
        row("1.2", message="Right."),
        row("1.3", "reported", message=f"a race. {advice}", findings=[hidden]),
        row("1.4", "reported", findings=[{**RACE, "kind": "brand_new"}]),
    )
    said = report_says(graded)
    assert "  right     values on 3 inputs\n" in said
    assert "  right     what 1.2 asks\n" in said
    assert said.count(advice) == 2
    assert said.count("nothing orders") == 2
    assert said.count("a race") == 2
    assert "brand_new" in said
    read(student_page(graded))


def test_single_rows_of_a_task_share_a_section_and_say_their_title_once():
    hidden = row("1.1-b", "failed", hidden=True, message="Look at zero.")
    graded = report(
        row("1.1-a", "failed", message="No."),
        hidden,
        row("1.1-c", message="Right."),
        row("1.2", "failed", message="No."),
    )
    text = student_page(graded)
    heads = re.findall("<h2>(.*?)</h2>", text)
    assert heads[:2] == [
        "Task 1.1 <span>· 1 of 3 points</span>",
        "1.2 what 1.2 asks <span>· 0 of 1 point</span>",
    ]
    section = text.partition("</section>")[0]
    assert section.count('<ol class="rows">') == 2
    assert "<b>what 1.1-b asks</b> <small>· hidden inputs</small>" in section
    assert section.count("minitorch course check 1.1") == 1
    body = text.partition('<p class="meta">')[2]
    for name in ("1.1-a", "1.1-b", "1.2"):
        assert body.count(f"what {name} asks") == 1


def test_a_page_without_a_file_says_so():
    graded = report(row("1.1", "error"))
    graded["submission"]["files"] = []
    text = read(student_page(graded)).text
    assert "handed in a81f0000 without a file that counts · counted" in text


def test_extra_points_are_beyond_what_can_be_reached():
    graded = report(row("1.1", max_points=4), row("1.2", "manual", max_points=2))
    graded["max_score"] = 4
    assert "m3: 4 of 4 points: all that was judged is right." in report_says(graded)
