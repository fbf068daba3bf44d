"""Kernels and modules that a user writes in CUDA C++."""
