"""Compiled kernels as plain data between processes."""
