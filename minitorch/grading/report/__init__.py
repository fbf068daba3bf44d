"""Owns reports of graded work: their form, platforms' forms of them, pages, advice.

Must not know how work is judged.
"""
