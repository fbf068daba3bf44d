# project/run_fast_tensor.py fails 3.5-train: failed


def loss_of(out: Tensor, y: Tensor) -> Tensor:
    return (out * y + (out - 1.0) * (y - 1.0)).log()  # wrong: the sign
