# minitorch/scalar_functions.py fails 1.4-backward, 1.5-training: failed
class ReLU:
    @staticmethod
    def backward(ctx, d_output):
        return d_output  # wrong: nothing came through below 0
