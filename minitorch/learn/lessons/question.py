"""A question with one right answer, and feedback on wrong ones."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["right", "wrong", "not yet", "too costly"]


@dataclass(frozen=True)
class Answer:
    """What became of an answer; true if it is right.

    Attributes:
        name: of the exercise.
        state: "right", "wrong", "not yet", or "too costly" if it only takes too much.
        advice: what to look at, or what was counted.
    """

    name: str
    state: State
    advice: str = ""

    def __bool__(self) -> bool:
        return self.state == "right"

    def __repr__(self) -> str:
        first = f"Exercise {self.name}: {self.state}"
        return f"{first}\n  {self.advice}" if self.advice else first


@dataclass(frozen=True)
class Question:
    """A question whose answer is an integer or a word.

    Attributes:
        name: the lesson and the number of the exercise, such as "01.2".
        right: the answer.
        hint: the way to it, for wrong answers that nobody expected.
        mistakes: usual wrong answers, and what is said to each.
    """

    name: str
    right: int | str
    hint: str
    mistakes: Mapping[int | str, str] = field(default_factory=dict)

    def check(self, answer: object) -> Answer:
        """Check an answer; see `minitorch.learn.lessons.check`."""
        if answer is None or answer is ...:
            advice = "Replace None with your answer. Guess before you count!"
            return Answer(self.name, "not yet", advice)
        given = _plain(answer)
        if type(given) is not type(self.right):
            kind = "a whole number" if isinstance(self.right, int) else "a word"
            return Answer(self.name, "wrong", f"Got {answer!r}; need {kind}.")
        if given == self.right:
            return Answer(self.name, "right")
        return Answer(self.name, "wrong", self.mistakes.get(given, self.hint))


def _plain(answer: object) -> int | str | None:
    """Return integers as int, words in lower case, and None for the rest."""
    if isinstance(answer, str):
        return answer.strip().lower()
    if isinstance(answer, bool):
        return None
    try:
        return operator.index(answer)  # type: ignore[arg-type]
    except TypeError:
        return None
