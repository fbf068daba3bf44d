"""The tests of arguments that are none, of what networks are made and kept with: the
same kind of error everywhere, with the place, what came and what is needed.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitorch
from minitorch import functional as F
from minitorch import models, nn
from minitorch.models import LeNet5
from minitorch.nn import init

ODD = [
    *(
        None,
        True,
        3,
        -1,
        2.5,
        float("nan"),
        2**70,
        "x",
        b"x",
        [],
        [1, 2],
        {},
        (1, 2, 3),
    ),
    *(object(), np.ones(3), minitorch.ones(2)),
]


ERRORS = (TypeError, ValueError, AttributeError, KeyError, IndexError)


def net():
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU())


# What takes one odd value, and which of them are good there.
CALLS = {
    "get_submodule": (lambda v: net().get_submodule(v), []),
    "apply": (lambda v: net().apply(v), []),
    "train": (lambda v: net().train(v), [True]),
    "load_state_dict": (lambda v: net().load_state_dict(v), []),
    "an entry": (
        lambda v: nn.Linear(2, 1, bias=False).load_state_dict({"weights": v}),
        [],
    ),
    "weights": (lambda v: models.lenet5(weights=v), [None]),
    "num_classes": (lambda v: LeNet5(num_classes=v), [3]),
    "load": (lambda v: minitorch.load(v), []),
    "save": (lambda v: minitorch.save(v, "x.safetensors"), [{}]),
    "calculate_gain": (init.calculate_gain, []),
    "fan": (lambda v: init.kaiming_normal_(minitorch.ones(2, 2), 0, v), []),
    "zeros_": (init.zeros_, [minitorch.ones(2)]),
    "Dropout": (nn.Dropout, [True]),
    "dropout": (lambda v: F.dropout(minitorch.ones(2), v), [True]),
    "flatten": (lambda v: F.flatten(minitorch.ones(2, 2), v), [-1]),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d, [None, 3, 2**70, [1, 2]]),
    "inplace": (lambda v: nn.ReLU(inplace=v), [True]),
}


def is_among(value, good):
    return any(type(value) is type(each) and repr(value) == repr(each) for each in good)


@pytest.mark.parametrize("name", CALLS)
def test_odd_values_are_told_of(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, good = CALLS[name]
    for value in ODD:
        if is_among(value, [*good, *([minitorch.ones(2)] if name == "zeros_" else [])]):
            call(value)
            continue
        with pytest.raises(ERRORS) as found:
            call(value)
        assert re.match(r"['\"]?\[\w+\] .", str(found.value)), value
