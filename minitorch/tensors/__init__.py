"""Tensors as Python sees them: making, indexing, views, backends, others' arrays."""
