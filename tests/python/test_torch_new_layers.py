"""Owns that layers and functions give PyTorch's numbers, and refuse bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import _core, nn, torch
from minitorch.torch.nn import examples

from .layer_sentences import RECORDED, Library, difference, run, sentences

RESULTS = json.loads(RECORDED.read_text())["sentences"]


def tensor(array: np.ndarray) -> minitorch.Tensor:
    """A tensor of MiniTorch's dialect; of floats one that learns."""
    made = minitorch.tensor(array, dtype=str(array.dtype))
    return made.requires_grad_(array.dtype == np.float64)


def torch_tensor(array: np.ndarray):
    """The same of PyTorch's dialect."""
    made = minitorch.tensor(array, dtype=str(array.dtype)).as_torch()
    made.requires_grad = array.dtype == np.float64
    return made


def zeros(*shape: int) -> minitorch.Tensor:
    return minitorch.zeros(*shape)


def whole(*numbers: int) -> minitorch.Tensor:
    return minitorch.tensor(numbers, dtype="int64")


def test_every_sentence_is_recorded():
    assert sentences() == list(RESULTS)


@pytest.mark.parametrize("sentence", sentences())
def test_numbers_and_gradients_are_pytorchs(sentence):
    got = run(Library(nn, F, tensor), sentence)
    assert difference(RESULTS[sentence], got) is None


@pytest.mark.parametrize(
    "sentence", [each for each in sentences() if "nn." not in each]
)
def test_functions_serve_both_dialects(sentence):
    got = run(Library(nn, F, torch_tensor), sentence)
    assert difference(RESULTS[sentence], got) is None


@pytest.fixture
def wide_numbers():
    """float64 for new numbers of PyTorch's dialect, for one test."""
    before = _core.torch_default_dtype()
    _core.set_torch_default_dtype(_core.float64)
    yield
    _core.set_torch_default_dtype(before)


@pytest.mark.parametrize("sentence", sentences())
def test_the_face_gives_the_same(sentence, wide_numbers):
    library = Library(torch.nn, torch.nn.functional, torch_tensor)
    assert difference(RESULTS[sentence], run(library, sentence)) is None


OURS = [n for n in F.__all__ if hasattr(torch.nn.functional.further, n)]


@pytest.mark.parametrize("name", OURS)
def test_the_face_refuses_tensors_of_minitorchs_dialect(name):
    with pytest.raises(TypeError, match=r"got a minitorch\.Tensor; need a torch"):
        getattr(torch.nn.functional, name)(minitorch.ones(2, 2))


