"""Owns what each part of the hour measures; ../plan.py lists them and says how to run.

A part must not know the others, but for the cases that compute-sanitizer watches.
"""
