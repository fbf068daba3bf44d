"""Owns the check that what README shows is true: its snippets run, its files exist."""

from __future__ import annotations

import re

import pytest

from .source_tree import ROOT

TEXT = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)


def test_there_is_something_to_run():
    assert SNIPPETS


@pytest.mark.cuda
@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_snippets_run(number, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    file, text = tmp_path / f"snippet_{number}.py", SNIPPETS[number]
    file.write_text(text)  # kernels are read from their source
    exec(compile(text, str(file), "exec"), {"__name__": "__main__"})


def test_stays_short():
    assert len(TEXT.splitlines()) <= 150


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:]+)\)", PROSE))))
def test_links_lead_somewhere(name):
    assert (ROOT / name).exists()


def test_the_two_commands_exist():
    makefile = (ROOT / "Makefile").read_text()
    for command in re.findall(r"^make (\w+)", TEXT, re.MULTILINE):
        assert f"\n{command}:" in makefile
