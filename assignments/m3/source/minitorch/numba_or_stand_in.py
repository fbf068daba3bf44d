"""Where `import numba` leads: to Numba, else to the library's stand-in."""

from __future__ import annotations

import importlib.util
import sys

if "numba" not in sys.modules and importlib.util.find_spec("numba") is None:
    from minitorch_cuda.compat import install_numba

    install_numba()
