# minitorch/tensor_data.py fails 2.1-permute, 2.3-functions, 2.4-shapes, 2.5-training: failed, error
class TensorData:
    def permute(self, *order):
        back = sorted(range(len(order)), key=lambda i: order[i])  # wrong
        shape = tuple(self.shape[dim] for dim in back)
        return TensorData(
            self._storage, shape, tuple(self.strides[dim] for dim in back)
        )
