"""The public tests; run them with `python -m pytest`."""
