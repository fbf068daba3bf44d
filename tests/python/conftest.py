"""What every Python test gets: a kernel cache of its own, and a clean end."""

from __future__ import annotations

import os
import signal

import pytest

from .source_tree import ROOT

# Kept between runs: entries are found by content, so an old one cannot be wrong.
os.environ.setdefault("MINITORCH_CACHE_DIR", str(ROOT / "build" / "kernel-cache"))

# A shell that starts a job in the background has it ignore Ctrl-C, and Python and its
# children follow; the tests of Ctrl-C are about the library, not about the shell.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _end_with_a_synchronisation(request):
    """A fault that a test did not fetch fails that test, not the next one."""
    yield
    if request.node.get_closest_marker("cuda"):
        from minitorch import cuda

        cuda.synchronize()


@pytest.fixture(autouse=True)
def _default_dtype_of_the_suite():
    """Programs that are run as tests, snippets of pages say, may set another one."""
    from minitorch import get_default_dtype, set_default_dtype

    before = get_default_dtype()
    yield
    set_default_dtype(before)
