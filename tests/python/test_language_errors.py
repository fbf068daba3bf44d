"""The messages for functions that cannot become kernels.

data/translation_errors.txt is the golden file for people to read: each case is a
function, then the message that `map` of it must give. `FILE` stands for the file.
"""

from __future__ import annotations

import linecache
import math
from pathlib import Path

import pytest

from minitorch import cuda, tensor, tensor_ops
from minitorch.cuda.language.errors import TranslationError
from minitorch.cuda.language.scalar_function import translate
from minitorch.cuda.language.types import Type

GOLDEN = Path(__file__).parent / "data" / "translation_errors.txt"
RULE = "=" * 40
ARROW = "-" * 40


def cases():
    text = GOLDEN.read_text().split(f"\n{RULE}\n")
    return [tuple(case.strip("\n").split(f"\n{ARROW}\n")) for case in text]


class Settings:
    rate = 0.5


def message_of(source):
    file = f"<error {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"math": math, "settings": Settings(), "weights": [1.0], "rate": None}
    exec(compile(source, file, "exec"), scope)
    with pytest.raises(TranslationError) as caught:
        translate(scope["f"], (Type.FLOAT64,))
    return str(caught.value).replace(file, "FILE")


@pytest.mark.parametrize(("source", "message"), cases(), ids=lambda text: text[:30])
def test_message(source, message):
    assert message_of(source + "\n") == message


def test_there_are_enough_cases():
    assert len(cases()) >= 30
    for _, message in cases():
        assert message.startswith("[cuda] ")


def test_one_except_catches_both_languages():
    with pytest.raises(cuda.CompileError) as caught:
        tensor_ops.map(lambda x: [x])(tensor([1.0]))
    assert caught.value.file == __file__
    assert "lambda x: [x]" in linecache.getline(caught.value.file, caught.value.line)


def test_an_error_does_not_stick():
    def f(x):
        return x + offset  # noqa: F821

    with pytest.raises(cuda.CompileError, match="'offset'"):
        translate(f, (Type.FLOAT64,))
    globals()["offset"] = 1.5
    try:
        assert "x + 1.5" in translate(f, (Type.FLOAT64,)).cuda
    finally:
        del globals()["offset"]


def test_the_number_of_parameters_must_fit():
    with pytest.raises(cuda.CompileError, match=r"\(x\) is called with 2 arguments"):
        tensor_ops.zip(lambda x: x)(tensor([1.0]), tensor([1.0]))


def test_an_expression_that_nests_too_deeply():
    terms = " + ".join(["x"] * 2000)
    file = "<deep>"
    source = f"def f(x):\n    return {terms}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {}
    exec(compile(source, file, "exec"), scope)
    with pytest.raises(TranslationError, match="nest too deeply"):
        translate(scope["f"], (Type.FLOAT64,))
