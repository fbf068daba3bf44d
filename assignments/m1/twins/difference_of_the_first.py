# minitorch/autodiff.py fails 1.1-polynomials: failed
def central_difference(f, *vals, arg=0, epsilon=1e-6):
    first, *others = vals  # wrong: arg says which
    after = f(first + epsilon / 2, *others)
    return (after - f(first - epsilon / 2, *others)) / epsilon
