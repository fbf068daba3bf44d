# minitorch/nn.py fails 4.4-logsoftmax: failed


def logsoftmax(input: Tensor, dim: int) -> Tensor:
    return softmax(input, dim).log()  # wrong: a share may be 0 for a float
