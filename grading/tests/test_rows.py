"""Holds what a graded test becomes: rows in order, points, words for each reader."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from minitorch_grading.errors import AssignmentError
from minitorch_grading.judge.clock import TaskClock
from minitorch_grading.judge.cost import Costs, limits_from
from minitorch_grading.judge.kernel_rows import Kernel
from minitorch_grading.judge.rows import Ended, Record, rows_of
from minitorch_grading.judge.solution_cache import SolutionCache, digest
from minitorch_grading.rubric.assignment import Item

STAGES = {"values": 2, "clean": 1, "cost": 1}
CANARY = "4242.5"


def item(points=STAGES, **more):
    facts = {"id": "3.3-zip", "task": "3.3", "title": "zip", "hidden": True}
    return Item(**facts | {"points": points} | more)


def finding(kind="race_global", severity="error", line=7, **more):
    return {
        "kind": kind,
        "severity": severity,
        "file": "ops.py",
        "line": line,
        "block": [0, 0, 0],
        "thread": [1, 0, 0],
        "values": [],
        "text": f"{kind} with the value {CANARY}",
        "race": {
            "element": f"out[{CANARY}]",
            "access": "write",
            "other_access": "read",
            "remedy": "BlockBarrier",
            "other": {
                "file": "ops.py",
                "line": 9,
                "block": [0] * 3,
                "thread": [0] * 3,
                "values": [],
            },
        },
        **more,
    }


def record(**changes):
    made = Record(item(), limits_from({"global_sectors": "1.1x"}, "test"))
    made.costs.add({"global_sectors": 11})
    made.costs.add({"global_sectors": 10}, solution=True)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def judged(found, ended=None):
    rows = rows_of(found, ended, lambda file, line: (f"lab/{file}", line + 100))
    return [(row["outcome"], row["points"]) for row in rows], rows


def test_all_right():
    outcomes, rows = judged(record(compared=6))
    assert outcomes == [("passed", 2), ("passed", 1), ("passed", 1)]
    assert rows[0]["message"] == "Right on 6 inputs."
    assert rows[2]["metrics"] == {}
    _, rows = judged(record(item=item(hidden=False)))
    assert rows[2]["metrics"] == {"global_sectors": [11, 11, 10]}


WRONG = Ended("failed", "wrong values", f"got {CANARY}", "ops.py", 7)


@pytest.mark.parametrize(
    ("changes", "ended", "outcomes"),
    [
        ({}, WRONG, ["failed", "not_yet", "not_yet"]),
        ({"findings": [finding()]}, WRONG, ["reported", "not_yet", "not_yet"]),
        ({"findings": [finding("timeout")]}, WRONG, ["timeout", "not_yet", "not_yet"]),
        ({"findings": [finding()]}, None, ["passed", "reported", "not_yet"]),
        ({"findings": [finding(severity="note")]}, None, ["passed"] * 3),
        ({"share": 0.5}, None, ["partial", "not_yet", "not_yet"]),
        ({"share": 0.0}, None, ["failed", "not_yet", "not_yet"]),
        ({}, Ended("crash", "x"), ["crash", "not_yet", "not_yet"]),
    ],
)
def test_each_row_comes_after_the_one_before(changes, ended, outcomes):
    assert [each for each, _ in judged(record(**changes), ended)[0]] == outcomes


def test_a_note_stands_in_the_row_of_clean_launches_and_takes_no_point():
    note = finding("race_benign", "note")
    for hidden, findings in ((False, ["race_benign"]), (True, [])):
        noted = record(item=item(hidden=hidden), findings=[note])
        outcomes, rows = judged(noted)
        assert outcomes == [("passed", 2), ("passed", 1), ("passed", 1)]
        assert [each["kind"] for each in rows[1]["findings"]] == findings
        assert rows[1]["message"].endswith(
            "A note: several threads that store the same value."
        )
        assert CANARY not in rows[1]["message"]
        assert not rows[0]["findings"] + rows[2]["findings"]


def test_advice_stands_behind_whole_sentences():
    error = Ended("error", "The result is of no use", "TypeError: no float: None")
    public = record(item=item(hidden=False, advice="Who owns it?"))
    message = judged(public, error)[1][0]["message"]
    assert message == (
        "The result is of no use. TypeError: no float: None. Who owns it?"
    )


def test_costs_end_the_last_row_alone():
    costly = record(item=item(hidden=False))
    costly.costs.add({"global_sectors": 1})
    outcomes, rows = judged(costly)
    assert outcomes == [("passed", 2), ("passed", 1), ("too_costly", 0)]
    assert rows[2]["message"] == (
        "global_sectors is 12; need at most 11 (the solution: 10)."
    )


def test_a_hidden_row_has_no_exact_count():
    """A kernel that counts to its input would tell it."""
    said = set()
    for count in range(1, 200):
        costly = record()
        costly.costs.add({"global_sectors": count})
        row = judged(costly)[1][2]
        assert f"is {11 + count}; need" in row.pop("staff_message")
        said.add(str(row))
    words = ("a little above", "well above", "several times", "many times")
    assert len(said) == 4
    for word in words:
        assert any(f"global_sectors is {word} its limit." in each for each in said)


def test_a_single_row_holds_all_three():
    whole = item({"": 2})
    for changes, outcome in [
        ({}, "passed"),
        ({"findings": [finding()]}, "reported"),
        (
            {"costs": Costs({"global_sectors": 12}, {"global_sectors": 10})},
            "too_costly",
        ),
    ]:
        assert judged(record(item=whole, **changes))[0][0][0] == outcome


def test_findings_without_a_clean_row_take_the_values():
    outcomes, _ = judged(
        record(item=item({"values": 1}), limits=(), findings=[finding()])
    )
    assert outcomes == [("reported", 0)]


def test_hidden_rows_tell_kind_and_advice_alone():
    found = record(
        item=item(advice="Look at the guard."),
        findings=[finding(), finding(line=9), finding("deadlock", line=None)],
    )
    for ended in (None, WRONG):
        _, rows = judged(found, ended)
        for row in rows:
            told = {key: row[key] for key in row if key != "staff_message"}
            assert CANARY not in str(told)
            assert "ops.py" not in str(told)
        row = next(row for row in rows if row["outcome"] == "reported")
        assert CANARY in row["staff_message"]
        assert row["message"] == "a race. Look at the guard."
        kinds = [each["kind"] for each in row["findings"]]
        assert kinds == ["race_global", "deadlock"]


def test_a_hidden_row_tells_of_few_findings():
    """A kind for each bit of an input would tell the input."""
    found = [finding(f"kind {number}") for number in range(64)]
    _, rows = judged(record(item=item(), findings=found))
    assert len(rows[1]["findings"]) == 3
    _, rows = judged(record(item=item(hidden=False), findings=found))
    assert len(rows[1]["findings"]) == 64


def test_public_rows_tell_all():
    found = record(item=item(hidden=False), findings=[finding()])
    row = judged(found)[1][1]
    assert row["findings"][0]["thread"] == [1, 0, 0]
    assert CANARY in row["message"]
    row = judged(record(item=item(hidden=False)), WRONG)[1][0]
    assert row["message"] == f"wrong values (lab/ops.py:107). got {CANARY}"


def test_a_hidden_row_tells_a_line_if_no_input_chose_it():
    row = judged(record(), WRONG)[1][0]
    assert row["message"] == "wrong values."
    assert row["staff_message"] == f"got {CANARY} (lab/ops.py:107)"
    unread = Ended("does_not_compile", "It does not compile", "", "ops.py", 7, True)
    row = judged(record(), unread)[1][0]
    assert row["message"] == "It does not compile (lab/ops.py:107)."


def test_limits():
    limits = limits_from({"a": "1.25x", "b": 3, "c": "2 ×"}, "test")
    assert [limit.bound(10) for limit in limits] == [12, 3, 20]
    costs = Costs({"a": 13, "b": 4, "c": 20}, {"a": 10, "c": 10})
    assert [text.split()[0] for text in costs.exceeded(limits)] == ["b", "a"]
    with pytest.raises(AssignmentError, match=r"got the counter 'd'; need one of a, b"):
        costs.metrics(limits_from({"d": 1}, "test"))


@pytest.mark.parametrize("value", ["1.1", "x", -1, float("nan"), True, None, "1.1xx"])
def test_what_is_no_limit(value):
    with pytest.raises(AssignmentError, match=r"\[test\] got max_metric\(a="):
        limits_from({"a": value}, "test")


def test_an_endless_row_leaves_the_others_a_quarter():
    clock = TaskClock(60)
    clock.begin_row()
    clock.spend(60)
    with pytest.raises(Ended) as caught, clock.running(float):
        pass
    assert caught.value.outcome == "timeout"
    clock.begin_row()
    assert clock.left == 15
    clock.spend(15)
    clock.begin_row()
    assert clock.left == 15


def test_rows_share_the_seconds_of_a_task():
    clock = TaskClock(60)
    clock.begin_row()
    clock.spend(50)
    clock.begin_row()
    assert clock.left == 10


def test_the_solution_is_asked_once(tmp_path):
    asked = []

    def make():
        asked.append(1)
        return {"n": 1}, []

    for folder in (tmp_path / "cache", tmp_path / "cache", None, None):
        cache = SolutionCache(folder)
        assert cache.get("k", make).header == cache.get("k", make).header == {"n": 1}
    assert len(asked) == 3
    (tmp_path / "cache" / "k").write_bytes(b"half of it")
    assert SolutionCache(tmp_path / "cache").get("k", make).header == {"n": 1}


def test_keys_know_types_and_places():
    keys = {
        digest(*each)
        for each in [(1,), (1.0,), (True,), ("1",), (b"1",), ([1],), (1, 2), ([1, 2],)]
    }
    assert len(keys) == 8


@pytest.mark.parametrize(
    ("outcome", "plain", "advised"),
    [
        ("does_not_compile", "Your kernel does not compile", False),
        ("error", "A file of yours does not compile", False),
        ("error", "This is not written yet", False),
        ("error", "Your program raises an exception (IndexError)", True),
    ],
)
def test_advice_about_values_is_for_what_was_run(outcome, plain, advised):
    found = record()
    found.item = item(advice="Whose strides are these?")
    unread = outcome == "error" and not advised
    _, rows = judged(found, Ended(outcome, plain, "", "ops.py", 7, unread=unread))
    assert rows[0]["advised"] == (advised or unread)
    assert ("strides" in rows[0]["message"]) == advised


def test_no_path_of_a_grading_is_told():
    quoted = 'got a list.\n  File "/tmp/x/sub/ops.py", line 7\n    a = []\n    ^^'
    found = record()
    found.item = item(hidden=False)
    ended = Ended("does_not_compile", "Your kernel does not compile", quoted)
    _, rows = judged(found, ended)
    said = "Your kernel does not compile. got a list. At ops.py:7: `a = []`."
    assert rows[0]["message"] == said


def test_a_picture_takes_nobodys_seconds_and_is_tried_once():
    clock, tries = TaskClock(20.0), []

    def launch(*_, **_options):
        tries.append(clock.left)
        clock.spend(clock.left)
        raise clock.out()

    bench = SimpleNamespace(clock=clock, submitted=SimpleNamespace(launch=launch))
    request = ("ops", "zip", (), None)
    kernel = Kernel(bench, record(), request, np.zeros(0), None, None)
    clock.begin_row()
    clock.spend(2.0)
    for _ in range(2):
        kernel.draw((1, 32, 0), [1])
    assert tries == [5.0]
    assert clock.left == 18.0
    clock.begin_row()
    assert clock.left == 18.0


def test_the_first_finding_keeps_its_values_at_the_students_lines():
    values = [{"line": line, "text": f"i = {line}" + 300 * "0"} for line in (6, 7, 99)]
    first = finding("oob_global", race=None, values=values)
    other = finding("oob_shared", race=None, line=8, values=values)
    failed = Ended("failed", "wrong")

    def cell(file, line):
        return ("cell 1", line - 5) if line < 50 else ("cell 2", line)

    made = record(item=item(hidden=False), findings=[first, other])
    found = rows_of(made, failed, cell)[0]["findings"]
    assert [entry["line"] for entry in found[0]["values"]] == [1, 2]
    assert found[0]["values"][0]["text"].startswith("i = 6000")
    assert len(found[0]["values"][0]["text"]) == 200
    assert found[1]["values"] == []
    made = record(item=item(hidden=True), findings=[first, other])
    assert all(
        not entry["values"] for entry in rows_of(made, failed, cell)[0]["findings"]
    )


def test_only_the_same_finding_of_another_build_brings_values():
    made = record(findings=[finding(text="as judged"), finding(line=8)])
    other = finding(values=[{"line": 7, "text": "i = 1"}], text="of another build")
    elsewhere = finding(line=8, thread=[5, 0, 0], values=[{"line": 8, "text": "i = 5"}])
    made.add_values([other, elsewhere])
    assert made.findings[0]["values"] == other["values"]
    assert made.findings[0]["text"] == "as judged"
    assert made.findings[1]["values"] == []
