"""Owns what platforms read of a report, each in a file: its form, facts and limits.

A platform's file begins with where its facts were read. Must not know how work is
judged: `running` calls the judge by name.
"""
