"""Holds the tests of grading."""
