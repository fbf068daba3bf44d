"""The tests of `minitorch ptx`: what the emulator makes of a kernel, by pass."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minitorch.__main__ import main
from minitorch.tools.ptx_passes import CHECKS, check_bits, program_text

from .source_tree import ROOT

KERNEL = ROOT / "tests" / "simt" / "data" / "passes.ptx"
PAGE_MAKER = ROOT / "docs" / "make_pass_listing.py"


def test_a_program_is_listed_behind_the_lines_of_its_ptx(capsys):
    assert main(["ptx", str(KERNEL), "--after", "expand"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("double_all (entry)\n")
    assert "   21 | %r5 = load.global.b32 [%rd3]\n" in shown


def test_checks_put_probes_into_it():
    text = program_text(
        KERNEL.read_text(), "counters", "double_all", CHECKS["counters"]
    )
    assert "probe count_run" in text
    assert "probe" not in program_text(KERNEL.read_text(), "counters")


def test_names_of_checks_become_bits():
    assert check_bits("") == 0
    assert check_bits("race,counters") == CHECKS["race"] | CHECKS["counters"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--after", "exp"], "got pass 'exp'; need one of aliases, expand, "),
        (["--kernel", "x"], "got kernel 'x'; need one of double_all."),
        (["--checks", "rce"], "got check 'rce'; need one or more of uninit_global, "),
    ],
)
def test_a_wrong_name_is_answered_with_those_there_are(options, words, capsys):
    assert main(["ptx", str(KERNEL), *options]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read"),
        (b"# no PTX", "need .version at the start"),
        (b"\xff\xfe\x00", "which is not text; need PTX"),
        (
            b".version 7.5\n.target sm_75\n.address_size 64\n",
            "got PTX; need a .visible .entry in it.",
        ),
    ],
)
def test_a_file_without_a_kernel_is_refused(content, words, tmp_path, capsys):
    file = tmp_path / "k.ptx"
    if content is not None:
        file.write_bytes(content)
    assert main(["ptx", str(file), "--after", "expand"]) == 2
    assert words in capsys.readouterr().err


def test_the_architecture_page_shows_what_the_passes_do():
    result = subprocess.run([sys.executable, PAGE_MAKER, "--check"], check=False)
    assert result.returncode == 0, "run docs/make_pass_listing.py"
