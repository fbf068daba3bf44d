"""Exact references for the results of PTX instructions."""
