# minitorch/operators.py fails 0.1-sigmoid: failed
def sigmoid(x):
    return 1.0 / (1.0 + 2.0**-x) if x > -1000 else 0.0  # wrong: 2 is not e
