"""Owns compiled kernels as plain data between processes. Must not know processes."""
