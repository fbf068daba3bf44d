"""Owns the numbers of launches that views share. Must not know any view."""
