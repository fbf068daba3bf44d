"""The test of what importing must not do: open a device or load a compiler."""

from __future__ import annotations

from .processes import printed_by

_LIST_LIBRARIES = """
import minitorch
with open("/proc/self/maps") as maps:
    print(sorted({line.rsplit("/", 1)[-1].strip() for line in maps if "/" in line}))
"""


def test_importing_loads_no_driver_and_no_compiler():
    loaded = printed_by(_LIST_LIBRARIES)
    assert "_core." in loaded
    for name in ("libnvrtc", "libcuda", "libminitorch_emulator"):
        assert name not in loaded
