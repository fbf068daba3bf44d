# minitorch/tensor_data.py fails 2.1-indices: error
def index_to_position(index, strides):
    position = 0
    for i in range(len(index)):
        position += index[i] * strides[i]  # wrong: the index may be longer
    return position
