"""The tests of what stands around tensors in PyTorch's programs: the GPU's questions,
compiling.
"""

from __future__ import annotations

import warnings

import pytest

import minitorch.torch as torch
from minitorch.torch import nn


def test_the_gpu_is_asked_about():
    there = torch.cuda.is_available()
    assert torch.cuda.device_count() == int(there)
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device(0)
    assert isinstance(torch.cuda.memory_allocated(), int)
    assert torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated()
    torch.cuda.manual_seed_all(3)
    drawn = torch.rand(2).tolist()
    torch.manual_seed(3)
    assert torch.rand(2).tolist() == drawn
    torch.backends.cudnn.benchmark = True
    assert torch.backends.cudnn.benchmark is True
    torch.backends.cudnn.benchmark = False
    assert not torch.backends.mps.is_available()
    with pytest.raises(RuntimeError, match="there is no device 'cuda:1'"):
        torch.cuda.set_device(1)


@pytest.mark.cuda
def test_the_gpu_is_known():
    assert torch.cuda.get_device_name(0) == torch.cuda.get_device_name()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
        torch.ones(2, device="cuda")
    torch.cuda.empty_cache()


def test_what_is_compiled_runs_as_it_is():
    layer = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    with pytest.warns(UserWarning, match="does nothing"):
        assert torch.compile(layer, mode="max-autotune") is layer

    with pytest.warns(UserWarning, match="does nothing"):

        @torch.compile(dynamic=True)
        def double(t):
            return t * 2

    with pytest.warns(UserWarning, match="does nothing"):
        layer.compile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is said of calls
        assert double(x).tolist() == [[2, 2]]
        layer(x)
    with pytest.raises(NotImplementedError, match="does not compile the program"):
        torch.compile(double, backend=lambda graph, inputs: graph)


def test_batches_are_not_split():
    layer = nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="batches are not split"):
        model = nn.DataParallel(layer, device_ids=[0])
    x = torch.ones(3, 2)
    assert torch.equal(model(x), layer(x))
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    assert model.module is layer


def test_programs_are_profiled():
    with torch.profiler.profile() as found, torch.profiler.record_function("mine"):
        (torch.ones(4) * 2).sum()
    names = {row.key for row in found.key_averages()}
    assert "mine" in names
