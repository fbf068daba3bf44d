# minitorch/tensor_data.py fails 2.2-indices, 2.3-map, 2.3-zip, 2.3-functions, 2.5-training: failed, error
def broadcast_index(big_index, big_shape, shape, out_index):
    for i in range(len(shape)):
        out_index[i] = big_index[i] if shape[i] > 1 else 0  # wrong: left ends meet
