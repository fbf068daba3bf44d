# minitorch/tensor_data.py fails 2.1-indices: failed
def to_index(ordinal, shape, out_index):
    for i in range(len(shape)):  # wrong: from the left
        out_index[i] = ordinal % shape[i]
        ordinal = ordinal // shape[i]
