"""The tests of inputs that do not fit a layer or a loss: what is said of them."""

from __future__ import annotations

import re

import pytest

import minitorch
import minitorch.functional as F
from minitorch import nn

from .tensors import need

X = minitorch.zeros

# A layer, an input, what is said.
WRONG_SHAPES = [
    (
        nn.Linear(784, 10),
        (32, 100),
        "[Linear(784, 10)] got input (32, 100); need (..., 784).",
    ),
    (nn.Linear(4, 2), (3,), "[Linear(4, 2)] got input (3,); need (..., 4)."),
    (nn.Linear(4, 2), (), "[Linear(4, 2)] got input (); need (..., 4)."),
    (
        nn.Conv2d(3, 8, 5),
        (2, 4, 8, 8),
        "[Conv2d(3, 8, kernel_size=(5, 5))] got input (2, 4, 8, 8); need (n, 3, "
        "height, width) or (3, height, width).",
    ),
    (
        nn.Conv1d(3, 8, 5),
        (8, 8),
        "[Conv1d(3, 8, kernel_size=(5,))] got input (8, 8); need (n, 3, length) or "
        "(3, length).",
    ),
    (
        nn.Conv2d(3, 8, 5),
        (2, 3, 4, 4),
        "[Conv2d(3, 8, kernel_size=(5, 5))] input (2, 3, 4, 4): [conv2d] got windows "
        "of 5 cells for rows of 4",
    ),
    (
        nn.LayerNorm((5, 2)),
        (8, 8),
        "[LayerNorm(5, 2)] got input (8, 8); need (..., 5, 2).",
    ),
    (
        nn.BatchNorm1d(5),
        (8, 8),
        "[BatchNorm1d(5)] got input (8, 8); need (n, 5) or (n, 5, length).",
    ),
    (
        nn.BatchNorm2d(5),
        (8, 8, 3, 3),
        "[BatchNorm2d(5)] got input (8, 8, 3, 3); need (n, 5, height, width).",
    ),
    (
        nn.MaxPool2d(5),
        (1, 1, 3, 3),
        "input (1, 1, 3, 3): [max_pool2d] got windows of 5 cells",
    ),
    (nn.Softmax(3), (4,), "[Softmax(3)] input (4,): [softmax] got dim 3; need -1 to 0"),
]


@pytest.mark.parametrize(("layer", "shape", "said"), WRONG_SHAPES)
def test_a_layer_names_itself_and_the_shapes(layer, shape, said):
    with pytest.raises((ValueError, IndexError), match=re.escape(said)):
        layer(X(*shape) if shape else minitorch.tensor(0.0))


def test_wrong_kinds_of_input_are_told_with_the_layer():
    layer = nn.Embedding(5, 3)
    with pytest.raises(
        TypeError, match=r"\[Embedding\(5, 3\)\] input \(2,\): \[embedding\] got flo"
    ):
        layer(X(2))
    with pytest.raises(
        IndexError, match=r"\[Embedding\(5, 3\)\] input \(1,\): \[embedding\] got ind"
    ):
        layer(minitorch.tensor([7], dtype="int64"))
    with pytest.raises(ValueError, match=r"\[MultiheadAttention\(8, 2\)\] got inputs "):
        nn.MultiheadAttention(8, 2)(X(2, 3, 7), X(2, 3, 7), X(2, 3, 7))
    for each in (nn.Linear(2, 1), nn.Conv1d(1, 1, 1), nn.LayerNorm(2), nn.MaxPool1d(2)):
        with pytest.raises(
            TypeError, match=rf"\[{type(each).__name__}\(.*got list; ne"
        ):
            each([1.0, 2.0])


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Linear(4, 2), (3, 4)),
        (nn.Conv2d(1, 2, 3), (1, 1, 4, 4)),
        (nn.LayerNorm(4), (3, 4)),
        (nn.BatchNorm1d(4), (3, 4)),
        (nn.Embedding(4, 2), (3,)),
    ],
)
def test_data_are_advised_to_move_to_the_model(layer, shape):
    need("cuda")
    x = X(*shape, dtype="int64" if isinstance(layer, nn.Embedding) else None)
    layer.to("cuda")
    with pytest.raises(ValueError, match="input is on cpu, but the param") as told:
        layer(x)
    assert str(told.value).endswith('Move the data to the model: x.to("cuda").')
    layer(x.to("cuda"))
    layer.to("cpu")
    with pytest.raises(ValueError, match=r'x.to\("cpu"\), or the model: model.to\("cu'):
        layer(x.to("cuda"))


def test_class_numbers_that_are_no_integers_are_told_by_their_dtype():
    scores, labels = minitorch.rand(4, 3), minitorch.tensor([0.0, 1.0, 2.0, 0.0])
    for loss in (nn.CrossEntropyLoss(), F.cross_entropy):
        with pytest.raises(
            TypeError,
            match=r"dtype float64; need class indices \(integers\) of shape \(4",
        ):
            loss(scores, labels)
        loss(scores, labels.long())
    for loss in (nn.NLLLoss(), F.nll_loss):
        with pytest.raises(
            TypeError, match=r"float64; need integers.*target\.long\(\)"
        ):
            loss(scores, labels)
    with pytest.raises(ValueError, match=r"or probabilities of shape \(4, 3\)\.$"):
        F.cross_entropy(scores, minitorch.rand(4, 2))
    with pytest.raises(TypeError, match=r"\[one_hot\] got float64.*\.long\(\)"):
        F.one_hot(labels)
