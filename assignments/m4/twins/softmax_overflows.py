# minitorch/nn.py fails 4.4-softmax: error


def softmax(input: Tensor, dim: int) -> Tensor:
    powers = input.exp()  # wrong: exp(900) is too large for a float
    return powers / powers.sum(dim)
