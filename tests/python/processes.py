"""The running of programs in an interpreter of their own, for several tests."""

from __future__ import annotations

import os
import subprocess
import sys

from .source_tree import ROOT


def run_python(code, *arguments, **environment):
    """Run a program; the process with its texts, however it ended."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def printed_by(code, **environment):
    """Text that a program printed, which must end well."""
    process = run_python(code, **environment)
    assert process.returncode == 0, process.stderr
    return process.stdout
