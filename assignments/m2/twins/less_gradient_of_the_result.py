# minitorch/tensor_functions.py fails 2.4-functions, 2.4-shapes, 2.5-training: failed
class LT:
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output  # wrong: a step is flat
