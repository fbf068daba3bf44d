# minitorch/operators.py fails 0.3-folds: failed
def reduce(fn, start):
    def fold(values):
        total = start
        for x in values:
            total = fn(total, x)  # wrong: the element comes first
        return total

    return fold
