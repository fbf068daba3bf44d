"""The tests of the programs with `import torch` that are kept as text: what is recorded
of them, how their imports are rewritten, how lines are compared, and that they print
through `minitorch.torch` what they print with PyTorch.
"""

from __future__ import annotations

import ast
import json

import pytest

from .torch_programs import (
    FOLDER,
    line_difference,
    printed,
    programs,
    reseeded,
    rewritten,
    text_of,
)

PRINTED = json.loads((FOLDER / "printed.json").read_text())["printed"]


def test_eleven_programs_were_recorded():
    assert len(programs()) == 11
    assert sorted(PRINTED) == programs()


@pytest.mark.parametrize("name", programs())
def test_much_that_a_program_prints_hangs_on_no_random_number(name: str):
    lines = PRINTED[name]
    known = [line for line in lines if line is not None]
    numbers = [line for line in known if any(letter.isdigit() for letter in line)]
    assert len(numbers) >= 3
    # Otherwise nothing random was tried.
    assert name == "d2l_scratch" or len(known) < len(lines)


@pytest.mark.parametrize("name", programs())
def test_a_program_prints_what_it_prints_with_pytorch(name: str):
    text = rewritten(text_of(name), "minitorch.torch")
    got = printed(text, name)
    assert len(got) == len(PRINTED[name])
    pairs = zip(PRINTED[name], got, strict=True)
    problems = [
        problem
        for wanted, line in pairs
        if wanted is not None and (problem := line_difference(wanted, line))
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", programs())
def test_only_import_lines_are_rewritten(name: str):
    text = text_of(name)
    before, after = text.splitlines(), rewritten(text, "elsewhere.torch").splitlines()
    changed = [here for line, here in zip(before, after, strict=True) if line != here]
    assert changed
    for line in changed:
        (statement,) = ast.parse(line).body
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        assert "elsewhere.torch" in line
    assert "import torch\n" not in "\n".join(after)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import torch", "import m.torch as torch"),
        ("import torch.nn as nn", "import m.torch.nn as nn"),
        ("import torch.utils.data", "import m.torch.utils.data"),
        ("from torch import nn", "from m.torch import nn"),
        ("from torch.nn import functional", "from m.torch.nn import functional"),
        ("import torchvision", "import torchvision"),
        ("    import torch", "    import torch"),
        ("x = 'import torch'", "x = 'import torch'"),
    ],
)
def test_forms_of_import(text: str, wanted: str):
    assert rewritten(text, "m.torch") == wanted


def test_seeds_are_moved():
    text = "torch.manual_seed(5)\nrandom.seed(0)\nseed(3)"
    assert reseeded(text, 2) == "torch.manual_seed(7)\nrandom.seed(2)\nseed(3)"


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("loss 1.2345", "loss 1.2346"),
        ("loss -0.0000", "loss 0.0001"),
        ("1.0000e-03", "1.0001e-03"),
        ("71.030", "71.060"),
        ("torch.Size([2, 3])", "torch.Size([2, 3])"),
        ("x: 1e-3 2.5", "x: 1e-3 2.5"),
    ],
)
def test_lines_that_agree(wanted: str, got: str):
    assert line_difference(wanted, got) is None


@pytest.mark.parametrize(
    ("wanted", "got"),
    [
        ("loss 1.2345", "loss 1.25"),
        ("loss 0.00016", "loss 0.00022"),
        ("2.0e-05", "9.0e-05"),
        ("loss 1.2", "cost 1.2"),
        ("torch.Size([2, 3])", "torch.Size([2, 4])"),
        ("x 1.0", "x 1.0 2.0"),
        ("x 1.0", "x 1"),
        ("x nan", "x 1.0"),
        ("parameters: 61706", "parameters: 61707"),
        ("fell: True", "fell: False"),
    ],
)
def test_lines_that_differ(wanted: str, got: str):
    problem = line_difference(wanted, got)
    assert problem is not None
    assert repr(got) in problem
