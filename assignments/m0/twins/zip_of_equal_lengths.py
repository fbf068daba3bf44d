# minitorch/operators.py fails 0.3-lists: error
def zipWith(fn):
    # wrong: the shorter list should end it
    return lambda xs, ys: [fn(x, y) for x, y in zip(xs, ys, strict=True)]  # wrong
