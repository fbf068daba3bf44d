# minitorch/operators.py fails 0.1-comparisons: failed
def is_close(x, y):
    return 1.0 if x - y < 1e-2 else 0.0  # wrong: the distance has no sign
