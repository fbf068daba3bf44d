"""Explanations by hand, of the form that `minitorch.explain` gives.

The forum's MyModel, by the table of its kernels: blocks, multiply-adds, sectors.
"""

from __future__ import annotations

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


def array(name, shape, strides=()):
    size = 4
    for each in shape:
        size *= each
    return {
        "parameter": name,
        "shape": list(shape),
        "dtype": "float32",
        "address": 4096,
        "bytes": size,
        "strides": list(strides),
    }


def _arrays(at, batch):
    """Inputs and outputs of a kernel of MyModel."""
    wide = 8 if at < 3 else 1
    out = [array("out", (batch, wide))]
    if NAMES[at] == "matmul_tiled":
        inner = 32 if at == 0 else 8
        one = array("a", (batch, inner), (inner, 1))
        return [one, array("b", (inner, wide), (1, inner))], out
    if NAMES[at] == "zip":
        return [array("a", (batch, wide)), array("b", (wide,))], out
    return [array("a", (batch, wide))], out


def _owners(at, batch):
    """A block of 16 x 16 threads owns 16 rows of a product; else threads go along."""
    wide = 8 if at < 3 else 1
    if NAMES[at] != "matmul_tiled":
        return list(range(batch * wide))
    return [
        row // 16 * 256 + row % 16 * 16 + column
        for row in range(batch)
        for column in range(wide)
    ]


def _moved(at, batch):
    _, _, executed, loaded, stored, touched = TABLE[batch][at]
    return {
        "registers": 16 * executed,
        "shared": 8 * executed,
        "asked": {"read": 32 * loaded, "written": 32 * stored},
        "touched": {
            "read": 32 * (touched - stored),
            "written": 32 * stored,
            "either": 32 * touched,
        },
    }


def _least(memory, compute):
    return {
        "seconds": max(memory, compute),
        "bound": "compute" if compute > memory else "memory",
        "memory_seconds": memory,
        "compute_seconds": compute,
        "issue_seconds": 0.0,
    }


def _kernel(at, batch):
    blocks, useful, executed, loaded, stored, touched = TABLE[batch][at]
    tiled = NAMES[at] == "matmul_tiled"
    inputs, outputs = _arrays(at, batch)
    peak = 35.6e12 * blocks / 82
    return {
        "index": at,
        "name": NAMES[at],
        "file": f"{NAMES[at]}.cu",
        "layer": LAYERS[at],
        "op": at,
        "python_line": "net.py:9",
        "grid": [1, blocks, 1] if tiled else [blocks, 1, 1],
        "block": [16, 16, 1] if tiled else [256, 1, 1],
        "blocks": blocks,
        "threads": 256,
        "source": "",
        "macs_useful": useful,
        "macs_executed": executed,
        "moved": _moved(at, batch),
        "sectors": {"loaded": loaded, "stored": stored},
        "occupancy": {"blocks_per_sm": 6, "warps": 48, "of": 48, "limit": "warps"},
        "sms_used": blocks,
        "waves": 1,
        "sm_of_block": "b mod 82",
        "at_least": _least(32 * touched / 936e9, 2 * executed / peak),
        "seconds": None,
        "inputs": inputs,
        "outputs": outputs,
        "owners": _owners(at, batch),
    }


def my_model(batch=1):
    """What `minitorch.explain(MyModel(), x).to_dict()` gives, by hand."""
    kernels = [_kernel(at, batch) for at in range(5)]
    return {
        "schema": "minitorch.explain/1",
        "call": "MyModel",
        "gpu": {"name": "rtx3090", "title": "RTX 3090", "sms": 82, "bandwidth": 936e9},
        "layers": [
            {"name": "", "type": "MyModel"},
            {"name": "layer1", "type": "Linear"},
            {"name": "layer2", "type": "Linear"},
        ],
        "ops": [
            {"name": name, "layer": LAYERS[at], "backward": False}
            for at, name in enumerate(OPS)
        ],
        "kernels": kernels,
        "totals": {"kernels": 5, "parameters": 273, "parameter_bytes": 1092},
    }


def deep(blocks=8, batch=1):
    """A network of residual blocks: 7 launches each, with large grids, by hand."""
    found = my_model(batch)
    layers, ops, kernels = [{"name": "", "type": "ResNet"}], [], []
    for block in range(blocks):
        path = f"layer{block // 2 + 1}.{block % 2}"
        layers.append({"name": path, "type": "BasicBlock"})
        for part in ("conv1", "bn1", "relu", "conv2", "bn2", "", "relu"):
            layer = len(layers) - 1
            if part:
                layer = len(layers)
                layers.append({"name": f"{path}.{part}", "type": part.title()})
            kernels.append(_large(len(kernels), layer, part))
            name = {"conv": "conv2d", "bn": "batch_norm"}.get(part[:-1], part or "add")
            ops.append({"name": name, "layer": layer, "backward": False})
    totals = {"kernels": len(kernels), "parameters": 11_689_512}
    totals["parameter_bytes"] = 46_758_048
    found |= {"call": "ResNet", "layers": layers, "ops": ops, "kernels": kernels}
    return found | {"totals": totals}


def _large(index, layer, part):
    """A launch over (1, 64, 56, 56): one thread an element."""
    found = _kernel(1, 1)
    conv, shape = part.startswith("conv"), (1, 64, 56, 56)
    macs, sectors = 64 * 56 * 56 * 576, 64 * 56 * 56 // 8
    name = "conv2d" if conv else "map"
    found |= {"index": index, "name": name, "file": f"{name}.cu", "layer": layer}
    found |= {"op": index, "grid": [784, 1, 1], "blocks": 784, "sms_used": 82}
    found |= {"waves": 2, "owners": None, "macs_useful": macs * conv}
    found |= {"macs_executed": macs * conv, "outputs": [array("out", shape)]}
    found |= {"inputs": [array("x", shape)]}
    asked = {"read": 32 * sectors * (144 if conv else 1), "written": 32 * sectors}
    touched = {"read": 32 * sectors, "written": 32 * sectors, "either": 64 * sectors}
    found["moved"] = {"registers": 12 * macs * conv, "shared": 0, "asked": asked,
                      "touched": touched}  # fmt: skip
    found["at_least"] = _least(1.7e-6, 1.3e-5 * conv)
    return found
