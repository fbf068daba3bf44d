"""Owns the kernel cases: small right and wrong kernels and what must be said of them.

Must not know how the emulator finds things.
"""
