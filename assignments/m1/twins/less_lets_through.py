# minitorch/scalar_functions.py fails 1.4-backward, 1.5-training: failed
class LT:
    @staticmethod
    def backward(ctx, d_output):
        return d_output, -d_output  # wrong: a step is flat
