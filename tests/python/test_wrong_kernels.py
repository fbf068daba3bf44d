"""The golden file of wrong kernels: what each mistake is answered with."""

from __future__ import annotations

import pytest

from .wrong_kernels import FILE, message_of, read

CASES = read(FILE.read_text())


@pytest.mark.cuda
@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_message(case):
    assert message_of(case) == case.message


@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_the_message_has_the_form_of_the_house(case):
    kind, _, text = case.message.partition(": ")
    assert kind.endswith("Error")
    assert text.startswith("[")


def test_there_are_enough_cases():
    assert len(CASES) >= 80
    assert len({case.title for case in CASES}) == len(CASES)
