"""Owns the checks that docs/errors.md has every kind, and true messages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minitorch import _core, cuda

from .source_tree import ROOT

MAKER = ROOT / "docs" / "make_error_catalogue.py"
PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")

#: Kinds that no program on the emulator can show.
WITHOUT_EXAMPLE = {"device_fault", "nan"}
SECTIONS = {
    head.split("`")[1]: text
    for head, text in re.findall(
        r"^### (`\w+`)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
}


def kinds() -> list[str]:
    """The closed list, as the library has it."""
    return [kind.name for kind in _core.finding_kinds()]


def test_every_kind_has_a_section_and_no_other() -> None:
    assert len(kinds()) > 30
    assert sorted(SECTIONS) == sorted(kinds())


def test_every_kind_is_defined_among_the_checks() -> None:
    defined = (ROOT / "docs" / "checks.md").read_text("utf-8")
    missing = {kind for kind in kinds() if f"`{kind}`" not in defined}
    assert missing == set()


@pytest.mark.parametrize("kind", sorted(set(kinds()) - WITHOUT_EXAMPLE))
def test_a_section_has_meaning_example_message_and_fix(kind: str) -> None:
    text = SECTIONS[kind]
    meaning, program, message, fix = re.fullmatch(
        r"\n(.+?)\n+```python\n(.+?)```\n\n```text\n(.+?)```\n\n(\*\*Fix:\*\* .+?)\n+",
        text,
        re.DOTALL,
    ).groups()  # type: ignore[union-attr]
    assert len(meaning) > 30
    assert "cuda." in program
    assert re.match(r"(\w+(Error|Warning)|note): \S", message)
    assert len(fix) > 20


@pytest.mark.cuda
@pytest.mark.parametrize("kind", sorted(set(kinds()) - WITHOUT_EXAMPLE))
def test_the_message_names_the_line_of_the_example(kind: str) -> None:
    """Places in a message are lines of the program above it."""
    program = SECTIONS[kind].partition("```python\n")[2].partition("```")[0]
    for line in re.findall(rf"\b{kind}\.py:(\d+)", SECTIONS[kind]):
        assert 1 <= int(line) <= len(program.splitlines())


@pytest.mark.cuda
def test_the_messages_are_those_of_today() -> None:
    if not cuda.is_emulated():
        pytest.skip("the messages are the emulator's")
    done = run(MAKER, "--check")
    assert done.returncode == 0, f"run docs/make_error_catalogue.py\n{done.stderr}"


def test_an_old_message_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in (MAKER.name, "checks.md"):
        (folder / name).write_text((ROOT / "docs" / name).read_text("utf-8"))
    head = "### `oob_global`\n"
    section = head + SECTIONS["oob_global"]
    (folder / "errors.md").write_text(section.replace("(4,0,0)", "(5,0,0)"))
    assert run(folder / MAKER.name, "--check").returncode == 1
    assert run(folder / MAKER.name).returncode == 0
    assert (folder / "errors.md").read_text("utf-8") == section


@pytest.mark.cuda
def test_the_examples_make_the_mistake_that_they_stand_for(tmp_path: Path) -> None:
    """Each kind, read from the error itself, in a program of its own."""
    if not cuda.is_emulated():
        pytest.skip("a GPU tells no kinds")
    program = tmp_path / "all_kinds.py"
    program.write_text(_ALL_KINDS.format(docs=str(ROOT / "docs")))
    done = run(program)
    assert done.returncode == 0, done.stderr
    found = dict(line.split() for line in done.stderr.splitlines())
    assert found == {kind: kind for kind in set(kinds()) - WITHOUT_EXAMPLE}


_ALL_KINDS = """
import sys
sys.path.insert(0, {docs!r})
import make_error_catalogue as catalogue
from minitorch import _core
_core.set_budget(catalogue.BUDGET)
for example in catalogue.examples(catalogue.PAGE.read_text("utf-8")):
    print(example.kind, catalogue.report_of(example).kind, file=sys.stderr)
"""


def run(script: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(script), *words]
    # Asked for the emulator, the library does not tell that it found no GPU.
    chosen = {**os.environ, "MINITORCH_CUDA": "emulator"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=chosen
    )
