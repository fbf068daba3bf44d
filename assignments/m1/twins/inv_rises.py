# minitorch/scalar_functions.py fails 1.4-backward, 1.5-training: failed
class Inv:
    @staticmethod
    def backward(ctx, d_output):
        (a,) = ctx.saved_values
        return d_output / (a * a)  # wrong: 1 / x falls
