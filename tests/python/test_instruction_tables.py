"""docs/ptx_subset.md is what the decoder's tables say."""

import subprocess
import sys
from pathlib import Path

PAGE_MAKER = Path(__file__).parents[2] / "docs" / "make_ptx_subset.py"


def test_the_page_of_instructions_is_up_to_date() -> None:
    result = subprocess.run([sys.executable, str(PAGE_MAKER), "--check"], check=False)
    assert result.returncode == 0, "run docs/make_ptx_subset.py"
