# minitorch/tensor_functions.py fails 2.3-functions, 2.5-training: failed
class IsClose:
    @staticmethod
    def forward(ctx, a, b):
        return a.f.eq_zip(a, b)  # wrong: floats are rounded
