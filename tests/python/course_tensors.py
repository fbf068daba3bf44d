"""Functions on tensors that solve the lessons' exercises, and wrong ones."""

from __future__ import annotations

from minitorch import functional, fuse, tensor


def standardised(x):
    centred = x - x.mean(1)
    spread = (centred * centred).mean(1).sqrt()
    return centred / spread


def mean_loss(x, w, y):
    total = 0
    for i in range(x.shape[0]):
        error = x[i] @ w - y[i]
        total = total + (error * error).mean()
    return total / x.shape[0]


def clipped(g, most):
    norm = (g * g).sum().sqrt()
    return g * (most / norm).clamp(max=1.0)


def momentum(w, v, g):
    v.mul_(0.75)
    v.add_(g)
    w.sub_(v * 0.5)


def regression(w, x, y):
    error = x @ w - y
    gradient = x.permute(1, 0) @ error
    w.sub_(gradient * (0.5 / x.shape[0]))


def blended(batch_norm, x, weight, bias, lam):
    return lam * batch_norm(x, weight, bias) + (1 - lam) * x


def gradient_of_lam(gradient, x, normed):
    change = normed - x
    products = gradient * change
    return products.sum()


def leaky(x, w, b):
    z = x * w + b
    return z.relu() - (-z).relu() * 0.25


def as_handed_in(name, function):
    """What a reader gives to `course.check`: with @fuse above it where asked."""
    return fuse(function) if name in FUSED else function


FUSED = {"21.3"}

TENSOR_FUNCTIONS = {
    "17.4": standardised,
    "18.3": mean_loss,
    "18.4": clipped,
    "19.3": momentum,
    "19.4": regression,
    "20.3": blended,
    "20.4": gradient_of_lam,
    "21.3": leaky,
}


def row_by_row(x):
    """Each row takes 8 launches, and `cat` copies it: 6 * 9 = 54."""
    rows = []
    for i in range(x.shape[0]):
        centred = x[i : i + 1] - x[i : i + 1].mean(1)
        rows.append(centred / (centred * centred).mean(1).sqrt())
    return functional.cat(rows)


def mean_twice(x):
    return (x - x.mean(1)) / ((x - x.mean(1)) * (x - x.mean(1))).mean(1).sqrt()


def mean_loss_read(x, w, y):
    total = 0.0
    for i in range(x.shape[0]):
        error = x[i] @ w - y[i]
        total += (error * error).mean().item()
    return tensor([total / x.shape[0]])


def last_loss(x, w, y):
    error = x[x.shape[0] - 1] @ w - y[y.shape[0] - 1]
    return (error * error).mean()


def clipped_with_an_if(g, most):
    norm = (g * g).sum().sqrt()
    return g * (most / norm) if norm > most else g


def always_shortened(g, most):
    return g * (most / (g * g).sum().sqrt())


def momentum_of_new_memory(w, v, g):
    v = v * 0.75 + g
    w = w - v * 0.5


def momentum_of_many_steps(w, v, g):
    v.copy_(v * 0.75 + g)
    w.copy_(w - v * 0.5)


def weights_first(w, v, g):
    w.sub_(v * 0.5)
    v.mul_(0.75)
    v.add_(g)


def regression_that_waits(w, x, y):
    error = x @ w - y
    if error.sum().item() != 0:
        w.sub_((x.permute(1, 0) @ error) * (0.5 / x.shape[0]))


def blended_the_other_way(batch_norm, x, weight, bias, lam):
    return lam * x + (1 - lam) * batch_norm(x, weight, bias)


def normed_twice(batch_norm, x, weight, bias, lam):
    part = lam * (batch_norm(x, weight, bias) - x)
    return batch_norm(x, weight, bias) * 0 + x + part


def leaky_of_a_slope_for_all(x, w, b):
    z = x * w + b
    return z.relu() - z * 0.25


def leaky_of_the_product(x, w, b):
    z = x * w
    return z.relu() - (-z).relu() * 0.25 + b


# Exercise, function, state, what is said of it.
WRONG_TENSOR_FUNCTIONS = [
    ("17.4", row_by_row, "too costly", "54 launches; 8 are enough (course_tensors.py"),
    ("17.4", mean_twice, "too costly", "only once"),
    ("17.4", lambda x: x - x.mean(1), "wrong", " at [0, 0]; need "),
    ("17.4", lambda x: x.mean(1), "wrong", "gave a tensor (6, 1); need (6, 5)."),
    ("17.4", lambda x: 3, "wrong", "(a tensor (6, 5)) gave int; need a tensor (6, 5)."),
    ("17.4", lambda x, y: x, "wrong", "raised TypeError"),
    ("18.3", mean_loss_read, "too costly", "4 waits; need none (course_tensors.py:"),
    ("18.3", last_loss, "wrong", "(a tensor (4, 6, 3), a tensor (3, 1), a tensor (4,"),
    ("18.4", clipped_with_an_if, "too costly", "1 wait; need none"),
    ("18.4", always_shortened, "wrong", "(a tensor (6, 4), 100.0) gave "),
    ("19.3", momentum_of_new_memory, "wrong", "after 3 replays, argument 0 is "),
    ("19.3", momentum_of_many_steps, "too costly", "launches; 4 are enough"),
    ("19.3", weights_first, "wrong", "after 3 replays, argument 0 is "),
    ("19.4", regression_that_waits, "wrong", "GraphCaptureError: [graph] got a wait"),
    ("20.3", blended_the_other_way, "wrong", "(stand_in, a tensor (3, 4), a tensor"),
    ("20.3", normed_twice, "too costly", "launches; 5 are enough"),
    ("20.4", lambda d, x, normed: (d * normed).sum(), "wrong", "; need "),
    (
        "20.4",
        lambda d, x, normed: (d * normed).sum() - (d * x).sum(),
        "too costly",
        "5 launches; 3 are enough",
    ),
    ("21.3", leaky, "too costly", "7 launches; 1 is enough"),
    ("21.3", fuse(leaky_of_a_slope_for_all), "wrong", "; need "),
    ("21.3", fuse(leaky_of_the_product), "wrong", "a tensor (4,)) gave "),
    ("21.3", fuse(lambda x, w, b: x.sum()), "wrong", "raised TypeError: [fuse]"),
]
