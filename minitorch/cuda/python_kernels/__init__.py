"""Kernels written in Python, from `cuda.jit` to launches and findings."""
