# minitorch/nn.py fails 4.4-max-gradient: failed


class Max(Function):
    @staticmethod
    def forward(ctx: Context, input: Tensor, dim: Tensor) -> Tensor:
        axis = int(dim.item())
        ctx.save_for_backward(input, axis)
        return max_reduce(input, axis)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        input, axis = ctx.saved_values
        largest = argmax(input, axis)
        return grad_output * largest, 0.0  # wrong: equals share it
