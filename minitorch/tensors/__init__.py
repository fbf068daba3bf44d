"""Tensors as Python sees them: making, indexing, views, others' arrays."""
