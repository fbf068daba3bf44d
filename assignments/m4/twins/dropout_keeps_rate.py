# minitorch/nn.py fails 4.4-dropout: failed


def dropout(input: Tensor, rate: float, ignore: bool = False) -> Tensor:
    if ignore:
        return input
    kept = rand(input.shape, backend=input.backend) < rate  # wrong: these are dropped
    return input * kept
