"""Owns the hour with a GPU: `pack` makes the archive, `run` measures on the card.

docs/gpu.md says how to use them. Must not know what the library does inside.
"""
