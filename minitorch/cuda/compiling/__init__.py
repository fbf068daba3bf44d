"""Compile kernels: options, debug builds, machine code."""
