"""What a launch did: counters, traces, variables by name, resources."""
