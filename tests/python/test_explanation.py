"""What is derived of a launch for a card; explanations as text; copies."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda, nn
from minitorch.network import kernel_facts, work
from minitorch.network.copies import Call, parameters_within
from minitorch.network.thread_modes import ThreadModes

from .explained_model import explained

pytestmark = pytest.mark.cuda


def test_totals_are_sums():
    totals = explained().totals
    assert (totals.kernels, totals.parameters) == (5, 32 * 8 + 8 + 8 + 1)
    assert totals.parameter_bytes == 4 * 273
    assert totals.macs_useful == 64 * (32 * 8 + 8)
    # Tiles of 16 x 16 threads: 4 blocks with 2 tiles of k, then 4 with 1.
    assert totals.macs_executed == 4 * 256 * 32 + 4 * 256 * 16
    assert totals.touched == 32 * (352 + 129 + 128 + 73 + 17)


def test_the_table_has_a_line_for_each_kernel_and_their_sum():
    lines = explained().table().splitlines()
    assert "273 parameters, 1,092 B" in lines[0]
    assert "layer1.matmul" in lines[3]
    assert "16,384 / 32,768" in lines[3]
    assert "11,264 .. 26,624" in lines[3]
    assert lines[8].startswith("all")
    assert "16,896 / 49,152" in lines[8]


def test_ten_steps_are_told_and_where_they_are_wrong():
    lines = explained().steps().splitlines()
    assert [line.split(".")[0] for line in lines[:10]] == [str(n) for n in range(1, 11)]
    assert "layer1, in" in lines[1]
    assert "relu, execute" in lines[5]
    assert "2,048 B are written. They stay in the 6 MB L2" in lines[3]
    assert "1/64 of the operations" in lines[10]


def test_files_are_json_or_pages(tmp_path):
    explained().save(tmp_path / "x.json")
    saved = json.loads((tmp_path / "x.json").read_text())
    assert saved["schema"] == "minitorch.explain/1"
    with pytest.raises(ValueError, match=r"\.json or \.html"):
        explained().save(tmp_path / "x.png")
    with pytest.raises(ValueError, match="read from a file"):
        replace(explained(), _neuron=None).neuron("layer1", (0, 0))


# The stages of ResNet-50: blocks, width, size of the image after it.
def resnet50(size):
    total = work.convolution((1, 64, size // 2, size // 2), (64, 3, 7, 7))
    inputs, side = 64, size // 4
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            before = side
            side = side // 2 if stage and not block else side
            total += work.convolution((1, width, before, before), (width, inputs, 1, 1))
            total += work.convolution((1, width, side, side), (width, width, 3, 3))
            out = (1, 4 * width, side, side)
            total += work.convolution(out, (4 * width, width, 1, 1))
            if not block:
                total += work.convolution(out, (4 * width, inputs, 1, 1))
            inputs = 4 * width
    return total + work.product((1, 2048), (2048, 1000))


@pytest.mark.parametrize(("size", "macs"), [(224, 4089184256), (64, 335691776)])
def test_the_multiply_adds_of_resnet50(size, macs):
    assert resnet50(size) == macs


@pytest.mark.parametrize(("a", "b"), [((2, 3), (4, 5)), ((3,), (3, 1)),
                                      ((2, 1, 3), (3, 3, 1))])  # fmt: skip
def test_products_that_do_not_fit_are_refused(a, b):
    with pytest.raises(ValueError, match=r"\[product\]"):
        work.product(a, b)


def test_convolutions_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"\[convolution\]"):
        work.convolution((1, 8, 4, 4), (6, 3, 5, 5))


@pytest.mark.parametrize(("rows", "counts", "least"), [
    # Arithmetic: 8,192 multiply-adds on one multiprocessor of 82, 35.58e12 a second.
    (1, (8192, 132, 1, 37), 37.8e-9), (64, (32768, 768, 64, 352), 37.8e-9),
])  # fmt: skip
def test_a_product_on_one_multiprocessor_each(rows, counts, least):
    x = minitorch.ones(rows, 32, dtype="float32").to("cuda")
    weight = minitorch.ones(8, 32, dtype="float32").to("cuda")
    w = weight.permute(1, 0)  # as nn.Linear keeps it
    with cuda.inspect(library=True, footprint=True) as run:
        assert (x @ w).shape == (rows, 8)
    (launch,) = run.launches
    gpu = kernel_facts.gpu_named("rtx3090")
    executed, loaded, stored, touched = counts
    assert kernel_facts.macs_executed(launch.counters) == executed
    found = kernel_facts.sectors(launch.counters)
    assert (found.loaded, found.stored) == (loaded, stored)
    moved = kernel_facts.moved(launch.counters, launch.footprint)
    assert moved.touched.either == 32 * touched
    blocks = int(np.prod(launch.grid))
    bound = kernel_facts.at_least(launch.counters, moved.touched, gpu, blocks)
    assert bound.compute_seconds == pytest.approx(least, rel=2e-3)
    # 4 warp instructions a clock of 1.695 GHz, on each multiprocessor with a block.
    issued = launch.counters["ptx_warp_instructions"] / (4 * blocks * 1.695e9)
    assert bound.issue_seconds == pytest.approx(issued, rel=1e-3)
    assert (bound.seconds, bound.bound) == (bound.issue_seconds, "issue")


def test_unknown_cards_are_refused():
    with pytest.raises(ValueError, match="rtx3090"):
        kernel_facts.gpu_named("rtx")
    with pytest.raises(TypeError, match="need a name"):
        kernel_facts.gpu_named(3090)


def test_what_a_kernel_may_write_is_in_its_signature():
    text = _core.library_source("max_pool2d.cu")
    assert kernel_facts.written_parameters(text, "max_pool2d") == {"out", "at"}
    assert kernel_facts.written_parameters(text, "other") == set()


def test_copies_share_nothing_and_keep_what_belongs_together():
    net = nn.Linear(3, 2)
    x = minitorch.ones(1, 3)
    result = net(x)
    call = Call(lambda *_: None, (net, [net, result], x)).copied("cuda")
    copy, (same, made), y = call.arguments
    assert copy is same
    assert copy is not net
    assert {each.device for each in [made, y, *parameters_within(copy)]} == {"cuda"}
    assert {each.device for each in parameters_within(net)} == {"cpu"}
    assert result.device == "cpu"
    names = [name for name, _ in call.roots(["net", "rest"])]
    assert names == ["net", "rest.0"]


def test_what_cannot_be_copied_is_named(tmp_path):
    with (tmp_path / "x").open("w") as file, pytest.raises(TypeError, match="argument"):
        Call(print, (file,)).copied()


def test_random_numbers_go_on_as_if_nothing_were_drawn():
    minitorch.manual_seed(3)
    first = minitorch.rand(2).numpy().tolist()
    minitorch.manual_seed(3)
    with ThreadModes.now().within():
        assert minitorch.rand(2).numpy().tolist() == first
        minitorch.rand(9)
    assert minitorch.rand(2).numpy().tolist() == first
