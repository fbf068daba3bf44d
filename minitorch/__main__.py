"""Owns the command line: `minitorch doctor`, `python -m minitorch doctor`.

Must not know what a command does; each is imported only when it is called.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: words after the program's name; None: those of the process.

    Returns:
        exit status.
    """
    parser = argparse.ArgumentParser(prog="minitorch")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "doctor", help="say what was found (GPU, driver, NVRTC, ...) and what to do"
    )
    parser.parse_args(arguments)

    from .doctor import report

    print(report())
    return 0


if __name__ == "__main__":
    sys.exit(main())
