"""Owns the check that an installed wheel works, with and without NVRTC."""

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np

import minitorch
import minitorch_cuda
from minitorch import cuda

PLUGIN = "minitorch_cuda_pytest"
CODE = """
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""


@cuda.jit
def three_times(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 3


def main() -> None:
    package = Path(minitorch.__file__).parent
    assert (package / "py.typed").exists()
    assert "site-packages" in package.parts, package
    assert minitorch_cuda is minitorch
    assert importlib.metadata.entry_points(group="pytest11", name=PLUGIN)
    doctor = subprocess.run(
        [sys.executable, "-m", "minitorch", "doctor"],
        capture_output=True,
        text=True,
        check=True,
    )
    print(doctor.stdout)
    assert "libminitorch_emulator.so" in doctor.stdout or not cuda.is_emulated()
    product = minitorch.tensor([[1.0, 2.0]]) @ minitorch.tensor([[3.0], [4.0]])
    assert product.to_numpy().tolist() == [[11.0]]
    try:
        kernel = cuda.RawKernel(CODE, "twice")
    except cuda.CompileError:
        raise
    except RuntimeError as error:
        print("without NVRTC:", error)
        named = "pip install" in str(error)
        sys.exit(0 if named and importlib.util.find_spec("nvidia") is None else 1)
    x = cuda.to_device(np.arange(1000, dtype=np.float32))
    kernel(4, 256, (x, 1000))
    assert (x.copy_to_host() == 2 * np.arange(1000)).all()
    three_times[4, 256](x)
    assert (x.copy_to_host() == 6 * np.arange(1000)).all()
    print("kernels ran on", cuda.device_name())


main()
