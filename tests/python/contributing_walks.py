"""Reading docs/contributing.md: the files of each of its walks, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .source_tree import ROOT

PAGE = ROOT / "docs" / "contributing.md"
_HEADING = re.compile(r"^## (?P<name>[^:\n]+): (?P<counts>.+)$", re.MULTILINE)
_ITEM = re.compile(
    r"^\d+\. `(?P<path>[^`]+)`(?:\s+\(generated: `(?P<command>[^`]+)`\))?", re.MULTILINE
)


@dataclass(frozen=True)
class Step:
    """One file of a walk; `command` writes it, "" where a person does."""

    path: str
    command: str


@dataclass(frozen=True)
class Walk:
    """What one kind of addition touches.

    Attributes:
        counts: the files as the heading counts them.
        text: all that is said between this heading and the next.
    """

    counts: str
    steps: tuple[Step, ...]
    text: str

    @property
    def written(self):
        """The files that a person writes."""
        return [step.path for step in self.steps if not step.command]

    @property
    def counted(self):
        """What the heading should say."""
        tests = sum(path.startswith("tests/") for path in self.written)
        numbers = {
            "file": len(self.written) - tests,
            "test": tests,
            "generated": len(self.steps) - len(self.written),
        }
        return ", ".join(
            f"{count} {noun}{'s' * (count > 1 and noun != 'generated')}"
            for noun, count in numbers.items()
            if count
        )


def walks():
    """All walks of the page by the words of their headings."""
    text = PAGE.read_text("utf-8")
    heads = list(_HEADING.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found = {}
    for head, end in zip(heads, ends, strict=True):
        part = text[head.end() : end]
        steps = tuple(
            Step(each["path"], each["command"] or "") for each in _ITEM.finditer(part)
        )
        found[head["name"]] = Walk(head["counts"], steps, part)
    return found
