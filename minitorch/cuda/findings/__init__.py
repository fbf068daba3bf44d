"""Owns what checks found: exceptions, kinds, what a learner's traceback shows."""
