"""Owns the list of all texts that users can meet: messages, hints, words of pictures.

`python tests/python/text_list.py` renews data/texts.txt; a changed word then shows in
review, beside those of its family. Must not judge words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("data") / "texts.txt"
FEWEST_WORDS = 3

# Generated code and what is sent to compilers is no text for people.
_CODE = re.compile(r"[;{}]\s*$|__\w+__|^\s*#|=>|::\w+\(|//|\bconst\b|\w+\(\w*\) \{")
_LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
_LITERALS = re.compile(rf"(?<![R'\w]){_LITERAL}(?:\s*{_LITERAL})*")
_COMMENT = re.compile(r"^\s*//.*$|^\s*#\s*include.*$", re.MULTILINE)


def is_text(words: str) -> bool:
    """Words for people: three or more, most of them letters, and no code."""
    found = re.findall(r"[A-Za-z]{2,}", words)
    return len(found) >= FEWEST_WORDS and " " in words and not _CODE.search(words)


def _joined(node: ast.expr) -> str | None:
    """A string as it is written, with {} where a value goes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}"
            for part in node.values
        )
    return None


def texts_of_python(source: str) -> Iterator[str]:
    """The texts of a module but for docstrings and parts of other strings."""
    tree = ast.parse(source)
    left_out = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    left_out |= {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and id(node) not in left_out:
            words = _joined(node)
            if words is not None and is_text(words):
                yield " ".join(words.split())


def texts_of_cpp(source: str) -> Iterator[str]:
    """The string literals of a C++ file, neighbours joined as the compiler does."""
    for found in _LITERALS.finditer(_COMMENT.sub("", source)):
        words = "".join(re.findall(_LITERAL, found[0])).replace("\\n", " ")
        if is_text(words):
            yield " ".join(words.split())


def all_texts() -> str:
    """All texts, file by file, each once."""
    lines = []
    paths = [
        *sorted((ROOT / "minitorch").rglob("*.py")),
        *sorted((ROOT / "cpp").rglob("*.[ci]*")),
        *sorted((ROOT / "bindings").glob("*.cpp")),
    ]
    for path in paths:
        if path.suffix not in (".py", ".cpp", ".inc"):
            continue
        read = texts_of_python if path.suffix == ".py" else texts_of_cpp
        found = sorted(set(read(path.read_text(encoding="utf-8"))))
        if found:
            lines += [f"== {path.relative_to(ROOT)}", *found, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    LIST.write_text(all_texts(), encoding="utf-8")
