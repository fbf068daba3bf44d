# minitorch/tensor_functions.py fails 2.4-functions, 2.5-training: failed
class Exp:
    @staticmethod
    def backward(ctx, grad_output):
        (out,) = ctx.saved_values
        return out  # wrong: and what comes from the right?
