# minitorch/operators.py fails 0.2-caught: failed
def mul(x, y):
    return abs(x) * y  # wrong: the sign of the first number is lost
