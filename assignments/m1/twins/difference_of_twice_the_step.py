# minitorch/autodiff.py fails 1.1-polynomials: failed
def central_difference(f, *vals, arg=0, epsilon=1e-6):
    before, after = list(vals), list(vals)
    after[arg] = vals[arg] + epsilon
    before[arg] = vals[arg] - epsilon
    return (f(*after) - f(*before)) / epsilon  # wrong: they are 2 epsilon apart
