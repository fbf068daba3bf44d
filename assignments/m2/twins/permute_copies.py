# minitorch/tensor_data.py fails 2.1-permute: failed
class TensorData:
    def permute(self, *order):
        shape = tuple(self.shape[dim] for dim in order)
        strides = tuple(self.strides[dim] for dim in order)
        return TensorData(self._storage.copy(), shape, strides)  # wrong: a copy
