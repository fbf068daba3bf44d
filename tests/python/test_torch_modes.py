"""The tests of blocks and decorators that switch history, in PyTorch's dialect."""

from __future__ import annotations

import threading

import pytest

import minitorch.torch as torch

MODES = [
    (torch.no_grad, False),
    (torch.enable_grad, True),
    (torch.inference_mode, False),
]


@pytest.mark.parametrize(("mode", "records"), MODES)
def test_a_block_switches_and_switches_back(mode, records):
    with torch.set_grad_enabled(not records):
        with mode():
            assert torch.is_grad_enabled() is records
        assert torch.is_grad_enabled() is not records
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(("mode", "records"), MODES)
@pytest.mark.parametrize("brackets", [True, False])
def test_functions_methods_and_generators_are_decorated(mode, records, brackets):
    decorate = mode() if brackets else mode

    @decorate
    def plain(a, b=2):
        """What it says."""
        return a, b, torch.is_grad_enabled()

    class Holder:
        @decorate
        def method(self):
            return torch.is_grad_enabled()

    @decorate
    def generated():
        got = yield torch.is_grad_enabled()
        try:
            yield got, torch.is_grad_enabled()
        except KeyError:
            yield torch.is_grad_enabled()
        return "end"

    with torch.set_grad_enabled(not records):
        assert plain(1, b=3) == (1, 3, records)
        assert (plain.__name__, plain.__doc__) == ("plain", "What it says.")
        assert Holder().method() is records
        steps = generated()
        assert next(steps) is records
        assert torch.is_grad_enabled() is not records
        assert steps.send(5) == (5, records)
        assert steps.throw(KeyError()) is records
        with pytest.raises(StopIteration, match="end"):
            next(steps)
        assert torch.is_grad_enabled() is not records


def test_a_generator_that_is_left_is_closed():
    ended = []

    @torch.no_grad()
    def endless():
        try:
            while True:
                yield torch.is_grad_enabled()
        finally:
            ended.append(torch.is_grad_enabled())

    steps = endless()
    assert next(steps) is False
    steps.close()
    assert len(ended) == 1
    assert torch.is_grad_enabled()


def test_a_call_that_fails_switches_back():
    @torch.no_grad
    def fails():
        raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert torch.is_grad_enabled()


def test_set_grad_enabled_as_a_switch_a_block_and_a_decorator():
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)

    @torch.set_grad_enabled(False)
    def inside():
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert inside() is False


def test_inference_mode_ends_gradients():
    with torch.inference_mode():
        assert not torch.is_grad_enabled()
        with torch.inference_mode(False):
            assert torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_a_switch_is_a_threads_own():
    seen = []
    with torch.inference_mode():
        other = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        other.start()
        other.join()
    assert seen == [True]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad])
def test_what_is_no_function_is_refused(mode):
    with pytest.raises(TypeError, match="got int; need a function to decorate"):
        mode(3)
    with pytest.raises(TypeError, match="got str; need a function to decorate"):
        torch.inference_mode("text")


def test_one_block_is_entered_again():
    block = torch.no_grad()
    with block, block:
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
