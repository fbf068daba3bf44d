"""Submissions that try to get points in other ways than by being right."""
