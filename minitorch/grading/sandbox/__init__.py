"""Owns confined processes: what they may do, see and use. Must not know their work."""
