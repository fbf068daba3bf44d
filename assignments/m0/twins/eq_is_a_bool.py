# minitorch/operators.py fails 0.1-comparisons: failed
def eq(x, y):
    return x == y  # wrong: a bool is no float
