"""How optimizers and schedules are run, for PyTorch, which recorded what they give
(data/make_torch_optim.py), and for ours. Must import neither.
"""

from __future__ import annotations

import json
from pathlib import Path

# What PyTorch gave, by sentence: optimizers, schedules and plateaus.
RECORDED = Path(__file__).parent / "data" / "torch_optim.json"

STEPS = 12
EPOCHS = 50
START = (1.5, -2.0, 0.25, 3.0)
SLOPES = (1.0, 0.5, -4.0, 0.125)


def recorded():
    """Return the recorded runs by kind and sentence."""
    rows = json.loads(RECORDED.read_text())
    return rows


def loss_of(epoch):
    """A loss that falls, stays, and falls again."""
    return 1.0 / (1 + min(epoch, 10)) + 0.03 * (epoch % 3) - 0.002 * max(0, epoch - 25)


def run_optimizer(optim, make, text):
    """The parameter after each of the steps down a bowl; its slopes change in time."""
    w = make(list(START))
    slopes = make(list(SLOPES)).detach()
    o = eval(f"optim.{text}", {"optim": optim, "w": w})
    rows = []
    for step in range(STEPS):

        def closure(step=step):
            o.zero_grad()
            loss = (w * w * (0.5 + 0.1 * step)).sum() + (w * slopes).sum()
            loss.backward()
            return loss

        o.step(closure)
        rows.append(w.detach().numpy().tolist())
    return rows


def _groups(optim, make):
    first, second = make([1.0]), make([2.0])
    (first.sum() + second.sum()).backward()
    groups = [{"params": [first]}, {"params": [second], "lr": 0.4}]
    return optim.SGD(groups, lr=0.1, momentum=0.9)


def run_schedule(optim, make, text):
    """The rates of two groups, and a momentum, at each epoch."""
    s = optim.lr_scheduler
    o = _groups(optim, make)
    schedule = eval(f"s.{text}", {"s": s, "o": o})
    rows = []
    for epoch in range(EPOCHS):
        momentum = o.param_groups[0]["momentum"]
        rows.append([*schedule.get_last_lr(), momentum])
        if epoch < EPOCHS - 1:
            o.step()
            schedule.step()
    return rows


def run_plateau(optim, make, text):
    """The rates of two groups after each epoch's loss."""
    s = optim.lr_scheduler
    o = _groups(optim, make)
    schedule = eval(f"s.{text}", {"s": s, "o": o})
    rows = []
    for epoch in range(EPOCHS):
        o.step()
        schedule.step(loss_of(epoch))
        rows.append([group["lr"] for group in o.param_groups])
    return rows
