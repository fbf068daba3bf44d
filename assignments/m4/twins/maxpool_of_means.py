# minitorch/nn.py fails 4.4-maxpool: failed


def maxpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    batch, channel, _, _ = input.shape
    tiles, down, across = tile(input, kernel)
    return (
        tiles.mean(4).contiguous().view(batch, channel, down, across)
    )  # wrong: the mean
