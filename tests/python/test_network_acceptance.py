"""The check that the programs of three forum questions run here as they stand.

Of their text only imports are rewritten (and one line of indentation, which the forum
lost). Numbers are by hand, or PyTorch's documented behaviour.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitorch
from minitorch import nn

pytestmark = pytest.mark.cuda

# "How a neural network is mapped to a GPU?": the answer's model.
MODEL = """
class MyModel(nn.Module):
    def __init__(self):
        super().__init__()

        self.layer1 = nn.Linear(32, 8)
        self.layer2 = nn.Linear(8, 1)

    def forward(self, x):
        x = self.layer1(x)
        x = torch.relu(x)
        x = self.layer2(x)
        return x
"""

# "... where the source code for operations like convolution is": the answer's profile.
SNIPPET = """
import torch
import torch.nn as nn
from torch.profiler import profile, record_function, ProfilerActivity
device = "cuda"
activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
sort_by_keyword = device + "_time_total"
model = nn.Conv2d(3, 3, 3, 1, 1, device=device)
x = torch.randn(1, 3, 224, 224, device=device)
with profile(activities=activities, record_shapes=True) as prof:
    out = model(x)
print(prof.key_averages().table(sort_by=sort_by_keyword, row_limit=10))
torch.backends.cudnn.enabled = False
with profile(activities=activities, record_shapes=True) as prof:
    out = model(x)
print(prof.key_averages().table(sort_by=sort_by_keyword, row_limit=10))
"""


def ours(program):
    """The program with its imports rewritten, and nothing else."""
    text = program.replace("import torch\n", "import minitorch as torch\n")
    text = text.replace("import torch.nn as nn\n", "import minitorch.nn as nn\n")
    return text.replace("from torch.profiler import", "from minitorch.profiler import")


@pytest.fixture
def single():
    """float32 as the default, as PyTorch has it."""
    former = minitorch.get_default_dtype()
    minitorch.set_default_dtype(minitorch.float32)
    yield
    minitorch.set_default_dtype(former)


@pytest.fixture
def switches():
    cudnn = minitorch.backends.cudnn
    former = cudnn.enabled
    yield cudnn
    cudnn.enabled = former


def my_model():
    names = {"torch": minitorch, "nn": nn, "__name__": "forum"}
    exec(MODEL, names)
    return names["MyModel"]()


@pytest.mark.usefixtures("single")
def test_the_model_computes_what_its_weights_say():
    net = my_model()
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    assert {name: value.shape for name, value in state.items()} == {
        "layer1.weight": (8, 32),
        "layer1.bias": (8,),
        "layer2.weight": (1, 8),
        "layer2.bias": (1,),
    }
    assert {value.dtype for value in state.values()} == {np.dtype("float32")}
    assert sum(p.numel() for p in net.parameters()) == 273
    x = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    w1, b1, w2, b2 = state.values()
    expected = np.maximum(x @ w1.T + b1, 0) @ w2.T + b2
    for device in ("cpu", "cuda"):
        found = net.to(device)(minitorch.tensor(x, device=device))
        assert found.shape == (64, 1)
        assert found.dtype.name == "float32"
        np.testing.assert_allclose(
            found.detach().numpy(), expected, rtol=1e-5, atol=1e-6
        )


def test_the_snippet_prints_both_tables(capsys, switches):
    names = {"__name__": "__main__"}
    exec(compile(ours(SNIPPET), "forum.py", "exec"), names)
    shown = capsys.readouterr().out
    assert switches.enabled is False
    assert names["out"].shape == (1, 3, 224, 224)
    assert shown.count("Self CPU time total: ") == 2
    assert shown.count("Self CUDA time total: ") == 2
    heads = re.findall(r"^ +Name .*$", shown, re.MULTILINE)
    titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total"]
    titles += ["CPU time avg", "Self CUDA", "Self CUDA %", "CUDA total"]
    titles += ["CUDA time avg", "# of Calls", "Input Shapes"]
    assert [re.split(r" {2,}", head.strip()) for head in heads] == [
        # PyTorch's table has this column only when rows are grouped by shapes.
        [t for t in titles if t != "Input Shapes"]
    ] * 2
    for row in (r"minitorch::conv2d .* 1", r"conv2d \(conv2d\.cu\) .* 1"):
        assert len(re.findall(rf"^ *{row} *$", shown, re.MULTILINE)) == 2
