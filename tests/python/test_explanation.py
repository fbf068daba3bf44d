"""What is derived of a launch for a card; explanations as text; copies."""

from __future__ import annotations

import pytest

from minitorch import _core
from minitorch.network import kernel_facts

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


def test_what_a_kernel_may_write_is_in_its_signature():
    text = _core.library_source("max_pool2d.cu")
    assert kernel_facts.written_parameters(text, "max_pool2d") == {"out", "at"}
    assert kernel_facts.written_parameters(text, "other") == set()
