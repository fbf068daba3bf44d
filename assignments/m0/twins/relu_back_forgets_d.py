# minitorch/operators.py fails 0.1-relu: failed
def relu_back(x, d):
    return 1.0 if x > 0 else 0.0  # wrong: the slope, not d times it
