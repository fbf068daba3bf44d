"""That layers and functions give PyTorch's numbers, and refuse bad input."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import _core, nn, torch

from .layer_sentences import Library, difference, recorded, run

RESULTS = recorded()


def torch_tensor(array):
    """The same of PyTorch's dialect."""
    made = minitorch.tensor(array, dtype=str(array.dtype)).as_torch()
    made.requires_grad = array.dtype == np.float64
    return made


def zeros(*shape):
    return minitorch.zeros(*shape)


def whole(*numbers):
    return minitorch.tensor(numbers, dtype="int64")


@pytest.fixture
def wide_numbers():
    """float64 for new numbers of PyTorch's dialect, for one test."""
    before = _core.torch_default_dtype()
    _core.set_torch_default_dtype(_core.float64)
    yield
    _core.set_torch_default_dtype(before)


@pytest.mark.parametrize("sentence", RESULTS)
def test_the_face_gives_the_same(sentence, wide_numbers):
    library = Library(torch.nn, torch.nn.functional, torch_tensor)
    assert difference(RESULTS[sentence], run(library, sentence)) is None


OURS = sorted({*F.__all__} & {*torch.nn.functional.__all__})


@pytest.mark.parametrize("name", OURS)
def test_the_face_refuses_tensors_of_minitorchs_dialect(name):
    with pytest.raises(TypeError, match=r"got a minitorch\.Tensor; need a torch"):
        getattr(torch.nn.functional, name)(minitorch.ones(2, 2))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: F.elu(whole(1)), TypeError, "dtype int64; need a floating"),
        (
            lambda: F.group_norm(zeros(1, 4, 2), 3),
            ValueError,
            "channels a multiple of num_groups",
        ),
        (lambda: F.rms_norm(zeros(2, 3), 2), ValueError, "normalized_shape"),
        (lambda: F.pad(zeros(2), (1,)), ValueError, "two integers"),
        (lambda: F.pad(zeros(2, 2), (2, 0), "reflect"), ValueError, "need 'constant'"),
        (lambda: F.pad(zeros(2), 1), TypeError, "pad 1"),
        (lambda: F.smooth_l1_loss(zeros(2), zeros(2, 1)), ValueError, "the same"),
        (lambda: nn.LSTM(0, 3), ValueError, "input_size 0"),
        (lambda: nn.RNN(2, 3, nonlinearity="elu"), ValueError, "'elu'"),
        (lambda: nn.GRU(2, 3)(zeros(5, 1, 3)), ValueError, r"\(length, n, 2\)"),
        (lambda: nn.GRU(2, 3)(zeros(5, 1, 2), zeros(1, 1, 4)), ValueError, "state"),
        (lambda: nn.TransformerEncoder(3, 1), TypeError, "need an nn.Module"),
    ],
)
def test_bad_input_is_told(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("[")


def test_dropout_of_channels_leaves_whole_channels_out():
    minitorch.manual_seed(0)
    out = F.dropout2d(minitorch.ones(4, 8, 3, 3), 0.5).numpy().reshape(32, 9)
    assert set(out.ravel()) == {0.0, 2.0}
    assert (out == out[:, :1]).all()


def test_recurrent_layers_drop_out_between_layers_only_while_training():
    layer, x = nn.GRU(4, 3, num_layers=2, dropout=0.9), minitorch.ones(5, 2, 4)
    still = layer.eval()(x)[0].numpy()
    np.testing.assert_array_equal(layer(x)[0].numpy(), still)
    assert (layer.train()(x)[0].numpy() != still).any()
