"""A launch as data: its shape, its arguments, and what is noted of it."""
