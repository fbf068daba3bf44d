# minitorch/operators.py fails 0.3-lists: failed
def map(fn):
    def mapped(values):
        values = values if isinstance(values, list) else list(values)
        for i, x in enumerate(values):
            values[i] = fn(x)  # wrong: the list is the caller's
        return values

    return mapped
