"""The tests of `minitorch_cuda`, the library's second name."""

from __future__ import annotations

import ast

import pytest

from .checkouts import make_wheel, run, write
from .source_tree import ROOT, name_of

# How `minitorch` may be somebody else's, or nobody's.
BLOCKED = "import sys\nsys.modules['minitorch'] = None\n"
FOREIGN = "import minitorch\nassert minitorch.whose == 'the student'\n"
STUDENT = {"minitorch/__init__.py": "whose = 'the student'\n"}

KERNELS = """
import numpy as np
from minitorch_cuda import cuda, viz

@cuda.jit
def double(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 2

out = cuda.device_array(40, np.float64)
double[2, 32](out, cuda.to_device(np.arange(40.0)))
assert out.copy_to_host().tolist() == [2.0 * i for i in range(40)]
raw = cuda.RawKernel(
    'extern "C" __global__ void one(float* x) { x[threadIdx.x] = 1; }', "one"
)
x = cuda.to_device(np.zeros(8, np.float32))
raw(1, 8, (x,))
assert x.copy_to_host().sum() == 8
# Of a process of its own; what it pickles has to be found under this name.
launch = viz.trace(double, 1, 32, np.zeros(32), np.ones(32))
assert "out[5]" in repr(viz.grid(launch, thread=5))

@cuda.jit
def wrong(out):
    out[0] = cuda.synchronize()

try:
    wrong[1, 1](x)
except cuda.CompileError as error:
    assert "synchronize" in str(error), error
else:
    raise SystemExit("a function of the host was taken")
"""
TENSORS = """
import pickle
import minitorch_cuda
from minitorch_cuda import nn, optim
from minitorch_cuda.tensor_functions import Mul

minitorch_cuda.manual_seed(0)
for device in ("cpu", "cuda"):
    net = nn.Sequential(nn.Linear(2, 3, device=device), nn.ReLU())
    steps = optim.SGD(net.parameters(), lr=0.1)
    loss = net(minitorch_cuda.tensor([[1.0, 2.0]], device=device)).sum()
    loss.backward()
    steps.step()
backend = minitorch_cuda.TensorBackend(minitorch_cuda.CudaOps)
t = minitorch_cuda.tensor([[1.0, 2.0]], backend=backend)
assert (t + t).sum().item() == 6.0
for value in (Mul, minitorch_cuda.Context, minitorch_cuda.Tensor, nn.Linear):
    assert pickle.loads(pickle.dumps(value)) is value
assert callable(minitorch_cuda.tensor)
"""
TOOLS = """
import sys
from minitorch_cuda.tools.doctor import report
assert "minitorch-cuda" in report()
from minitorch_cuda.compat import install_numba
assert install_numba(force=True)
import numba
import minitorch_cuda
assert numba.cuda.jit is minitorch_cuda.cuda.jit
import numpy as np
assert minitorch_cuda.viz.tensor(np.zeros((2, 3))).html()
"""
EVERY_MODULE = """
import importlib, pkgutil, sys
import minitorch_cuda
for found in pkgutil.walk_packages(minitorch_cuda.__path__, "minitorch_cuda."):
    if not found.name.endswith(("__main__", "libminitorch_emulator")):
        importlib.import_module(found.name)
ours = [name for name in sys.modules if name.startswith("minitorch.")]
assert ours == [], ours
assert minitorch_cuda.viz.views.__name__ == "minitorch_cuda.viz.views"
"""
PROGRAMS = {
    "kernels": KERNELS,
    "tensors": TENSORS,
    "tools": TOOLS,
    "every module": EVERY_MODULE,
}
SAME = """
import importlib, pickle, pkgutil, sys
import minitorch_cuda.cuda as a
import minitorch.cuda as b
import minitorch, minitorch_cuda
from minitorch_cuda import cuda
from minitorch_cuda.nn import Linear
assert a is b is cuda and minitorch_cuda is minitorch and Linear is minitorch.nn.Linear

def attributes():
    found = [name for name in sys.modules if name.partition(".")[0] == "minitorch"]
    return {name: dict(vars(sys.modules[name])) for name in found}

names = [each.name for each in pkgutil.walk_packages(minitorch.__path__, "minitorch.")]
for name in names:
    if name.endswith(("__main__", "libminitorch_emulator")):
        continue
    other = importlib.import_module(name.replace("minitorch", "minitorch_cuda", 1))
    module = importlib.import_module(name)
    assert other is module and module.__spec__.name == name
    assert module.__name__ == name
# Functions that have the name of a module are still functions.
assert callable(minitorch.tensor) and "Simple" in minitorch.datasets
assert pickle.loads(pickle.dumps(Linear)) is Linear
assert pickle.loads(b"cminitorch_cuda.nn.linear\\nLinear\\n.") is Linear
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.cuda
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_with_the_first_name_blocked(name, tmp_path):
    write(tmp_path, {"program.py": BLOCKED + PROGRAMS[name]})
    done = run(["-W", "ignore", "program.py"], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["kernels", "tensors", "tools"])
def test_runs_beside_a_package_of_that_name(name, tmp_path, wheel):
    write(tmp_path, {**STUDENT, "program.py": FOREIGN + PROGRAMS[name]})
    done = run(["-W", "ignore", "program.py"], tmp_path, wheel)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("installed", ["editable", "wheel"])
def test_both_names_give_the_same_modules(installed, tmp_path, wheel):
    write(tmp_path, {"program.py": SAME})
    where = wheel if installed == "wheel" else None
    done = run(["-W", "ignore", "program.py"], tmp_path, where)
    assert done.returncode == 0, done.stderr


def test_the_command_runs_under_the_second_name(tmp_path):
    done = run(["-m", "minitorch_cuda", "--help"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "doctor" in done.stdout


def test_a_module_that_is_not_there_is_missed_by_its_name(tmp_path):
    done = run(["-c", "import minitorch_cuda.nothing"], tmp_path)
    assert "No module named 'minitorch_cuda.nothing'" in done.stderr


def test_the_library_imports_itself_by_no_name():
    found = []
    for path in sorted((ROOT / "minitorch").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if node.level == 0 else []
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            else:
                continue
            if any(name.split(".")[0] == "minitorch" for name in names):
                found.append(f"{name_of(path)}:{node.lineno}")
    assert not found, "need relative imports, which hold under both names"
