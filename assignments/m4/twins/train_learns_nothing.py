# project/run_mnist_multiclass.py fails 4.5-train: failed


def train(
    images: Sequence[Image],
    labels: Sequence[int],
    *,
    classes: int = 4,
    rate: float = 0.5,
    epochs: int = 8,
    backend: TensorBackend = Backend,
    log: Callable[[int, float], None] | None = None,
) -> Callable[[Sequence[Image]], list[list[float]]]:
    network = Network(classes, backend)
    optimizer = minitorch.SGD(network.parameters(), rate)

    def stacked(some: Sequence[Image]) -> Tensor:
        return minitorch.tensor([[[list(r) for r in image]] for image in some], backend)

    def predict(some: Sequence[Image]) -> list[list[float]]:
        out = network.forward(stacked(some)).exp()
        return [[float(out[i, j]) for j in range(classes)] for i in range(len(some))]

    order = list(range(len(images)))
    for epoch in range(epochs):
        random.shuffle(order)
        total = 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = [[float(labels[i] == j) for j in range(classes)] for i in batch]
            optimizer.zero_grad()
            out = network.forward(stacked([images[i] for i in batch]))
            loss = -(out * minitorch.tensor(rows, backend)).sum() / len(batch)
            loss.backward()
            optimizer.zero_grad()  # wrong: where is the step?
            total += loss[0]
        if log is not None:
            log(epoch, total)
    return predict
