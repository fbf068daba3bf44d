# minitorch/operators.py fails 0.1-arithmetic: failed
def inv(x):
    return 1.0 // x  # wrong: // rounds down
