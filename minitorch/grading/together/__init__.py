"""Owns the grading of a class at once, and what a teacher reads of it.

Must not know how one submission is judged: a function does that, called by name.
"""
