"""How teachers write assignments: marks, twins, trees, validation, releases."""
