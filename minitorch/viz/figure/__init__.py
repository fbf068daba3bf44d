"""Owns figures: frame, forms, what makes them live. Must not know launches."""
