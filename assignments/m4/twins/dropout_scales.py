# minitorch/nn.py fails 4.4-dropout: failed


def dropout(input: Tensor, rate: float, ignore: bool = False) -> Tensor:
    if ignore:
        return input
    kept = 1.0 - (rand(input.shape, backend=input.backend) < rate)
    return input * kept / (1.0 - rate + 1e-9)  # wrong: what stays is as it was