def test_layers_of_the_face_are_float32_and_named_as_pytorchs():
    layer = torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True)
    assert {p.dtype for p in layer.parameters()} == {_core.float32}
    assert all(isinstance(p, torch.nn.Parameter) for p in layer.parameters())
    assert repr(layer) == "LSTM(4, 3, num_layers=2, bidirectional=True)"
    net = torch.nn.TransformerEncoderLayer(4, 2, 8)
    assert type(net.self_attn.out_proj) is torch.nn.Linear
    with pytest.raises(TypeError, match=r"need a torch\.Tensor"):
        layer(minitorch.zeros(5, 1, 4))
    with pytest.raises(TypeError, match=r"^\[GRU\]"):
        torch.nn.GRU(4)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: F.elu(whole(1)), TypeError, "dtype int64; need a floating"),
        (lambda: F.elu(zeros(1), inplace=1), TypeError, "inplace 1"),
        (lambda: F.elu(3.0), TypeError, "got float; need a Tensor"),
        (lambda: F.prelu(zeros(2, 3), zeros(2)), ValueError, r"need \(1,\) or \(3,\)"),
        (lambda: F.rrelu(zeros(1), 2.0, 1.0), ValueError, "lower <= upper"),
        (lambda: F.celu(zeros(1), 0.0), ValueError, "alpha 0"),
        (lambda: F.softshrink(zeros(1), -1.0), ValueError, "lambd -1.0"),
        (lambda: F.hardtanh(zeros(1), 2.0, 1.0), ValueError, "limits 2.0 and 1.0"),
        (lambda: F.glu(zeros(3)), ValueError, "even size"),
        (lambda: F.gumbel_softmax(zeros(3), 0.0), ValueError, "tau 0"),
        (lambda: F.cdist(zeros(2, 3), zeros(2, 4)), ValueError, "width"),
        (lambda: F.bilinear(zeros(2), zeros(3), zeros(1, 2, 2)), ValueError, "in1"),
        (lambda: F.group_norm(zeros(1, 4, 2), 3), ValueError, "divide the channels"),
        (lambda: F.group_norm(zeros(1, 4), 2, zeros(3)), ValueError, "channels"),
        (lambda: F.instance_norm(zeros(1, 2, 1)), ValueError, "1 values a channel"),
        (lambda: F.instance_norm(zeros(2, 2)), ValueError, r"\(n, channels"),
        (lambda: F.rms_norm(zeros(2, 3), 2), ValueError, "normalized_shape"),
        (lambda: F.local_response_norm(zeros(2, 3), 2), ValueError, "size 2"),
        (lambda: F.pad(zeros(2), (1,)), ValueError, "two numbers"),
        (lambda: F.pad(zeros(2), (1, 1), "mirror"), ValueError, "mode 'mirror'"),
        (lambda: F.pad(zeros(2, 2), (2, 0), "reflect"), ValueError, "need 0 to 1"),
        (lambda: F.pad(zeros(2, 2), (3, 0), "circular"), ValueError, "need 0 to 2"),
        (lambda: F.pad(zeros(2), (-2, -1)), ValueError, "0 or more left"),
        (lambda: F.pad(zeros(2), 1), TypeError, "pad 1"),
        (lambda: F.max_pool3d(zeros(1, 2, 2), 2), ValueError, "5 dimensions"),
        (lambda: F.max_pool2d(zeros(1, 2, 2), 3, ceil_mode=True), ValueError, "fit"),
        (lambda: F.avg_pool2d(zeros(1, 2, 2), 2, divisor_override=0), ValueError, "0"),
        (lambda: F.adaptive_max_pool2d(zeros(1, 2, 2), 0), ValueError, "1 or more"),
        (lambda: F.adaptive_avg_pool1d(zeros(2, 2), "2"), TypeError, "output_size"),
        (lambda: F.max_unpool2d(zeros(1, 1), whole(1), 2), ValueError, "the same"),
        (lambda: F.conv3d(zeros(1, 2, 2), zeros(1)), ValueError, "depth"),
        (lambda: F.conv_transpose1d(zeros(2), zeros(1)), ValueError, "length"),
        (lambda: F.dropout2d(zeros(2, 2)), ValueError, "4 dimensions"),
        (lambda: F.alpha_dropout(zeros(2), 2.0), ValueError, "probability 2"),
        (lambda: F.interpolate(zeros(1, 1, 2)), ValueError, "need one of"),
        (lambda: F.interpolate(zeros(1, 1, 2), 4, mode="cubic"), ValueError, "'cubic'"),
        (lambda: F.interpolate(zeros(1, 1, 2), (1, 2)), ValueError, "1 dimensions"),
        (lambda: F.pixel_shuffle(zeros(3, 1, 1), 2), ValueError, "4 divides"),
        (lambda: F.pixel_unshuffle(zeros(3, 3, 2), 2), ValueError, "2 divides"),
        (lambda: F.channel_shuffle(zeros(1, 3, 1), 2), ValueError, "divide"),
        (lambda: F.unfold(zeros(1, 2, 2), 3), ValueError, "that fit"),
        (lambda: F.fold(zeros(1, 4, 4), 3, 3), ValueError, r"channels \* 9"),
        (lambda: F.embedding_bag(whole(1), zeros(2, 2)), ValueError, "offsets"),
        (
            lambda: F.embedding_bag(whole(1), zeros(2, 2), whole(1)),
            ValueError,
            "rising from 0",
        ),
        (lambda: F.smooth_l1_loss(zeros(2), zeros(2, 1)), ValueError, "the same"),
        (lambda: F.smooth_l1_loss(zeros(2), zeros(2), "avg"), ValueError, "'avg'"),
        (lambda: F.huber_loss(zeros(2), zeros(2), delta=0), ValueError, "delta 0"),
        (lambda: F.gaussian_nll_loss(zeros(2), zeros(2), -1.0), ValueError, "negative"),
        (lambda: F.multi_margin_loss(zeros(2, 3), whole(1)), ValueError, r"\(n,\)"),
        (lambda: F.multi_margin_loss(zeros(1, 3), whole(3)), IndexError, "3"),
        (
            lambda: F.triplet_margin_loss(zeros(2), zeros(2), zeros(1, 2)),
            ValueError,
            "dimensions",
        ),
        (
            lambda: F.ctc_loss(zeros(2, 1, 3), whole(3), [2], [1]),
            ValueError,
            "labels outside 0 to 2",
        ),
        (
            lambda: F.ctc_loss(zeros(2, 1, 3), whole(1), [3], [1]),
            ValueError,
            "input lengths",
        ),
        (lambda: nn.LSTM(0, 3), ValueError, "input_size 0"),
        (lambda: nn.LSTM(2, 3, proj_size=3), ValueError, "proj_size 3"),
        (lambda: nn.RNN(2, 3, nonlinearity="elu"), ValueError, "'elu'"),
        (lambda: nn.GRU(2, 3)(zeros(5, 1, 3)), ValueError, r"\(length, n, 2\)"),
        (lambda: nn.GRU(2, 3)(zeros(0, 1, 2)), ValueError, "one step or more"),
        (lambda: nn.GRU(2, 3)(zeros(5, 1, 2), zeros(1, 1, 4)), ValueError, "state"),
        (lambda: nn.LSTM(2, 3)(zeros(5, 1, 2), zeros(1, 1, 3)), TypeError, r"\(h, c\)"),
        (lambda: nn.LSTMCell(2, 3)(zeros(1, 3)), ValueError, r"\(n, 2\)"),
        (lambda: nn.GRUCell(2, 3)(zeros(1, 2), zeros(3)), ValueError, "state"),
        (lambda: nn.MultiheadAttention(4, 3), ValueError, "divide the width"),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, activation="elu"),
            ValueError,
            "'elu'",
        ),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, 8)(zeros(2, 3)),
            ValueError,
            "need",
        ),
        (lambda: nn.TransformerEncoder(3, 1), TypeError, "need a layer"),
        (lambda: F.multi_margin_loss(3, zeros(1)), TypeError, "got int"),
        (lambda: F.multilabel_margin_loss([1], zeros(1)), TypeError, "got list"),
        (
            lambda: F.local_response_norm(zeros(1, 3, 2), 2.5),
            TypeError,
            "got size 2.5",
        ),
    ],
)
def test_bad_input_is_told(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert str(caught.value).startswith("[")


def test_a_neighbourhood_may_be_wider_than_there_are_channels():
    x = minitorch.tensor([[[1.0], [2.0], [3.0]]])
    wide = F.local_response_norm(x, 2**40, alpha=2.0**40, beta=1.0, k=1.0)
    # 1 + the sum of all squares
    np.testing.assert_allclose(wide.numpy(), x.numpy() / 15, 1e-12)


def test_one_score_alone_is_always_drawn():
    drawn = F.gumbel_softmax(minitorch.tensor(3.0), hard=True)
    assert (drawn.shape, drawn.item()) == ((), 1.0)


def test_in_place_activations_use_the_memory_and_keep_the_gradient():
    x = minitorch.tensor([-1.0, 2.0], requires_grad=True)
    y = x * 1
    out = F.elu(y, inplace=True)
    np.testing.assert_array_equal(y.detach().numpy(), out.detach().numpy())
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [np.exp(-1.0), 1.0])


