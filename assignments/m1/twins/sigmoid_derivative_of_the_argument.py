# minitorch/scalar_functions.py fails 1.4-backward, 1.5-training: failed
class Sigmoid:
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return operators.sigmoid(a)

    @staticmethod
    def backward(ctx, d_output):
        (a,) = ctx.saved_values
        return d_output * a * (1.0 - a)  # wrong: the argument is not its sigmoid
