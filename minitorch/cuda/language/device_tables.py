"""Owns the list of modules that fill the tables of device functions."""

from . import (
    device_atomics,
    device_basics,
    device_complex,
    device_grid,
    device_half,
    device_numbers,
    device_numpy,
    device_print,
    device_random,
    device_warp,
)

__all__ = [
    "device_atomics",
    "device_basics",
    "device_complex",
    "device_grid",
    "device_half",
    "device_numbers",
    "device_numpy",
    "device_print",
    "device_random",
    "device_warp",
]
