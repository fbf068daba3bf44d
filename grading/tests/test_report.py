"""Holds the report: its schema, its caps, and that it is whole at each moment."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from minitorch_grading.report import report
from minitorch_grading.report.advice import OUTCOMES
from minitorch_grading.report.report import (
    REPORT_BYTES,
    TEXT_BYTES,
    ReportFile,
    load_report,
)

from .reports import RACE, row
from .reports import report as whole_report

SCHEMA = json.loads(Path(report.__file__).with_name("report.schema.json").read_text())


def test_the_schema_knows_the_outcomes():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["row"]["properties"]["outcome"]["enum"] == list(OUTCOMES)


def test_rows_take_their_places(tmp_path):
    blank = whole_report(row("a", "not_run"), row("b", "not_run"))
    file = ReportFile(tmp_path / "deep" / "report.json", blank)
    jsonschema.validate(load_report(tmp_path / "deep"), SCHEMA)
    file.put([row("b", outcome="passed", points=1.0, seconds=0.25)])
    loaded = load_report(file.path)
    jsonschema.validate(loaded, SCHEMA)
    assert [each["outcome"] for each in loaded["rows"]] == ["not_run", "passed"]
    assert json.dumps(loaded["score"]) == "1"  # a whole point is no 1.0
    assert sorted(each.name for each in file.path.parent.iterdir()) == ["report.json"]
    with pytest.raises(KeyError):
        file.put([row("c")])


def test_numbers_that_json_cannot_hold(tmp_path):
    odd = row("a", metrics={"x": [float("nan"), float("inf")]}, seconds=1 / 3)
    file = ReportFile(tmp_path / "report.json", whole_report(odd))
    jsonschema.validate(load_report(file.path), SCHEMA)
    assert load_report(file.path)["rows"][0]["metrics"] == {"x": [0, 0]}


def test_texts_are_cut_and_have_no_control_characters(tmp_path):
    values = [{"line": 7, "text": "\x1b" + "ü" * 9000}] * 99
    finding = {**RACE, "text": "\x1b[31m" + "ü" * 9000 + "\ud800"}
    findings = [{**finding, "values": values}, *[finding] * 100]
    rows = [row("a", message="\x00x\ud800", findings=findings)]
    file = ReportFile(tmp_path / "report.json", whole_report(*rows))
    loaded = load_report(file.path)
    jsonschema.validate(loaded, SCHEMA)
    assert loaded["rows"][0]["message"] in ("x", "x?")
    assert len(loaded["rows"][0]["findings"][0]["text"].encode()) <= TEXT_BYTES
    assert "\x1b" not in file.path.read_text()


def test_a_report_stays_below_its_cap(tmp_path):
    rows = [
        row(f"r{n}", staff_message="s" * 9999, message="m" * 3900) for n in range(200)
    ]
    file = ReportFile(tmp_path / "report.json", whole_report(*rows))
    loaded = load_report(file.path)
    assert file.path.stat().st_size <= REPORT_BYTES
    assert loaded["rows"][0]["message"] == "m" * 3900  # staff's words are cut first


@pytest.mark.parametrize("text", ["", "[1]", '{"schema": "other"}', "{"])
def test_what_is_no_report(tmp_path, text):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^\[report\] .* is not a report"):
        load_report(tmp_path)
