"""Owns one launch of one kernel case, for a tool that watches the process.

python -m benchmarks.gpu.launch_case FOLDER/CASE
"""

from __future__ import annotations

import sys

from .parts.cases import all_cases, said

if __name__ == "__main__":
    print("said:", said(all_cases()[sys.argv[1]]))
