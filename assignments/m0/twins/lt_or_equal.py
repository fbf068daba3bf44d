# minitorch/operators.py fails 0.1-comparisons: failed
def lt(x, y):
    return 1.0 if x <= y else 0.0  # wrong: equal is not less
