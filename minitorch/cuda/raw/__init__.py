"""Kernels and modules written in CUDA C++."""
