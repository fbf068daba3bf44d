"""That each row of op_samples runs, with the kernels and lines that are expected."""

from __future__ import annotations

import functools
import re

import pytest

import minitorch
import minitorch.functional as F
from minitorch.network.sources.op_samples import SAMPLES, SAMPLES_BY_NAME

from .source_tree import ROOT

NAMES = [each.name for each in SAMPLES]
DATA = ROOT / "tests" / "python" / "data"


def expected_kernels():
    """Files of the kernels that run each sample forward on cuda, but for map.cu."""
    lines = (DATA / "op_kernels.txt").read_text().splitlines()
    rows = (line.split(":") for line in lines if not line.startswith("#"))
    return {
        name: tuple(f"{kernel}.cu" for kernel in kernels.split())
        for names, kernels in rows
        for name in names.split()
    }


KERNELS = expected_kernels()

#: Ops whose scopes no sample has: numbers of a captured graph, a learner's functions in
#: upstream's manner, gradients of gradients of pooling and of views changed in place.
WITHOUT_SAMPLE = {"place_random", "map", "zip", "reduce", "pick", "put", "clear"}

#: What a line of the hierarchy holds, by kind.
HOLDS = {
    "autograd": "OpScope scope(",
    "op": "OpScope scope(",
    "backward": "OpScope scope(node->name()",
    "loop": "HostLoop loop(",
    "kernel": "__global__",
}


@functools.cache
def found(name):
    return minitorch.source(name)


def forward_files(source):
    """Files of the kernels on the way forward, each once, in order."""
    each = (e for e in source.passes if (e.device, e.direction) == ("cuda", "forward"))
    return tuple(dict.fromkeys(kernel.file for one in each for kernel in one.kernels))


@pytest.mark.cuda
@pytest.mark.parametrize("name", NAMES)
def test_the_kernels_of_a_row_ran(name):
    assert forward_files(found(name)) == KERNELS.get(name, ("map.cu",))
    for kernel in found(name).kernels:
        assert kernel.text == (ROOT / "cpp" / "kernels" / kernel.file).read_text()
        assert kernel.launches >= 1
        assert 1 <= kernel.block[0] <= 1024


@pytest.mark.cuda
@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_a_row_are_there(name):
    steps = [s for each in found(name).passes for top in each.steps for s in top.walk()]
    assert steps
    for step in steps:
        if step.kind == "copy":
            continue
        file, _, line = step.place.rpartition(":")
        lines = (ROOT / file).read_text().splitlines()
        # A statement of two lines is told by either.
        text = "\n".join(lines[max(int(line) - 2, 0) : int(line) + 1])
        assert HOLDS.get(step.kind, "") in text, (step, text)
        if step.kind == "kernel":
            assert re.search(rf"\b{step.name}\(", text), (step, text)


@pytest.mark.cuda
@pytest.mark.parametrize("name", NAMES)
def test_both_devices_go_the_same_way(name):
    """The same ops, forward and back: only the last step differs."""
    ways = {"cpu": [], "cuda": []}
    for each in found(name).passes:
        steps = [s for top in each.steps for s in top.walk()]
        kinds = {s.kind for s in steps}
        assert not kinds & ({"kernel", "fill"} if each.device == "cpu" else {"loop"})
        ways[each.device].append(each.direction)
    assert ways["cpu"] == ways["cuda"]


@pytest.mark.parametrize("name", sorted({*F.__all__, *F._HIDING}))
def test_each_function_has_a_row(name):
    row = SAMPLES_BY_NAME[name]
    assert row.call is getattr(F, name)


def test_names_are_told_apart():
    assert len(set(NAMES)) == len(NAMES)
    assert KERNELS.keys() <= set(NAMES)


@pytest.mark.cuda
def test_each_op_of_the_library_is_in_a_sample():
    """Ops with a fixed name, by the texts of cpp/ops and cpp/autograd."""
    written = {
        name
        for room in ("ops", "autograd")
        for path in (ROOT / "cpp" / room).glob("*.cpp")
        for name in re.findall(r'OpScope scope\("(\w+)"', path.read_text())
    }
    ran = {
        step.name
        for name in NAMES
        for each in found(name).passes
        for top in each.steps
        for step in top.walk()
        if step.kind in ("autograd", "op")
    }
    assert len(written) > 50
    assert written - ran == WITHOUT_SAMPLE


def test_each_loop_of_an_op_tells_of_itself():
    """What cpp/ops calls in cpp/cpu begins with a HostLoop; the rest is no loop."""
    no_loops = {"add_row", "blas_can_read", "for_rows", "make_nest"}
    no_loops |= {"parse_scalar_type", "works_in_place"}
    called = {
        name
        for path in (ROOT / "cpp" / "ops").glob("*.cpp")
        for name in re.findall(r"\bcpu::([a-z]\w*)(?:<[^<>]*>)?\(", path.read_text())
    }
    texts = "".join(p.read_text() for p in (ROOT / "cpp" / "cpu").glob("*.cpp"))
    told = set(re.findall(r'HostLoop loop\("(\w+)"\)', texts))
    assert len(called) > 20
    assert called - told == no_loops
    for name in told - {"run"}:  # of ScalarProgram
        assert re.search(rf"\b{name}\([^;{{]*\) \{{\n  const base::HostLoop", texts)
