"""The tests of what training keeps: nothing grows, everything freed is back."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import minitorch
from minitorch import autograd


def in_use():
    return minitorch.memory_stats()["in_use"]


def test_a_freed_tensor_is_back_at_once():
    before = in_use()
    tensor = minitorch.zeros(100, 100)
    assert in_use() - before >= 80_000
    view = tensor.permute(1, 0)[3:]
    del tensor
    assert in_use() - before >= 80_000
    del view
    assert in_use() == before


def test_graphs_are_freed_with_their_result():
    x = minitorch.ones(100, 100, requires_grad=True)
    before = in_use()
    y = ((x * x).exp() * x).sum()
    assert in_use() > before
    y.backward()
    x.grad = None
    assert in_use() - before <= 64  # the result alone
    del y
    assert in_use() == before


@pytest.mark.parametrize("way", ["in place", "hooks", "gradients of gradients"])
def test_a_thousand_epochs_do_not_grow(way):
    net = minitorch.Sequential(minitorch.Linear(4, 8), minitorch.Linear(8, 1))
    optimizer = minitorch.SGD(net.parameters(), lr=1e-3)
    x = minitorch.rand(6, 4)
    sizes = []
    gc.disable()  # what only a collection would free counts as growth
    try:
        for _ in range(1000):
            optimizer.zero_grad()
            y = net(x)
            if way == "in place":
                y *= y
                y[1:3].zero_()
            elif way == "hooks":
                y.register_hook(lambda g: g * 2)
                y.retain_grad()
            else:
                weight = net.parameters()[0].value
                (first,) = autograd.grad(y.tanh().sum(), weight, create_graph=True)
                y = y.sum() + (first * first).sum()
                del first, weight
            y.sum().backward()
            optimizer.step()
            del y
            sizes.append(in_use())
    finally:
        gc.enable()
    assert sizes[-1] == sizes[10]


def test_blocks_are_reused_by_the_next_step():
    x = minitorch.rand(200, 200)
    (x + 1).exp()
    before = minitorch.memory_stats()["requests"]
    for _ in range(50):
        (x + 1).exp()
    assert minitorch.memory_stats()["requests"] == before


def test_the_peak_is_counted_from_its_reset():
    minitorch.reset_peak_memory()
    start = minitorch.memory_stats()["peak_in_use"]
    assert start == in_use()
    del_me = minitorch.zeros(1 << 17)
    del del_me
    assert minitorch.memory_stats()["peak_in_use"] == start + (1 << 20)


def test_released_memory_leaves_the_cache():
    made = minitorch.zeros(1 << 22)
    del made
    assert minitorch.memory_stats()["cached"] >= 1 << 25
    minitorch.release_cached_memory()
    assert minitorch.memory_stats()["cached"] < 1 << 25


def test_threads_allocate_and_free_for_each_other():
    gc.collect()  # or one of the threads frees what earlier tests left in cycles
    before = in_use()
    made = []
    errors = []

    def work(seed):
        try:
            generator = np.random.default_rng(seed)
            for size in generator.integers(1, 5000, 300):
                tensor = minitorch.full((int(size),), float(seed))
                made.append(tensor)
                if len(made) > 20:
                    other = made.pop(0).numpy()
                    assert (other == other[0]).all()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    made.clear()
    gc.collect()
    assert in_use() == before
