"""Write minitorch/_core.pyi, the stub that editors and mypy read.

    python bindings/make_stub.py FOLDER

FOLDER holds the compiled core; the build calls this when it installs it.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pybind11_stubgen

PACKAGE = Path(__file__).resolve().parents[1] / "minitorch"
OPTIONS = ("--exit-code", "--numpy-array-use-type-var")
OPTIONS += ("--ignore-unresolved-names=NDArray|Index",)


def load(folder: Path) -> None:
    """Import the package of the sources with the core of a folder.

    The methods that Python attaches to Tensor are there then. To tools that read types
    the core's class is MiniTorch's: its methods are laid over it.
    """
    (library,) = folder.glob("_core*.so")
    spec = spec_from_file_location("minitorch._core", library)
    assert spec is not None
    assert spec.loader is not None
    core = module_from_spec(spec)
    sys.modules["minitorch._core"] = core
    spec.loader.exec_module(core)
    sys.path.insert(0, str(PACKAGE.parent))
    import minitorch

    own = ("__module__", "__doc__", "__slots__", "__weakref__", "__dict__")
    for name, value in vars(minitorch.Tensor).items():
        if name not in own:
            setattr(core.Tensor, name, value)


def corrected(stub: str) -> str:
    """Return the stub with the names that it lacks.

    Tensor has a method `tuple`, which hides the type inside of the class.
    """
    stub = re.sub(r"(?m)([^.a-z_])tuple(\[|:$| \|)", r"\1builtins.tuple\2", stub)
    stub = stub.replace("import collections", "import builtins\nimport collections", 1)
    first = "\nimport typing\n"
    return stub.replace(first, f"{first}from numpy.typing import NDArray\n", 1)


def main(folder: Path) -> None:
    """Write the stub beside the sources."""
    os.environ["MINITORCH_CUDA"] = "emulator"
    load(folder)
    with tempfile.TemporaryDirectory() as out:
        pybind11_stubgen.main(["minitorch._core", "-o", out, *OPTIONS])
        stub = Path(out, "minitorch", "_core.pyi").read_text("utf-8")
    (PACKAGE / "_core.pyi").write_text(corrected(stub), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
