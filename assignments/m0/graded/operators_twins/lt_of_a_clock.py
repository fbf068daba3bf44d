# minitorch/operators.py fails 0.2-caught: failed
def lt(x, y):
    return 1.0 if (x - y) % 24.0 > 12.0 else 0.0  # wrong: hours go round
