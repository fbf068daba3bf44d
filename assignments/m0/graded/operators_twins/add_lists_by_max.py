# minitorch/operators.py fails 0.2-caught: failed
def addLists(ls1, ls2):
    return [max(x, y) for x, y in zip(ls1, ls2, strict=False)]  # wrong: max for +
