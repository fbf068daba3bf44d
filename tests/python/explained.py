"""Explanations by hand, of the form that `minitorch.explain` gives.

The forum's MyModel, by the table of its kernels: blocks, multiply-adds, sectors.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from minitorch.network import Explanation, Kernel, Layer, Op
from minitorch.network.records import (
    ArrayUse,
    Asked,
    AtLeast,
    Gpu,
    Moved,
    Residency,
    Touched,
)

NAMES = ("matmul_tiled", "zip", "map", "matmul_tiled", "zip")
OPS = ("matmul", "add", "relu", "matmul", "add")
LAYERS = (1, 1, 0, 2, 2)
# By batch: blocks, useful and executed multiply-adds, sectors loaded, stored, touched.
TABLE = {
    1: (
        (1, 256, 8192, 132, 1, 37),
        (1, 0, 0, 2, 1, 3),
        (1, 0, 0, 1, 1, 2),
        (1, 8, 4096, 5, 1, 3),
        (1, 0, 0, 2, 1, 3),
    ),
    64: (
        (4, 16384, 32768, 768, 64, 352),
        (2, 0, 0, 80, 64, 129),
        (2, 0, 0, 64, 64, 128),
        (4, 512, 16384, 80, 32, 73),
        (1, 0, 0, 10, 8, 17),
    ),
}


RTX3090 = Gpu("rtx3090", "RTX 3090", 82, 48, 1.695, 936e9, 6 << 20, {"single": 35.6e12})


def array(name, shape, strides=()):
    return ArrayUse(name, shape, "float32", 4096, 4 * prod(shape), strides)


def _arrays(at, batch):
    """Inputs and outputs of a kernel of MyModel."""
    wide = 8 if at < 3 else 1
    found = {"outputs": (array("out", (batch, wide), (wide, 1)),)}
    one = array("a", (batch, wide))
    if NAMES[at] == "matmul_tiled":
        inner = 32 if at == 0 else 8
        one = array("a", (batch, inner), (inner, 1))
        return found | {"inputs": (one, array("b", (inner, wide), (1, inner)))}
    if NAMES[at] == "zip":
        return found | {"inputs": (one, array("b", (wide,)))}
    return found | {"inputs": (one,)}


def _owners(at, batch):
    """A block of 16 x 16 threads owns 16 rows of a product; else threads go along."""
    wide = 8 if at < 3 else 1
    if NAMES[at] != "matmul_tiled":
        return tuple(range(batch * wide))
    return tuple(
        row // 16 * 256 + row % 16 * 16 + column
        for row in range(batch)
        for column in range(wide)
    )


def _moved(at, batch):
    _, _, executed, loaded, stored, touched = TABLE[batch][at]
    return Moved(
        registers=16 * executed,
        shared=8 * executed,
        asked=Asked(32 * loaded, 32 * stored),
        touched=Touched(32 * (touched - stored), 32 * stored, 32 * touched),
    )


def _least(memory, compute):
    bound = "compute" if compute > memory else "memory"
    return AtLeast(max(memory, compute), bound, memory, compute, 0.0)


def _kernel(at, batch):
    blocks, useful, executed, *_, touched = TABLE[batch][at]
    tiled = NAMES[at] == "matmul_tiled"
    peak = 35.6e12 * blocks / 82
    return Kernel(
        index=at, name=NAMES[at], file=f"{NAMES[at]}.cu", layer=LAYERS[at], op=at,
        layer_name=("", "layer1", "layer2")[LAYERS[at]], op_name=OPS[at],
        python_line="net.py:9", grid=(1, blocks, 1) if tiled else (blocks, 1, 1),
        block=(16, 16, 1) if tiled else (256, 1, 1), blocks=blocks, threads=256,
        source="", macs_useful=useful, macs_executed=executed,
        moved=_moved(at, batch),
        occupancy=Residency(6, 48, 48, "warps"), sms_used=blocks, waves=1,
        sm_of_block="b mod 82", noted_places=None, sms=82,
        at_least=_least(32 * touched / 936e9, 2 * executed / peak), seconds=None,
        **_arrays(at, batch),
    )  # fmt: skip


def _layer(name, type_, parameters=0):
    return Layer(name, type_, None, (), None, parameters, 4 * parameters, 1, ())


def _op(name, layer):
    return Op(name, layer, None, False, (), (), "", "", 0, ())


def my_model(batch=1):
    """What `minitorch.explain(MyModel(), x)` gives, by hand."""
    owners = {at: _owners(at, batch) for at in range(5)}
    return Explanation(
        call="MyModel",
        gpu=RTX3090,
        layers=(
            _layer("", "MyModel", 273), _layer("layer1", "Linear"),
            _layer("layer2", "Linear"),
        ),
        ops=tuple(map(_op, OPS, LAYERS)),
        kernels=tuple(_kernel(at, batch) for at in range(5)),
        _neuron=None,
        _owners=lambda: owners,
    )  # fmt: skip


def with_kernel(explained, at=0, **changes):
    """Return the explanation with another kernel, who writes what of it unknown."""
    kernels = list(explained.kernels)
    kernels[at] = replace(kernels[at], **changes)
    owners = {number: own for number, own in explained.owners().items() if number != at}
    return replace(explained, kernels=tuple(kernels), _owners=lambda: owners)


def deep(blocks=8):
    """A network of residual blocks: 7 launches each, with large grids, by hand."""
    layers, ops, kernels = [_layer("", "ResNet", 11_689_512)], [], []
    for block in range(blocks):
        path = f"layer{block // 2 + 1}.{block % 2}"
        layers.append(_layer(path, "BasicBlock"))
        for part in ("conv1", "bn1", "relu", "conv2", "bn2", "", "relu"):
            layer = len(layers) - 1
            if part:
                layer = len(layers)
                layers.append(_layer(f"{path}.{part}", part.title()))
            name = {"conv": "conv2d", "bn": "batch_norm"}.get(part[:-1], part or "add")
            kernel = _large(len(kernels), layer, part)
            named = {"layer_name": layers[layer].name, "op_name": name}
            kernels.append(replace(kernel, **named))
            ops.append(_op(name, layer))
    return Explanation(
        "ResNet", RTX3090, tuple(layers), tuple(ops), tuple(kernels), None, dict
    )


def _large(index, layer, part):
    """A launch over (1, 64, 56, 56): one thread an element."""
    conv, shape = part.startswith("conv"), (1, 64, 56, 56)
    macs, sectors = 64 * 56 * 56 * 576 * conv, 64 * 56 * 56 // 8
    name, size = "conv2d" if conv else "map", 32 * sectors
    return replace(
        _kernel(1, 1), index=index, name=name, file=f"{name}.cu", layer=layer, op=index,
        grid=(784, 1, 1), blocks=784, sms_used=82, waves=2, macs_useful=macs,
        macs_executed=macs, outputs=(array("out", shape),), inputs=(array("x", shape),),
        moved=Moved(12 * macs, 0, Asked(size * (144 if conv else 1), size),
                    Touched(size, size, 2 * size)),
        at_least=_least(1.7e-6, 1.3e-5 * conv),
    )  # fmt: skip
