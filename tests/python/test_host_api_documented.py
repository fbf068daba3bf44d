"""Owns the test that the page of the host's names lists what there is, and no more."""

from __future__ import annotations

import re

import pytest

from minitorch import cuda

from .source_tree import ROOT

PAGE = (ROOT / "docs" / "host_api.md").read_text()
ROWS = re.findall(r"^\| (`[^`]+`)? ?\| (.*?) \|.*\|$", PAGE, re.MULTILINE)

OURS = {"DeviceNDArray": "DeviceArray"}
ABSENT = {"open_ipc_array"}

# Modules whose exported functions the page lists.
MODULES = {
    f"minitorch.cuda.{name}"
    for name in (
        "arrays.array_creation",
        "arrays.array_interface",
        "device.detection",
        "device.devices",
        "device.event",
        "device.graphs",
        "arrays.host_memory",
        "random",
        "python_kernels.reduce_kernel",
        "device.stream",
        "device.versions",
    )
}


def numba_names() -> list[str]:
    return [first.strip("`") for first, _ in ROWS if first]


def test_the_page_has_rows():
    assert len(numba_names()) > 60
    assert len(numba_names()) == len(set(numba_names()))


@pytest.mark.cuda
@pytest.mark.parametrize("name", numba_names())
def test_every_name_is_here(name):
    first, *rest = name.split(".")
    if first in ABSENT:
        assert not hasattr(cuda, first)
        return
    found = getattr(cuda, OURS.get(first, first))
    for part in rest:
        found = getattr(found() if found is cuda.Device else found, part)


def test_every_function_is_on_the_page():
    first_parts = {name.partition(".")[0] for name in numba_names()}
    found = {
        name
        for name in cuda.__all__
        if getattr(getattr(cuda, name), "__module__", None) in MODULES
        and name[0].islower()
    }
    assert len(found) > 30
    ours = set(re.findall(r"\b([a-z_]+)\(", " ".join(second for _, second in ROWS)))
    assert not found - first_parts - ours
