# minitorch/tensor_data.py fails 2.2-indices, 2.3-map, 2.3-zip, 2.3-functions, 2.4-functions, 2.4-shapes, 2.5-training: failed
def broadcast_index(big_index, big_shape, shape, out_index):
    added = len(big_shape) - len(shape)
    for i in range(len(shape)):
        if shape[i] == 1:
            big_index[i + added] = 0  # wrong: the caller needs it
        out_index[i] = big_index[i + added]
