# minitorch/operators.py fails 0.1-relu: failed
def relu(x):
    return x if x > 0 else 0.01 * x  # wrong: lets some of it through
