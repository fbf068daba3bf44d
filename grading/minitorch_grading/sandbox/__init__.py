"""Confined processes: what they may do, see and use."""
