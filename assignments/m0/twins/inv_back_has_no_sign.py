# minitorch/operators.py fails 0.1-derivatives: failed
def inv_back(x, d):
    return d / (x * x)  # wrong: 1 / x falls
