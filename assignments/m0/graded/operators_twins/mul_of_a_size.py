# minitorch/operators.py fails 0.2-caught: failed
def mul(x, y):
    return x * abs(y)  # wrong: the sign of the second number is lost
