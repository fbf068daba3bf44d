"""The tests of the two dialects of tensors: what inherits which, and who meets."""

from __future__ import annotations

import gc
import inspect
import weakref

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch import _core
from minitorch.network.sources import op_samples
from minitorch.network.sources.op_samples import SAMPLES, Given

from .processes import printed_by


def numbers(requires_grad=False):
    """[1, 2, 3] in PyTorch's dialect."""
    made = _core.from_numpy(np.array([1.0, 2.0, 3.0], dtype="float32")).as_torch()
    made.requires_grad = requires_grad
    return made


def test_results_inherit_the_dialect():
    x = numbers()
    for result in (x + 1, 1 - x, -x, x + x, x.exp(), x.sum(), x.detach(), x.clone()):
        assert type(result) is torch.Tensor
    y = minitorch.tensor([1.0])
    for result in (y + 1, 1 - y, -y, y + y, y.exp(), y.sum(), y.detach(), y.clone()):
        assert type(result) is minitorch.Tensor


def in_torch(value):
    """The arguments of a sample with tensors of PyTorch's dialect."""
    if isinstance(value, Given):
        made = value.create("cpu")
        shown = made.detach().as_torch()
        shown.requires_grad = made.requires_grad
        return shown
    if isinstance(value, list | tuple):
        return type(value)(in_torch(each) for each in value)
    return "cpu" if value is op_samples.DEVICE else value


def tensors_of(value):
    if isinstance(value, _core.Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [found for each in value for found in tensors_of(each)]
    return []


def as_functions():
    """The samples whose call is a function of the library, not of a method's name."""
    return [sample for sample in SAMPLES if sample.arguments]


@pytest.mark.parametrize("sample", as_functions(), ids=lambda sample: sample.name)
def test_functions_keep_the_dialect_and_gradients_take_their_leafs(sample):
    arguments = [in_torch(each) for each in sample.arguments]
    named = {key: in_torch(each) for key, each in sample.named.items()}
    given = tensors_of([*arguments, *named.values()])
    if not given:
        pytest.skip("it takes no tensor")
    results = tensors_of(sample.call(*arguments, **named))
    assert all(type(each) is torch.Tensor for each in results)
    for result in results:
        if result.requires_grad:
            result.backward(result.detach() * 0 + 1)
            break
    for leaf in given:
        assert leaf.grad is None or type(leaf.grad) is torch.Tensor


@pytest.mark.parametrize(
    "meet",
    [
        lambda x, y: x + y,
        lambda x, y: y * x,
        lambda x, y: x.add_(y),
        lambda x, y: y.add_(x),
        lambda x, y: x.__setitem__(slice(None), y),
        lambda x, y: minitorch.functional.cat([x, y]),
        lambda x, y: _core.Tensor.lt(x, y),
        lambda x, y: _core.backward([(x * 1)], [y], False, False),
    ],
)
def test_tensors_of_two_dialects_do_not_meet(meet):
    x, y = numbers(requires_grad=False), minitorch.tensor([1.0, 2.0, 3.0])
    before = x.numpy().copy(), y.numpy().copy()
    if "backward" in inspect.getsource(meet):
        x.requires_grad = True
    with pytest.raises(TypeError, match=r"got a minitorch\.Tensor"):
        meet(x, y)
    np.testing.assert_array_equal(x.detach().numpy(), before[0])
    np.testing.assert_array_equal(y.numpy(), before[1])


def test_the_same_memory_in_the_other_dialect():
    x = numbers()
    y = x.as_minitorch()
    assert type(y) is minitorch.Tensor
    assert y.as_minitorch() is y
    y.numpy()[0] = 7
    assert float(x.numpy()[0]) == 7


def test_gradients_cross_over_and_take_their_leafs_dialect():
    x = numbers(requires_grad=True)
    y = x.as_minitorch() * 2
    (y.as_torch() * numbers()).sum().backward()
    assert type(x.grad) is torch.Tensor
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0, 6.0])


def test_as_torch_finds_its_class_by_itself():
    program = (
        "import minitorch, sys; x = minitorch.ones(2).as_torch();"
        "print(type(x).__module__, type(x + 1).__name__)"
    )
    assert printed_by(program) == "minitorch.torch.tensor Tensor\n"


class Kept(torch.Tensor):
    """A subclass as `nn.Parameter` is one."""


def test_objects_of_a_subclass_live_and_go_as_others_do():
    kept = numbers()._as_instance(Kept)
    assert type(kept) is Kept
    assert type(kept * 2) is torch.Tensor
    kept.note = kept
    seen = weakref.ref(kept)
    del kept
    gc.collect()
    assert seen() is None
    with pytest.raises(TypeError, match="subclass of Tensor"):
        numbers()._as_instance(int)


def test_real_results_of_integers_have_the_default_dtype():
    x = minitorch.tensor([1, 2], dtype="int64").as_torch()
    assert (x / 2).dtype == (x / x).dtype == x.exp().dtype == "float32"
    _core.set_torch_default_dtype(_core.float64)
    try:
        assert (x / 2).dtype == "float64"
    finally:
        _core.set_torch_default_dtype(_core.float32)
    with pytest.raises(TypeError, match="floating"):
        _core.set_torch_default_dtype(_core.int64)
