"""Owns the form of saved explanations: the samples that pictures are drawn from."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from minitorch.network import Explanation, Factor, Kernel, Layer, Mac, Neuron, Op, Part
from minitorch.network.plain_data import plain, write_json
from minitorch.network.records import (
    ArrayUse,
    AtLeast,
    Gpu,
    Moved,
    Residency,
    Sectors,
    Totals,
    Touched,
)

DATA = Path(__file__).parent / "data"
EXPLAINED = json.loads((DATA / "explain_mymodel.json").read_text())
NEURON = json.loads((DATA / "neuron_mymodel.json").read_text())
KERNEL = EXPLAINED["kernels"][0]
PART = NEURON["chain"][0]


def keys_of(record):
    return {each.name for each in fields(record) if each.metadata.get("plain", True)}


@pytest.mark.parametrize(
    ("record", "sample", "more"),
    [
        (Explanation, EXPLAINED, {"schema", "totals"}),
        (Totals, EXPLAINED["totals"], set()),
        (Gpu, EXPLAINED["gpu"], set()),
        (Layer, EXPLAINED["layers"][0], set()),
        (Op, EXPLAINED["ops"][0], set()),
        (Kernel, KERNEL, {"owners"}),
        (Moved, KERNEL["moved"], set()),
        (Touched, KERNEL["moved"]["touched"], set()),
        (Sectors, KERNEL["sectors"], set()),
        (Residency, KERNEL["occupancy"], set()),
        (AtLeast, KERNEL["at_least"], set()),
        (ArrayUse, KERNEL["inputs"][0], set()),
        (Neuron, NEURON, {"schema"}),
        (Part, PART, set()),
        (Mac, PART["macs"][0], set()),
        (Factor, PART["macs"][0]["a"], set()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_samples_have_the_keys_of_the_records(record, sample, more):
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


def test_numbers_that_json_lacks_are_text(tmp_path):
    path = tmp_path / "x.json"
    write_json(path, {"values": [1.5, float("inf"), float("-inf"), float("nan")]})
    assert json.loads(path.read_text()) == {"values": [1.5, "inf", "-inf", "nan"]}
