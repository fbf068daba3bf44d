# minitorch/tensor_data.py fails 2.2-shapes: failed
def shape_broadcast(shape1, shape2):
    dims = max(len(shape1), len(shape2))
    first = (1,) * (dims - len(shape1)) + tuple(shape1)
    second = (1,) * (dims - len(shape2)) + tuple(shape2)
    pairs = zip(first, second, strict=True)
    return tuple(b if a == 1 else a for a, b in pairs)  # wrong: 2 and 3 do not fit
