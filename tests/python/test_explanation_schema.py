"""The form of saved explanations, from which pictures are drawn."""

from __future__ import annotations

import functools
import operator
from dataclasses import fields

import pytest

from minitorch.network import Explanation, Kernel, Layer
from minitorch.network.plain_data import plain

from .explained_model import explained


def keys_of(record):
    return {each.name for each in fields(record) if each.metadata.get("plain", True)}


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("record", "at", "more"),
    [
        (Explanation, (), {"schema", "totals"}),
        (Kernel, ("kernels", 0), {"owners"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_saved_ones_have_the_keys_of_the_records(record, at, more):
    sample = functools.reduce(operator.getitem, at, explained().to_dict())
    assert set(sample) == keys_of(record) | more


def test_plain_data_has_no_tuples_and_no_private_parts():
    layer = Layer("", "Net", None, ((2, 3),), (2,), 4, 16, 1, (0, 1))
    assert plain(layer) == {
        "name": "",
        "type": "Net",
        "parent": None,
        "input_shapes": [[2, 3]],
        "output_shape": [2],
        "parameters": 4,
        "parameter_bytes": 16,
        "calls": 1,
        "kernels": [0, 1],
    }
