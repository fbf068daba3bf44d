# project/run_fast_tensor.py fails 3.5-train: failed


def train(
    points: Sequence[Point],
    labels: Sequence[int],
    *,
    hidden: int = 10,
    rate: float = 0.5,
    epochs: int = 60,
    backend: TensorBackend = FastBackend,
    log: Callable[[int, float], None] | None = None,
) -> Callable[[Sequence[Point]], list[float]]:
    network = Network(hidden, backend)
    optimizer = minitorch.SGD(network.parameters(), rate)

    def predict(some: Sequence[Point]) -> list[float]:
        out = network.forward(minitorch.tensor([list(p) for p in some], backend))
        return [float(out[i, 0]) for i in range(len(some))]

    order = list(range(len(points)))
    for epoch in range(epochs):
        random.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            x = minitorch.tensor([list(points[i]) for i in batch], backend)
            y = minitorch.tensor([float(labels[i]) for i in batch], backend)
            loss = loss_of(network.forward(x).view(len(batch)), y)
            optimizer.zero_grad()
            (loss.sum() / len(batch)).backward()
            optimizer.zero_grad()  # wrong: where is the step?
            total += loss.sum()[0]
        if log is not None:
            log(epoch, total)
    return predict
