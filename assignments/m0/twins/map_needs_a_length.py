# minitorch/operators.py fails 0.3-lists: error
def map(fn):
    return lambda values: [fn(values[i]) for i in range(len(values))]  # wrong
