# minitorch/operators.py fails 0.2-caught: failed
def add(x, y):
    return x + y + 1.0  # wrong: one too many
