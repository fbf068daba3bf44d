# minitorch/tensor_data.py fails 2.2-shapes, 2.3-functions, 2.4-shapes, 2.5-training: failed, error
def shape_broadcast(shape1, shape2):
    dims = max(len(shape1), len(shape2))
    first = tuple(shape1) + (1,) * (dims - len(shape1))  # wrong: left ends meet
    second = tuple(shape2) + (1,) * (dims - len(shape2))
    for a, b in zip(first, second, strict=True):
        if a != b and a != 1 and b != 1:
            raise IndexingError(f"{shape1} and {shape2} do not fit")
    return tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))
