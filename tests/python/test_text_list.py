"""Owns the test that the list of all texts is that of the sources."""

from __future__ import annotations

import difflib

import pytest

from .text_list import LIST, all_texts, texts_of_cpp, texts_of_python


def test_the_list_is_current():
    listed = LIST.read_text(encoding="utf-8")
    changed = [
        line
        for line in difflib.unified_diff(
            listed.splitlines(), all_texts().splitlines(), n=0, lineterm=""
        )
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert not changed, "\n".join(
        [
            "Read these as a student would, then run python tests/python/text_list.py:",
            *changed,
        ]
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            'raise ValueError(f"got {x}; need two numbers.")',
            "got {}; need two numbers.",
        ),
        ('"""Own no texts of users."""', None),
        ('code = "int x = a + b + c;"', None),
        ("short = 'two words'", None),
    ],
)
def test_texts_of_python(source: str, expected: str | None):
    assert list(texts_of_python(source)) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            'text("got ", n, "; need one\\n"\n  " of the names");',
            "; need one of the names",
        ),
        ('// "a comment with some words"', None),
        ('#include "ptx/some/long name here.h"', None),
    ],
)
def test_texts_of_cpp(source: str, expected: str | None):
    assert list(texts_of_cpp(source)) == ([expected] if expected else [])
