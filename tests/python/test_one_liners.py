"""The tests of the recorded sentences of PyTorch: whole, small, and compared as they
should be. Running them on this library is test_torch's, where it has those names.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from .one_liners import difference, names_in
from .source_tree import ROOT

DATA = ROOT / "tests/python/data"
RECORDED = json.loads((DATA / "torch_one_liners.json").read_text())
ROWS = {
    row["code"]: row["gives"] for rows in RECORDED["topics"].values() for row in rows
}


def test_no_sentence_stands_twice():
    assert len(ROWS) == sum(len(rows) for rows in RECORDED["topics"].values())


def test_only_sentences_on_errors_raise():
    raising = {
        topic
        for topic, rows in RECORDED["topics"].items()
        for row in rows
        if "error" in row["gives"]
    }
    assert raising == {"errors"}
    assert all("error" in row["gives"] for row in RECORDED["topics"]["errors"])


def test_every_input_is_used():
    used = {name for code in ROWS for name in names_in(code)}
    assert used >= RECORDED["inputs"].keys()


def array(name: str) -> Any:
    facts = RECORDED["inputs"][name]
    return np.array(facts["values"], facts["dtype"]).reshape(facts["shape"])


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("x.sum(0)", lambda: array("x").sum(0)),
        ("x.std()", lambda: array("x").std(ddof=1)),
        ("a @ b", lambda: array("a") @ array("b")),
        ("k // 2", lambda: array("k") // 2),
        ("x[x > 0]", lambda: array("x")[array("x") > 0]),
        ("torch.cumsum(x, dim=1)", lambda: array("x").cumsum(1)),
    ],
)
def test_numpy_agrees_with_what_was_recorded(code: str, value: Any):
    wanted = value()
    assert ROWS[code]["shape"] == list(wanted.shape)
    np.testing.assert_allclose(ROWS[code]["values"], wanted.reshape(-1), rtol=1e-6)


ROW = {"tensor": "float32", "shape": [2], "values": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        (ROW, {**ROW, "values": [1.000001, 2.0]}),
        ({**ROW, "random": True}, {**ROW, "values": [5.0, 6.0]}),
        ({"error": "RuntimeError", "message": "a"}, {"error": "E", "message": "b"}),
        ({"value": 0.1}, {"value": 0.1000001}),
        ({"value": "nan"}, {"value": "nan"}),
        ({"tuple": [ROW, ROW]}, {"tuple": [ROW, ROW]}),
    ],
)
def test_results_that_agree(wanted: dict[str, Any], got: dict[str, Any]):
    assert difference(wanted, got) is None


@pytest.mark.parametrize(
    ("wanted", "got", "words"),
    [
        (ROW, {**ROW, "values": [1.0, 2.1]}, "number 1 is 2.1; need 2.0"),
        (ROW, {**ROW, "values": [1.0, "nan"]}, "number 1 is 'nan'"),
        (ROW, {**ROW, "values": [1.0]}, "1 numbers; need 2"),
        (ROW, {**ROW, "tensor": "float64"}, "need"),
        (ROW, {**ROW, "shape": [1, 2]}, "need"),
        (ROW, {**ROW, "requires_grad": True}, "need"),
        ({**ROW, "random": True}, {**ROW, "shape": [3]}, "need"),
        ({"value": 1}, {"value": 1.0}, "1.0; need 1"),
        ({"value": 1}, {"value": True}, "True; need 1"),
        ({"value": 1}, ROW, "need"),
        (ROW, {"error": "E", "message": "m"}, "need"),
        ({"error": "E", "message": "m"}, ROW, "need"),
        ({"tuple": [ROW]}, {"list": [ROW]}, "need"),
        ({"tuple": [ROW]}, {"tuple": [ROW, ROW]}, "2 parts; need 1"),
        (
            {"tuple": [ROW], "fields": ["values"]},
            {"tuple": [ROW]},
            "need",
        ),
        (
            {"dict": [["a", {"value": 1}]]},
            {"dict": [["b", {"value": 1}]]},
            "key 'b'; need 'a'",
        ),
        (
            {"list": [{"value": 1}]},
            {"list": [{"value": 2}]},
            "part 0: 2; need 1",
        ),
    ],
)
def test_results_that_differ(wanted: dict[str, Any], got: dict[str, Any], words: str):
    problem = difference(wanted, got)
    assert problem is not None
    assert words in problem
