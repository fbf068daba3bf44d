# minitorch/tensor_data.py fails 2.1-indices, 2.3-map, 2.3-zip, 2.3-reduce, 2.3-functions, 2.4-functions, 2.4-shapes, 2.5-training: failed
def to_index(ordinal, shape, out_index):
    for i in range(len(shape) - 1, 0, -1):  # wrong: and dimension 0?
        out_index[i] = ordinal % shape[i]
        ordinal = ordinal // shape[i]
