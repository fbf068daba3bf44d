# minitorch/nn.py fails 4.3-average: failed


def avgpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    batch, channel, _, _ = input.shape
    tiles, down, across = tile(input, kernel)
    return (
        (tiles.sum(4) / (kernel[0] * kernel[0]))
        .contiguous()
        .view(batch, channel, down, across)
    )  # wrong: not square
