# minitorch/tensor_functions.py fails 2.4-functions, 2.5-training: failed
class Sigmoid:
    @staticmethod
    def forward(ctx, t1):
        ctx.save_for_backward(t1)
        return t1.f.sigmoid_map(t1)

    @staticmethod
    def backward(ctx, grad_output):
        (t1,) = ctx.saved_values
        return grad_output * t1 * (1.0 - t1)  # wrong: the argument is not its σ
