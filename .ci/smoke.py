"""Check that an installed wheel works, with and without NVRTC; with it, lesson 00 runs.

Usage: smoke.py [FOLDER]   (of notebooks; default: those in the wheel)
"""

import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import tempfile
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


def run_a_lesson() -> None:
    """Run lesson 00 of a folder, else of the copy that the wheel's command makes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[1] if sys.argv[1:] else f"{name}/lessons")
        if not folder.exists():
            command = [sys.executable, "-m", "minitorch", "lessons", str(folder)]
            subprocess.run(command, check=True)
        assert len(list(folder.glob("*.ipynb"))) >= 18
        lesson = json.loads((folder / "00_start.ipynb").read_text("utf-8"))
        codes = [each for each in lesson["cells"] if each["cell_type"] == "code"]
        install, *cells = ["".join(each["source"]) for each in codes]
        assert "%pip install" in install
        namespace: dict[str, object] = {"__name__": "__main__"}
        for number, source in enumerate(cells):
            cell = Path(name, f"cell_{number}.py")  # kernels are read from their source
            cell.write_text(source, "utf-8")
            exec(compile(source, str(cell), "exec"), namespace)
        print(f"{len(cells)} cells of lesson 00 ran")


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
    course = [sys.executable, "-m", "minitorch", "course"]
    refused = subprocess.run(course, capture_output=True, text=True, check=False)
    version = importlib.metadata.version("minitorch-cuda")
    assert refused.returncode == 2
    assert f"pip install minitorch-grading=={version}" in refused.stderr
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
    if cuda.is_emulated():  # a GPU would not report the lesson's mistakes
        run_a_lesson()


main()
