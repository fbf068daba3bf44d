"""Figures: frame, forms, what makes them live."""
