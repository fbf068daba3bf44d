"""Owns how teachers write assignments: marks, twins, trees, validation, releases."""
