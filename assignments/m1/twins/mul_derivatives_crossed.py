# minitorch/scalar_functions.py fails 1.4-backward, 1.4-deep, 1.5-training: failed
class Mul:
    @staticmethod
    def backward(ctx, d_output):
        a, b = ctx.saved_values
        return d_output * a, d_output * b  # wrong: each has the other's
