# minitorch/operators.py fails 0.3-folds: failed
def prod(ls):
    return reduce(mul, 0.0)(ls)  # wrong: 0 times anything
