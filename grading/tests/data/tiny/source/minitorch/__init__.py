"""Holds the package of the tiny assignment."""
