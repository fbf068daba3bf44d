"""A course: assignments, their marks, trees, twins, validation, releases."""
