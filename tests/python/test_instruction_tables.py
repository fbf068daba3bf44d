"""The conformance tables in the tree are what their references make."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKER = ROOT / "tests" / "emulator_instructions" / "make_expected.py"
PAGE_MAKER = ROOT / "docs" / "make_ptx_subset.py"


def test_tables_are_up_to_date() -> None:
    """A change of a reference or a form must come with its tables."""
    result = subprocess.run([sys.executable, str(MAKER), "--check"], check=False)
    assert result.returncode == 0, "run tests/emulator_instructions/make_expected.py"


def test_the_page_of_instructions_is_up_to_date() -> None:
    """docs/ptx_subset.md says what the decoder's tables say."""
    result = subprocess.run([sys.executable, str(PAGE_MAKER), "--check"], check=False)
    assert result.returncode == 0, "run docs/make_ptx_subset.py"
