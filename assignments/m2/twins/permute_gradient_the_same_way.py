# minitorch/tensor_functions.py fails 2.4-shapes, 2.5-training: error
class Permute:
    @staticmethod
    def backward(ctx, grad_output):
        (dims,) = ctx.saved_values
        turned = grad_output._tensor.permute(*dims)  # wrong: not the way back
        return grad_output._new(turned), 0.0
