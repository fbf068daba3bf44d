"""Owns nothing: it stands here for pytest to find the files beside it."""
