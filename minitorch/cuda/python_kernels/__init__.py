"""Kernels written in Python: `cuda.jit`, launches and findings."""
