"""Tests of what a profile takes from the core beside times: results, numbers."""

from __future__ import annotations

import pytest

import minitorch
from minitorch import _core, cuda, nn

pytestmark = pytest.mark.cuda


def scopes_of(call, shapes=True):
    recording = _core.Recording.open(shapes=shapes)
    call()
    recording.close()
    return [scope for scope in recording.scopes() if scope["kind"] == "op"]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_convolutions_know_their_results(device):
    """(9 + 2 · 1 − 3) ÷ 2 + 1 = 5 rows and columns."""
    conv = nn.Conv2d(3, 4, 3, stride=2, padding=1, device=device)
    x = minitorch.ones(2, 3, 9, 9, requires_grad=True).to(device)
    scopes = scopes_of(lambda: conv(x).sum().backward())
    results = {scope["name"]: scope["output"] for scope in scopes}
    assert results["conv2d"] == (2, 4, 5, 5)
    assert results["conv2d_grad_weight"] == (4, 3, 3, 3)
    assert results["sum"] is None


def test_results_are_shapes_and_kept_with_them():
    conv = nn.Conv2d(1, 1, 2)
    scopes = scopes_of(lambda: conv(minitorch.ones(1, 1, 3, 3)), shapes=False)
    assert {scope["output"] for scope in scopes} == {None}


def test_a_convolution_that_is_refused_has_no_result():
    def call():
        with pytest.raises(ValueError, match="conv2d"):
            minitorch.functional.conv2d(
                minitorch.ones(1, 1, 2, 2), minitorch.ones(1, 1, 3, 3)
            )

    assert {scope["output"] for scope in scopes_of(call)} <= {None}


def test_an_inspected_launch_has_its_works_number():
    if not cuda.is_emulated():
        pytest.skip("only the emulator inspects")
    x = minitorch.ones(4, device="cuda")
    recording = _core.Recording.open(device=True)
    with cuda.inspect(library=True) as run:
        x + x
        x * x
    recording.close()
    kernels = [work for work in recording.works() if work["kind"] == "kernel"]
    assert [launch.number for launch in run.launches] == [
        work["launch"] for work in kernels
    ]
    assert len({work["launch"] for work in kernels}) == 2


@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        # A T4's multiprocessor: 1,024 threads, 16 blocks, 65,536 registers, 64 KiB.
        ((64, 32, 0, 0), 16),
        ((256, 32, 0, 0), 4),
        ((1024, 32, 0, 0), 1),
        ((256, 128, 0, 0), 2),  # 32,768 registers a block
        ((64, 32, 0, 16384), 4),
        ((64, 32, 8192, 8192), 4),
        ((2048, 32, 0, 0), 0),  # no such block
    ],
)
def test_blocks_that_a_multiprocessor_holds(needs, expected):
    if cuda.device_name().split(" (")[0] != "Tesla T4":
        pytest.skip("the numbers are of a T4")
    assert _core.resident_blocks(*needs) == expected
