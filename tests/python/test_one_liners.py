"""How results of the recorded sentences of PyTorch are compared."""

from __future__ import annotations

import pytest

from .one_liners import difference

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
def test_results_that_agree(wanted, got):
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
def test_results_that_differ(wanted, got, words):
    problem = difference(wanted, got)
    assert problem is not None
    assert words in problem
