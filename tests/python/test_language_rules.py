"""The tests of the language's tables: one rule a node, and none without."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from minitorch.cuda.language import iterables, typed
from minitorch.cuda.language.builtins.calls import (
    device_function,
    device_method,
    named_method,
    python_function,
)
from minitorch.cuda.language.emit import writer
from minitorch.cuda.language.rules import Rules
from minitorch.cuda.language.typing import rules

# What exists only while a kernel is compiled, or stands before its statements.
NEVER_WRITTEN = {typed.Static, iterables.Iterable, typed.Declare}


def test_a_rule_is_found_by_the_exact_class():
    rule = Rules[type, Callable[[object], str]]("thing")
    rule(int, str)(lambda value: f"<{value}>")
    assert rule.of(3)(3) == "<3>"
    assert rule.get(str) is rule.of("text")
    assert rule.of(True) is None  # a bool is an int, but has no rule
    assert rule.keys() == {int, str}


@pytest.mark.parametrize(
    ("register", "key"),
    [
        (rules.expression_rule, ast.Name),
        (rules.statement_rule, ast.If),
        (rules.target_rule, ast.Tuple),
        (writer.expression_rule, typed.Binary),
        (writer.statement_rule, typed.Store),
        (device_function, "syncthreads"),
        (device_method, "conjugate"),
        (python_function, len),
    ],
)
def test_a_second_rule_is_refused(register, key):
    with pytest.raises(ValueError, match="already has a rule"):
        register(key)(lambda *arguments: None)


def test_a_second_rule_of_a_named_method_is_refused():
    named_method("test_language_rules", "Thing.method")(lambda site: None)
    with pytest.raises(ValueError, match="already has a rule"):
        named_method("test_language_rules", "Thing.method")(lambda site: None)


def test_every_typed_form_is_written():
    every = {*typed.Expression.__subclasses__(), *typed.Statement.__subclasses__()}
    written = writer.expression_rule.keys() | writer.statement_rule.keys()
    assert every - NEVER_WRITTEN == written
