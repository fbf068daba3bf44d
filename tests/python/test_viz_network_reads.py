"""Tests of what the network view knows of the library's kernels: against traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import Tensor, cuda, nn, viz
from minitorch import functional as F
from minitorch.viz.views.network.output_view import sheet_of
from minitorch.viz.views.network.writers import goes_along, owners_of

from .explained import array, my_model
from .picture import check
from .test_viz_network import tagged


def cells(*shape: int) -> Tensor:
    numbers = np.random.default_rng(0).normal(size=shape)
    return minitorch.tensor(numbers, dtype="float32", device="cuda")


def step_of(optimizer: Callable[..., Any]) -> Callable[[], Any]:
    weight = nn.Parameter(cells(300))
    weight.grad = cells(300)
    return optimizer([weight], lr=0.1).step


def back(function: Callable[[Tensor], Tensor], *shape: int) -> Callable[[], Any]:
    x = cells(*shape).requires_grad_(True)
    return lambda: function(x).sum().backward()


def norm() -> Callable[[], Any]:
    layer = nn.BatchNorm2d(3, dtype="float32", device="cuda").eval()
    return lambda: layer(cells(2, 3, 20, 20))


def evened(x: Tensor) -> Tensor:
    return F.conv2d(x, cells(4, 2, 3, 3), stride=2, padding=1)


CALLS: dict[str, Callable[[], Callable[[], Any]]] = {
    "map": lambda: lambda: cells(17, 31).relu(),
    "zip": lambda: lambda: cells(17, 31) + cells(31),
    "zip_number": lambda: lambda: cells(17, 31) * 2,
    "conv2d": lambda: lambda: evened(cells(2, 2, 15, 15)),
    "conv2d_grad_input": lambda: back(evened, 2, 2, 15, 15),
    "max_pool2d": lambda: lambda: F.max_pool2d(cells(2, 3, 16, 16), 2),
    "max_pool2d_grad": lambda: back(lambda x: F.max_pool2d(x, 2), 2, 3, 16, 16),
    "avg_pool2d": lambda: lambda: F.avg_pool2d(cells(2, 3, 16, 16), 2),
    "avg_pool2d_grad": lambda: back(lambda x: F.avg_pool2d(x, 2), 2, 3, 16, 16),
    "matmul_tiled": lambda: lambda: cells(3, 20, 17) @ cells(3, 17, 33),
    "normalise": norm,
    "sgd": lambda: step_of(minitorch.SGD),
    "adam": lambda: step_of(minitorch.optim.Adam),
    "clamp": lambda: lambda: cells(17, 31).clamp(-1, 1),
    "where": lambda: lambda: minitorch.where(cells(9) > 0, cells(9), cells(9)),
}


def stored_by(launch: cuda.Launch, argument: Any) -> list[int]:
    """The thread that a trace says stored each cell of a contiguous array."""
    trace, found = launch.trace, [-1] * int(np.prod(argument.shape))
    threads, item = int(np.prod(launch.block)), argument.dtype.itemsize
    stores = np.flatnonzero(np.char.startswith(trace.opcode, "st.global"))
    for step in stores:
        first = int(trace.block[step]) * threads + 32 * int(trace.warp[step])
        for lane, address in enumerate(trace.addresses[step].tolist()):
            cell, rest = divmod(address - argument.pointer, item)
            if address and not rest and 0 <= cell < len(found):
                found[cell] = first + lane
    return found


@pytest.mark.parametrize("kernel", CALLS)
def test_traces_agree_on_who_writes_which_cell(kernel):
    call = CALLS[kernel]()
    with cuda.inspect(trace=True, library=True) as run:
        call()
    launch = next(each for each in run.launches if each.kernel == kernel)
    written = {"conv2d_grad_input": "dx", "max_pool2d_grad": "dx", "normalise": "y",
               "avg_pool2d_grad": "dx", "sgd": "value", "adam": "value"}  # fmt: skip
    name = written.get(kernel, "out")
    out = next(each for each in launch.arguments if each.name == name)
    truth, (grid, block) = stored_by(launch, out), (launch.grid, launch.block)
    strides = [step // out.dtype.itemsize for step in out.strides]
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    assert launch.source_file.endswith(f"/{kernel}.cu")
    if goes_along(kernel, out.shape, strides, blocks, threads):
        assert truth == [*range(len(truth))]
    else:
        assert truth == [*owners_of(kernel, out.shape, grid, block)]


def with_first(**changes: Any) -> dict[str, Any]:
    """The forum's model, its first kernel another."""
    explained = my_model(64)
    explained["kernels"][0] |= {"owners": None, "macs_useful": 0, **changes}
    return explained