def test_rrelu_draws_slopes_while_training():
    minitorch.manual_seed(0)
    x = minitorch.ones(1000) * -1
    slopes = -F.rrelu(x, 0.25, 0.5, training=True).numpy()
    assert slopes.min() >= 0.25
    assert slopes.max() <= 0.5
    assert abs(slopes.mean() - 0.375) < 0.01


def test_dropout_of_channels_leaves_whole_channels_out():
    minitorch.manual_seed(0)
    out = F.dropout2d(minitorch.ones(4, 8, 3, 3), 0.5).numpy().reshape(32, 9)
    assert set(out.ravel()) == {0.0, 2.0}
    assert (out == out[:, :1]).all()


def test_alpha_dropout_keeps_mean_and_variance():
    minitorch.manual_seed(0)
    out = F.alpha_dropout(minitorch.randn(20_000), 0.3, training=True).numpy()
    assert abs(out.mean()) < 0.03
    assert abs(out.var() - 1) < 0.05
    assert (F.alpha_dropout(minitorch.ones(3), 1.0, training=True).numpy() == 0).all()


def test_a_hard_draw_is_one_class_and_has_a_gradient():
    minitorch.manual_seed(0)
    x = minitorch.randn(50, 4).requires_grad_(True)
    hard = F.gumbel_softmax(x, hard=True)
    np.testing.assert_allclose(np.sort(hard.detach().numpy())[:, :3], 0, atol=1e-15)
    np.testing.assert_allclose(hard.detach().numpy().sum(1), 1)
    (hard * minitorch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert np.abs(x.grad.numpy()).max() > 0


def test_soft_margins_do_not_overflow():
    x = minitorch.tensor([-800.0, 800.0])
    loss = F.soft_margin_loss(x, minitorch.ones(2), "none")
    np.testing.assert_array_equal(loss.numpy(), [800.0, 0.0])


def test_recurrent_layers_drop_out_between_layers_only_while_training():
    layer, x = nn.GRU(4, 3, num_layers=2, dropout=0.9), minitorch.ones(5, 2, 4)
    still = layer.eval()(x)[0].numpy()
    np.testing.assert_array_equal(layer(x)[0].numpy(), still)
    assert (layer.train()(x)[0].numpy() != still).any()


def test_instance_statistics_move():
    x = minitorch.tensor([[[1.0, 3.0]], [[5.0, 9.0]]])
    mean, var = minitorch.zeros(1), minitorch.ones(1)
    F.instance_norm(x, mean, var, momentum=0.5)
    assert (mean.item(), var.item()) == (2.25, 3.0)
    still = F.instance_norm(x, mean, var, use_input_stats=False, eps=0.0).numpy()
    np.testing.assert_allclose(still, (x.numpy() - 2.25) / np.sqrt(3.0))


def test_examples_are_of_derived_layers():
    for row in examples.CALLS.split("\n")[1:-1]:
        layer = getattr(torch.nn, row.partition("(")[0])
        assert layer.__doc__.count(">>> layer") == 2
    assert examples.example("Linear") == ""
