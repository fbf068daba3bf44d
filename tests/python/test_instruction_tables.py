"""The conformance tables in the tree are what their references make."""

import subprocess
import sys
from pathlib import Path

MAKER = Path(__file__).parents[1] / "emulator_instructions" / "make_expected.py"


def test_tables_are_up_to_date() -> None:
    """A change of a reference or a form must come with its tables."""
    result = subprocess.run([sys.executable, str(MAKER), "--check"], check=False)
    assert result.returncode == 0, "run tests/emulator_instructions/make_expected.py"
