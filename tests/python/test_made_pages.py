"""Pages that docs/make_pages.py fills say what the code does."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import pytest

from minitorch import _core

from .source_tree import ROOT

DOCS = ROOT / "docs"
#: Kinds that no program on the emulator can show.
WITHOUT_EXAMPLE = {"device_fault", "nan"}
KINDS = [kind.name for kind in _core.finding_kinds()]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    command = [sys.executable, str(DOCS / "make_pages.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr  # an example made another mistake, say
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_nothing_is_left_open(pages):
    for name, page in pages.items():
        assert "<!-- made" not in page, name


def test_operations_are_in_the_files_that_ran(pages):
    page = pages["ops.md"]
    assert "| `silu` | all; integers become float64 | yes |" in page
    assert r"| `& \| ^` | integers and bool | none |" in page
    (sigmoid,) = re.findall(r"\| `sigmoid` \|(?:[^|\n]*\|){6}", page)
    assert "`elementwise`" in sigmoid
    assert "`map.cu`" in sigmoid
    named = set(re.findall(r"`(\w+\.cu)`", page))
    assert {"map.cu", "zip.cu", "gather.cu", "where.cu", "cumsum.cu"} <= named
    assert all((ROOT / "cpp" / "kernels" / name).exists() for name in named)


def test_instructions_have_their_types_and_modifiers(pages):
    page = pages["ptx_subset.md"]
    assert "| `brev` | `b32` `b64` |" in page
    assert "| `mma.sync` | `m16n8k8` | `f16` | `f16` `f32` |" in page
    assert "`%laneid`" in page
    assert "`tcgen05" in page.partition("## Refused")[2]


def test_names_of_pytorch_are_sorted_by_what_is_here(pages):
    layers = pages["pytorch.md"].partition("\n## torch.nn\n")[2].partition("\n## ")[0]
    here, _, absent = layers.partition("**Absent:**")
    assert "`Linear`" in here
    assert "`Linear`" not in absent


def test_what_is_said_to_differ_is_here(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    maker = importlib.import_module("make_pytorch")
    recorded = maker.recorded_names()
    for name, remarks in maker.REMARKS.items():
        known = {each: recorded[name][each] for each in remarks}
        assert list(maker.look(name, known).remarked) == list(remarks)


def test_every_kind_is_defined_and_explained(pages):
    assert len(KINDS) > 30
    heads = re.findall(r"^### `(\w+)`", pages["errors.md"], re.MULTILINE)
    assert sorted(heads) == sorted(KINDS)
    assert {kind for kind in KINDS if f"`{kind}`" not in pages["checks.md"]} == set()


@pytest.mark.parametrize("kind", sorted(set(KINDS) - WITHOUT_EXAMPLE))
def test_a_kind_has_meaning_example_message_and_fix(kind, pages):
    start = pages["errors.md"].partition(f"\n### `{kind}`\n")[2]
    found = re.match(
        r"\n.{30,}?\n+```python\n(?P<program>.+?)```\n\n```text\n(?P<message>.+?)```\n"
        r"\n\*\*Fix:\*\* .{20,}?\n",
        start,
        re.DOTALL,
    )
    assert found, start[:500]
    assert re.match(r"(\w+(Error|Warning)|note): \S", found["message"])
    for line in re.findall(rf"\b{kind}\.py:(\d+)", found["message"]):
        assert 1 <= int(line) <= len(found["program"].splitlines())
