"""Grading a whole class: submissions, workers, the results folder, comparisons."""
