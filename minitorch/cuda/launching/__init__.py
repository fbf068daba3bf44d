"""Launches as data: configuration, arguments, and notes for inspections."""
