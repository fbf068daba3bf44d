"""Owns the process that launches kernels for the judge. Must not know what is right."""