def along(name: str, cells: int, **changes: Any) -> dict[str, Any]:
    blocks = -(-cells // 256)
    return with_first(
        name=name, file=f"{name}.cu", grid=[blocks, 1, 1], block=[256, 1, 1],
        blocks=blocks, macs_executed=0, **changes,
    )  # fmt: skip


def test_a_repeated_operand_is_named_as_it_lies():
    """(300, 40) + (40,): the launch has b as (300, 40) with a step of 0 along rows."""
    explained = along(
        "zip", 12_000, outputs=[array("out", (300, 40), (40, 1))],
        inputs=[array("a", (300, 40), (40, 1)), array("b", (300, 40), (0, 1))],
    )  # fmt: skip
    figure = viz.network(explained, 0, block=2, thread=(100,))
    check(figure)  # cell 2 * 256 + 100 = 612 = 15 * 40 + 12
    assert tagged(figure, "thread1") == "writes out[15, 12]"
    assert tagged(figure, "thread2") == "reads a[15, 12] and b[12]"
    explained["kernels"][0]["inputs"][1] = array("b", (300, 40), (1, 0))
    figure = viz.network(explained, 0, block=2, thread=100)
    assert tagged(figure, "thread2") == "reads a[15, 12] and b[15, 0]"


def test_threads_beyond_the_cells_write_none():
    """12,000 cells: 46 blocks of 256, and 224 threads of the last one."""
    explained = along(
        "map", 12_000, outputs=[array("out", (12_000,), (1,))],
        inputs=[array("in", (12_000,), (1,))],
    )  # fmt: skip
    figure = viz.network(explained, 0, block=46, thread=223)
    assert tagged(figure, "thread1") == "writes out[11999]"
    assert tagged(figure, "thread2") == "reads in[11999]"
    figure = viz.network(explained, 0, block=46, thread=224)
    check(figure)
    assert tagged(figure, "thread0") == "it writes no cell: it is past the end"


def test_a_convolution_names_the_weight_of_a_product():
    """1 x 6 x 28 x 28 from 5 x 5 windows: 25 products; cell 1000 is of channel 1."""
    explained = along(
        "conv2d", 4704,
        outputs=[array("out", (1, 6, 28, 28), (4704, 784, 28, 1))],
        inputs=[array("x", (1, 1, 32, 32), (1024, 1024, 32, 1)),
                array("w", (6, 1, 5, 5), (25, 25, 5, 1))],
    )  # fmt: skip
    explained["kernels"][0] |= {"macs_useful": 117_600, "macs_executed": 117_600}
    figure = viz.network(explained, 0, block=3, thread=232)
    check(figure)
    assert tagged(figure, "thread2") == "reads its window of x, and 25 of w"
    assert tagged(figure, "strip-words") == "25 multiply-adds for a cell, each useful"
    assert tagged(figure, "thread3") == "multiply-add 1 of 25"
    assert tagged(figure, "thread5") == "× w[1, 0, 0, 0]"


def test_of_other_kernels_only_the_names_are_told():
    """A learner's kernel that is called as one of the library's is not one."""
    inputs = [array(name, (8,), (1,)) for name in "abcde"]
    explained = along("map", 8, outputs=[array("out", (8,), (1,))], inputs=inputs)
    explained["kernels"][0] |= {"file": "train.py"}
    figure = viz.network(explained, 0)
    check(figure)
    assert tagged(figure, "thread1") == ""
    assert tagged(figure, "thread2") == "the kernel reads a, b, c and 2 more"
    explained = along("reduce", 8, outputs=[array("out", (8,), (1,))], inputs=inputs)
    assert (
        tagged(viz.network(explained, 0), "thread2")
        == "threads share the cells that become one"
    )


def test_one_row_is_broken_to_be_seen():
    """1 x 120 cells: in one line 2.3 pixels each, broken at least three times that."""
    explained = with_first(
        grid=[8, 1, 1], outputs=[array("out", (1, 120), (120, 1))],
        inputs=[array("a", (1, 400), (400, 1)), array("b", (400, 120), (1, 400))],
    )  # fmt: skip
    figure = viz.network(explained, 0, block=7, thread=(7, 0))
    check(figure)
    assert tagged(figure, "thread1") == "writes out[0, 119]"
    sheet = sheet_of(figure.data.kernels[0])
    assert sheet is not None
    assert sheet.pitch > 7
    assert sheet.across * sheet.down >= 120
