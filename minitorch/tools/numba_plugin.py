"""The plugin `pytest -p minitorch.tools.numba_plugin`: numba for tests that only ask
whether there is a GPU.

For tests of this library. Beside a student's package the plugin minitorch_cuda_pytest
does the same, and this one, which makes `minitorch` the library, ends the run.
"""

from __future__ import annotations

from ..compat import install_numba

install_numba()
