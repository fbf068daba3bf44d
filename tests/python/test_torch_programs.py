"""The programs with `import torch` that are kept as text print through
`minitorch.torch` what they print with PyTorch.
"""

from __future__ import annotations

import json

import pytest

from .torch_programs import (
    FOLDER,
    line_difference,
    printed,
    programs,
    rewritten,
    text_of,
)

PRINTED = json.loads((FOLDER / "printed.json").read_text())["printed"]


@pytest.mark.parametrize("name", programs())
def test_a_program_prints_what_it_prints_with_pytorch(name):
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
def test_lines_that_differ(wanted, got):
    problem = line_difference(wanted, got)
    assert problem is not None
    assert repr(got) in problem
