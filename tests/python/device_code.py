"""Launches of small device expressions over arrays, for the tests of headers."""

from __future__ import annotations

from importlib import resources

import numpy as np

from minitorch import cuda

FOLDER = resources.files("minitorch.cuda.language") / "headers"
HEADERS = {
    each.name: each.read_text()
    for each in FOLDER.iterdir()
    if each.name.endswith(".cuh")
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.3, 3.7, -20.5, 1e-20, -1e-20, 100.0]
FAR = [1e30, -1e30, np.inf, -np.inf]
TYPES = {
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}


def run(code: str, *arrays: np.ndarray, block: int = 32, grid: int = 1) -> list:
    """Launch `kernel` of the code with copies of the arrays; give the arrays after."""
    module = cuda.RawModule(code=code, headers=HEADERS)
    copies = [cuda.to_device(each) for each in arrays]
    module.get_function("kernel")(grid, block, tuple(copies))
    return [each.copy_to_host() for each in copies]


def elementwise(header: str, expression: str, result: str, *inputs) -> np.ndarray:
    """Compute `expression` of x (and y) for each element."""
    given = [np.ascontiguousarray(each) for each in inputs]
    names = [_c_type(each.dtype) for each in given]
    reads = " ".join(
        f"const {kind} {name} = {name}s[i];"
        for kind, name in zip(names, "xy", strict=False)
    )
    pointers = ", ".join(
        f"const {kind}* {name}s" for kind, name in zip(names, "xy", strict=False)
    )
    out = np.zeros(given[0].size, result)
    code = f"""#include "{header}"
    extern "C" __global__ void kernel({pointers}, {_c_type(out.dtype)}* out) {{
      int i = blockIdx.x; {reads} out[i] = {expression};
    }}"""
    raw = [each.view(_plain(each.dtype)) for each in given]
    flat = out.view(_plain(out.dtype))
    return run(code, *raw, flat, grid=out.size, block=1)[-1].view(out.dtype)


def _c_type(dtype: np.dtype) -> str:
    complex_types = {"complex64": "Complex<float>", "complex128": "Complex<double>"}
    small = {"int8": "signed char", "uint8": "unsigned char", "bool": "bool"}
    return (TYPES | complex_types | small | {"int16": "short"})[dtype.name]


def _plain(dtype: np.dtype) -> np.dtype:
    return np.empty(0, dtype).real.dtype


def pairs(*values: float) -> tuple[np.ndarray, np.ndarray]:
    grid = np.meshgrid(values, values)
    return grid[0].ravel(), grid[1].ravel()


def same(got, expected, rtol: float) -> None:
    for part in ("real", "imag"):
        np.testing.assert_allclose(
            getattr(got, part), getattr(expected, part), rtol=rtol, atol=1e-300
        )


def plane(dtype: str, *values: float) -> np.ndarray:
    real, imag = pairs(*values)
    out = np.empty(real.size, dtype)
    out.real, out.imag = real, imag
    return out
