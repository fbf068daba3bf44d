# minitorch/operators.py fails 0.1-arithmetic: failed
def max(x, y):
    return x if abs(x) > abs(y) else y  # wrong: -7 is not larger than 3
