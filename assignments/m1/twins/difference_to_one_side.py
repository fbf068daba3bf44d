# minitorch/autodiff.py fails 1.1-polynomials: failed
def central_difference(f, *vals, arg=0, epsilon=1e-6):
    after = list(vals)
    after[arg] += epsilon
    return (f(*after) - f(*vals)) / epsilon  # wrong: the slope beside the point
