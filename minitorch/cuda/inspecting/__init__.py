"""Inspect launches: counters, traces, variables by name, resources."""
