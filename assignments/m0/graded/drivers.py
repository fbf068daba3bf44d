"""Holds what the judge has called: plain functions of arrays and numbers."""

import numpy as np
from project import run_manual

import minitorch
from minitorch import operators


def _floats(*rows):
    """Each value as it is if it is a float, else NaN, which is never right."""
    return np.array([[v if type(v) is float else np.nan for v in row] for row in rows])


def arithmetic(xs, ys):
    pairs = list(zip(xs.tolist(), ys.tolist(), strict=True))
    return _floats(
        [operators.mul(x, y) for x, y in pairs],
        [operators.add(x, y) for x, y in pairs],
        [operators.neg(x) for x, _ in pairs],
        [operators.id(x) for x, _ in pairs],
        [operators.inv(x) for x, _ in pairs],
        [operators.max(x, y) for x, y in pairs],
    )


def comparisons(xs, ys):
    pairs = list(zip(xs.tolist(), ys.tolist(), strict=True))
    return _floats(
        [operators.lt(x, y) for x, y in pairs],
        [operators.eq(x, y) for x, y in pairs],
        [operators.is_close(x, y) for x, y in pairs],
    )


def sigmoid(xs):
    return _floats([operators.sigmoid(x) for x in xs.tolist()])


def relu(xs, ds):
    return _floats(
        [operators.relu(x) for x in xs.tolist()],
        [
            operators.relu_back(x, d)
            for x, d in zip(xs.tolist(), ds.tolist(), strict=True)
        ],
    )


def derivatives(xs, ds):
    pairs = list(zip(xs.tolist(), ds.tolist(), strict=True))
    return _floats(
        [operators.log_back(x, d) for x, d in pairs],
        [operators.inv_back(x, d) for x, d in pairs],
    )


def lists(xs, ys):
    """map and zipWith, of lists and of what can be walked once; inputs last."""
    a, b = xs.tolist(), ys.tolist()
    return [
        np.array(list(operators.map(lambda x: 3 * x + 1)(a)), float),
        np.array(list(operators.map(lambda x: x - 2)(x for x in a)), float),
        np.array(list(operators.negList(a)), float),
        np.array(list(operators.zipWith(lambda x, y: x - 2 * y)(a, b)), float),
        np.array(list(operators.zipWith(lambda x, y: x)(iter(a), iter(b))), float),
        np.array(list(operators.addLists(a, b)), float),
        np.array(a),
        np.array(b),
    ]


def folds(xs, start):
    """A fold that tells the order and the start, sum and prod; of nothing, too."""
    a = xs.tolist()
    fold = operators.reduce(lambda x, total: 0.5 * total + x, start)
    first, second = fold(a), fold(iter(a))  # the same fold twice
    return np.array(
        [
            first,
            second,
            fold([]),
            operators.sum(a),
            operators.sum([]),
            operators.prod(a),
            operators.prod(x for x in a),
            operators.prod([]),
        ]
    )


class _Node(minitorch.Module):
    """A module with some parameters and some modules inside."""

    def __init__(self, values, inside):
        super().__init__()
        names = iter("abcdefgh")
        for module in inside:
            setattr(self, f"m{next(names)}", module)
        for value in values:
            self.add_parameter(f"p{next(names)}", value)


def _tree(values, depth):
    """A tree of modules: each has two values, and two modules with the rest."""
    if depth == 0 or len(values) <= 2:
        return _Node(values, [])
    half = 2 + (len(values) - 2) // 2
    inside = [_tree(values[2:half], depth - 1), _tree(values[half:], depth - 1)]
    return _Node(values[:2], inside)


def _all_modules(module):
    found = [module]
    for each in module.modules():
        found += _all_modules(each)
    return found


def parameters(values):
    """Values in order, by both lists, and the bytes of all names."""
    tree = _tree(values.tolist(), 3)
    named = list(tree.named_parameters())
    text = "\n".join(name for name, _ in named)
    return [
        np.array([p.value for _, p in named], float),
        np.array([p.value for p in tree.parameters()], float),
        np.frombuffer(text.encode(), np.uint8),
    ]


def modes(values, part):
    """`training` of every module: after eval of all, after train of a part."""
    tree = _tree(values.tolist(), 3)
    everywhere = _all_modules(tree)
    tree.eval()
    first = [each.training for each in everywhere]
    everywhere[part % len(everywhere)].train()
    second = [each.training for each in everywhere]
    tree.train()
    return np.array([first, second, [each.training for each in everywhere]], bool)


def simple(points):
    return np.array(run_manual.predict("Simple", points.tolist()))


def diag(points):
    return np.array(run_manual.predict("Diag", points.tolist()))
