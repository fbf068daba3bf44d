# minitorch/tensor_functions.py fails 2.4-functions, 2.4-shapes, 2.5-training: failed
class Mul:
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_values
        f = grad_output.f
        return f.mul_zip(grad_output, a), f.mul_zip(grad_output, b)  # wrong
