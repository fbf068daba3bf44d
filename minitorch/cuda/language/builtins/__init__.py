"""Tables of what kernels can call, by names of cuda, Python and NumPy.

Whoever imports one of its modules gets the tables full.
"""

from . import (
    arrays,
    atomics,
    complex_numbers,
    half,
    mathematics,
    numbers,
    numpy_functions,
    python,
    random,
    threads,
)

__all__ = [
    "arrays",
    "atomics",
    "complex_numbers",
    "half",
    "mathematics",
    "numbers",
    "numpy_functions",
    "python",
    "random",
    "threads",
]
