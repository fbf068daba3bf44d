# minitorch/operators.py fails 0.3-folds: failed
def reduce(fn, start):
    total = start

    def fold(values):
        nonlocal total  # wrong: the next call begins where this one ended
        for x in values:
            total = fn(x, total)
        return total

    return fold
