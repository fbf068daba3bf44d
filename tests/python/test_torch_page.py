"""The table of docs/torch.md says what both dialects do, and each takes the other's
tensors."""

from __future__ import annotations

import pytest

import minitorch
import minitorch.torch as torch

ROWS = [[1.0, 5.0, 2.0], [4.0, 0.0, 3.0]]


@pytest.mark.parametrize(
    ("code", "ours", "pytorchs"),
    [
        ("module.tensor([1, 2]).dtype", minitorch.float64, torch.int64),
        ("module.tensor([1.0]).dtype", minitorch.float64, torch.float32),
        ("tuple(x.sum(1).shape)", (2, 1), (2,)),
        ("tuple(x.mean(1).shape)", (2, 1), (2,)),
        ("tuple(x.sum().shape)", (1,), ()),
        ("(x > 1).dtype", minitorch.float64, torch.bool),
        ("(x == x).dtype", minitorch.float64, torch.bool),
        ("x.size() if callable(x.size) else x.size", 6, torch.Size([2, 3])),
        ("type(x[0][0]).__name__", "float", "Tensor"),
        ("x.max(1)[1].numpy().tolist()", [1, 0], [1, 0]),
        ("tuple(x.max(1)[0].shape)", (2,), (2,)),
        ("x.max(1).indices.numpy().tolist()", [1, 0], [1, 0]),
        ("type(module.max(x, 1)).__name__", "Tensor", "max"),
        ("x.argmax(1).numpy().tolist()", [1, 0], [1, 0]),
        ("type(module.nn.Linear(1, 1).weight).__name__", "Parameter", "Parameter"),
        ("isinstance(module.nn.Linear(1, 1).weight, module.Tensor)", False, True),
        ("(i + f).dtype", minitorch.float64, torch.float32),
        ("(y.requires_grad_() * 1).sum().backward() or w.grad is None", True, False),
        ("str(x[:, 0] / 2)", "tensor([0.5, 2. ])", "tensor([0.5000, 2.0000])"),
    ],
)
def test_the_table_of_the_dialects_is_true(code, ours, pytorchs):
    for module, wanted in ((minitorch, ours), (torch, pytorchs)):
        names = {"module": module, "x": module.tensor(ROWS)}
        names["i"] = module.tensor([1, 2], dtype=module.int32)
        names["f"] = module.tensor([1.0, 2.0], dtype=module.float32)
        names["w"] = module.tensor([1.0], requires_grad=True)
        names["y"] = names["w"] * 2
        assert eval(code, names) == wanted, module.__name__


def test_layers_of_minitorch_take_pytorchs_tensors():
    layer = minitorch.nn.Linear(3, 2, dtype="float32")
    scores = layer(torch.tensor(ROWS))
    assert isinstance(scores, torch.Tensor)
    torch.nn.functional.cross_entropy(scores, torch.tensor([0, 1])).backward()
    assert layer.weight.value.grad.shape == (2, 3)
    with pytest.raises(RuntimeError, match=r"torch\.float64 and .*the same dtype"):
        layer(torch.tensor(ROWS, dtype=torch.float64))
