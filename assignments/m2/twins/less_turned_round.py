# minitorch/tensor_functions.py fails 2.3-functions, 2.4-functions, 2.5-training: failed
class LT:
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a.shape, b.shape)
        return a.f.lt_zip(b, a)  # wrong: b < a
