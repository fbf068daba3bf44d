# minitorch/operators.py fails 0.1-derivatives: failed
def log_back(x, d):
    return d / x  # wrong: log adds EPS
