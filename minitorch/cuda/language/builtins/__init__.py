"""Tables of what kernels can call, by names of cuda, Python and NumPy.

Importing any of its modules fills the tables.
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
