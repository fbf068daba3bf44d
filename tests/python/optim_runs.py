"""Owns how optimizers and schedules are run, for PyTorch, which recorded what they
give (data/make_torch_optim.py), and for ours. Must import neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STEPS = 12
EPOCHS = 50
START = (1.5, -2.0, 0.25, 3.0)
SLOPES = (1.0, 0.5, -4.0, 0.125)

OPTIMIZERS = (
    "SGD([w], lr=0.1)",
    "SGD([w])",
    "SGD([w], lr=0.1, momentum=0.9, dampening=0.2, weight_decay=0.1)",
    "SGD([w], lr=0.1, momentum=0.9, nesterov=True, maximize=True)",
    "Adam([w])",
    "Adam([w], lr=0.1, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.2)",
    "Adam([w], lr=0.1, amsgrad=True, weight_decay=0.1)",
    "Adam([w], lr=0.1, maximize=True, foreach=True)",
    "Adam([w], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    "AdamW([w], lr=0.1)",
    "AdamW([w], lr=0.1, amsgrad=True, weight_decay=0.5)",
    "RMSprop([w])",
    "RMSprop([w], lr=0.05, alpha=0.9, momentum=0.5, centered=True, eps=1e-3)",
    "RMSprop([w], lr=0.05, weight_decay=0.1, maximize=True)",
    "Adagrad([w])",
    "Adagrad([w], lr=0.3, lr_decay=0.1, weight_decay=0.1, eps=1e-3)",
    "Adagrad([w], lr=0.3, initial_accumulator_value=0.5)",
    "Adadelta([w])",
    "Adadelta([w], lr=0.5, rho=0.7, eps=1e-2, weight_decay=0.1)",
    "Adamax([w])",
    "Adamax([w], lr=0.1, betas=(0.5, 0.8), weight_decay=0.1)",
    "NAdam([w])",
    "NAdam([w], lr=0.1, momentum_decay=0.1, weight_decay=0.1)",
    "NAdam([w], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    "RAdam([w])",
    "RAdam([w], lr=0.1, betas=(0.5, 0.9), weight_decay=0.1)",
    "RAdam([w], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    "ASGD([w])",
    "ASGD([w], lr=0.1, lambd=0.1, alpha=0.5, t0=3, weight_decay=0.1)",
    "Rprop([w])",
    "Rprop([w], lr=0.3, etas=(0.4, 1.5), step_sizes=(0.01, 0.5))",
    "LBFGS([w], lr=0.5, max_iter=3)",
    "LBFGS([w], lr=0.1, max_iter=4, history_size=2)",
    "LBFGS([w], max_iter=2, line_search_fn='strong_wolfe')",
    "SGD([{'params': [w], 'lr': 0.2}], lr=0.1, momentum=0.5)",
    "SGD([('weight', w)], lr=0.1)",
)

SCHEDULES = (
    "StepLR(o, 7)",
    "StepLR(o, step_size=3, gamma=0.5)",
    "MultiStepLR(o, milestones=[5, 5, 20, 31], gamma=0.3)",
    "ExponentialLR(o, gamma=0.93)",
    "CosineAnnealingLR(o, T_max=10)",
    "CosineAnnealingLR(o, 7, eta_min=0.01)",
    "CosineAnnealingWarmRestarts(o, T_0=5)",
    "CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=0.02)",
    "LambdaLR(o, lambda epoch: 1 / (1 + 0.1 * epoch))",
    "LambdaLR(o, [lambda epoch: 0.9 ** epoch, lambda epoch: 1.0 + epoch])",
    "MultiplicativeLR(o, lambda epoch: 0.97)",
    "LinearLR(o)",
    "LinearLR(o, start_factor=0.25, end_factor=0.75, total_iters=20)",
    "ConstantLR(o)",
    "ConstantLR(o, factor=0.5, total_iters=11)",
    "PolynomialLR(o, total_iters=30)",
    "PolynomialLR(o, total_iters=40, power=2.5)",
    "OneCycleLR(o, max_lr=1.0, total_steps=50)",
    "OneCycleLR(o, max_lr=[1.0, 2.0], epochs=5, steps_per_epoch=10, three_phase=True)",
    "OneCycleLR(o, 0.7, total_steps=50, anneal_strategy='linear', pct_start=0.4)",
    "CyclicLR(o, base_lr=0.01, max_lr=0.5, step_size_up=6)",
    "CyclicLR(o, 0.01, 0.5, 4, step_size_down=7, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.5, 5, mode='exp_range', gamma=0.97, cycle_momentum=False)",
    "SequentialLR(o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 20)],"
    " milestones=[5])",
    "SequentialLR(o, [s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9), s.StepLR(o, 3)]"
    ", [4, 15])",
    "ChainedScheduler([s.ConstantLR(o, 0.1, 20), s.ExponentialLR(o, 0.9)])",
)

PLATEAUS = (
    "ReduceLROnPlateau(o)",
    "ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=3)",
    "ReduceLROnPlateau(o, mode='max', patience=1, threshold=0.1)",
    "ReduceLROnPlateau(o, patience=0, threshold_mode='abs', threshold=0.05,"
    " min_lr=0.02)",
)


def loss_of(epoch: int) -> float:
    """A loss that falls, stays, and falls again."""
    return 1.0 / (1 + min(epoch, 10)) + 0.03 * (epoch % 3) - 0.002 * max(0, epoch - 25)


def run_optimizer(optim: Any, make: Callable[[list[float]], Any], text: str) -> Any:
    """The parameter after each of the steps down a bowl; its slopes change in time."""
    w = make(list(START))
    slopes = make(list(SLOPES)).detach()
    o = eval(f"optim.{text}", {"optim": optim, "w": w})
    rows = []
    for step in range(STEPS):

        def closure(step: int = step) -> Any:
            o.zero_grad()
            loss = (w * w * (0.5 + 0.1 * step)).sum() + (w * slopes).sum()
            loss.backward()
            return loss

        o.step(closure)
        rows.append(w.detach().numpy().tolist())
    return rows


def _groups(optim: Any, make: Callable[[list[float]], Any]) -> Any:
    first, second = make([1.0]), make([2.0])
    (first.sum() + second.sum()).backward()
    groups = [{"params": [first]}, {"params": [second], "lr": 0.4}]
    return optim.SGD(groups, lr=0.1, momentum=0.9)


def run_schedule(optim: Any, make: Callable[[list[float]], Any], text: str) -> Any:
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


def run_plateau(optim: Any, make: Callable[[list[float]], Any], text: str) -> Any:
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
