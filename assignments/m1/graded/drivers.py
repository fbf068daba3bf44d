"""Holds what the judge has called: plain functions of arrays and numbers."""

import numpy as np

import minitorch
from minitorch import MathTestVariable, Scalar, ScalarFunction, topological_sort


def polynomial(x, y, z, arg, epsilon):
    """The derivative of x^3 y + 5 y z^2 + x by an argument."""

    def f(a, b, c):
        return a * a * a * b + 5.0 * b * c * c + a

    return float(minitorch.central_difference(f, x, y, z, arg=arg, epsilon=epsilon))


def exponential(x):
    return float(minitorch.central_difference(np.exp, x))


def _data(*scalars):
    """Data of Scalars; NaN where it is none, or its data is no float."""
    return np.array(
        [
            s.data if isinstance(s, Scalar) and type(s.data) is float else np.nan
            for s in scalars
        ]
    )


def operators(a, b):
    x, y = Scalar(a), Scalar(b)
    return np.stack(
        [
            _data(x + y, x - y, x * y, x / y, -x),
            _data(x + b, x - b, x * b, x / b, -y),
            _data(a + y, a - y, a * y, a / y, -x * -1.0),
        ]
    )


def comparisons(a, b):
    x, y = Scalar(a), Scalar(b)
    return np.stack(
        [
            _data(x < y, x > y, x == y),
            _data(x < b, x > b, x == b),
            _data(a < y, a > y, a == y),
        ]
    )


def functions(a):
    x = Scalar(a)
    small = Scalar(a / 20)
    return _data(x.relu(), small.exp(), x.sigmoid(), (x * x).log(), (-x).relu())


def all_functions(a, b):
    """Every function that variables are tested with."""
    one, two, _ = MathTestVariable._tests()
    x, y = Scalar(a), Scalar(b)
    return _data(*[fn(x) for _, fn in one], *[fn(x, y) for _, fn in two])


def _remembers(result, *leaves):
    """Which leaves can be reached from a result, by a walk of our own."""
    reached, open_ = set(), [result]
    while open_:
        one = open_.pop()
        reached.add(one.unique_id)
        open_ += one.history.inputs if one.history is not None else []
    return [leaf.unique_id in reached for leaf in leaves]


def graphs(a, b):
    """Does each result remember both of its arguments?"""
    x, y = Scalar(a), Scalar(b)
    results = [x + y, x - y, x * y, x / y, x < y, x > y, x == y]
    results += [x.log() - y.exp(), x.relu() * y.sigmoid(), (1 - x) + 2 / y, -x + 3 * y]
    return np.array([_remembers(each, x, y) for each in results])


class _Three(ScalarFunction):
    """x * y * z + x"""

    @staticmethod
    def forward(ctx, x, y, z):
        ctx.save_for_backward(x, y, z)
        return float(x * y * z + x)

    @staticmethod
    def backward(ctx, d_output):
        x, y, z = ctx.saved_values
        return d_output * (y * z + 1), d_output * x * z, d_output * x * y


def chain(a, b, c, d):
    """Derivatives by three arguments, one a plain number; which variable each is."""
    x, z = Scalar(a), Scalar(c)
    back = list(_Three.apply(x, b, z).chain_rule(d))
    again = list(_Three.apply(x, x, z).chain_rule(d))
    own = [back[0][0] is x, back[1][0].data == b, back[2][0] is z]
    own += [again[0][0] is x, again[1][0] is x]
    one = list(x.exp().chain_rule(d))
    return [
        np.array([part for _, part in back + again], float),
        np.array(own, bool),
        np.array([len(back), len(again), len(one), x.derivative is None]),
    ]


def _random_graph(choices, leaves):
    """Scalars: each computed from two before it, which the choices say."""
    leaf = minitorch.ScalarHistory()
    nodes = [Scalar(v, None if i == 1 else leaf) for i, v in enumerate(leaves)]
    for first, second in choices:
        nodes.append(nodes[first % len(nodes)] + nodes[second % len(nodes)])
    return nodes


def order(choices, leaves):
    """Faults of an order: doubles, constants, parents that come too early, missing."""
    nodes = _random_graph(choices.tolist(), leaves.tolist())
    got = list(topological_sort(nodes[-1]))
    places = {}
    for place, each in enumerate(got):
        places.setdefault(each.unique_id, place)
    constants = sum(each.history is None for each in got)
    early = sum(
        places.get(parent.unique_id, len(got)) < place
        for place, each in enumerate(got)
        if each.history is not None
        for parent in each.history.inputs
        if parent.history is not None
    )
    reached, open_ = set(), [nodes[-1]]
    while open_:
        one = open_.pop()
        if one.history is not None and one.unique_id not in reached:
            reached.add(one.unique_id)
            open_ += one.history.inputs
    first = len(got) > 0 and got[0] is nodes[-1]
    return np.array(
        [len(got) - len(places), constants, early, len(reached) - len(places), first]
    )


def derivatives(a, b, d):
    """d times the derivatives of functions of two Scalars, by both."""
    found = []
    for f in (
        lambda x, y: x * y + x,
        lambda x, y: x / y - y,
        lambda x, y: (x * y).sigmoid(),
        lambda x, y: x.relu() * (-y).relu() + x + y,
        lambda x, y: (x * x + 1).log() * y,
        lambda x, y: (x * 0.1).exp() + 2.0 * y * y,
        lambda x, y: (x < y) * x + (x == y) * y + y + x,
        lambda x, y: 3.0 / y + (5.0 - x),
    ):
        x, y = Scalar(a), Scalar(b)
        f(x, y).backward(d)
        found.append([x.derivative, y.derivative])
    return np.array(found, float)


def shared(choices, leaves, calls):
    """Derivatives of a random graph by its leaves after some calls of backward."""
    nodes = _random_graph(choices.tolist(), leaves.tolist())
    for _ in range(calls):
        nodes[-1].backward()
    inner = sum(node.derivative is not None for node in nodes[len(leaves) :])
    own = [nodes[i].derivative for i in range(len(leaves)) if i != 1]
    return [np.array([0.0 if d is None else d for d in own]), np.array([inner])]


def deep(depth, a):
    """A chain of products, deeper than Python's stack."""
    x = Scalar(a)
    result = x
    for _ in range(depth):
        result = result + 1.0
    result.backward()
    return np.array([x.derivative, result.data])


def bushy(levels):
    """A graph with two roads at each of its levels."""
    x = Scalar(1.0)
    result = x
    for _ in range(levels):
        result = result * 1.0 + result
    result.backward()
    return np.array([x.derivative])


def learned(points, labels, asked):
    """Probabilities of the label 1 for points that were not trained on."""
    from project.run_scalar import train

    predict = train(points.tolist(), [int(label) for label in labels])
    return np.array([float(each) for each in predict(asked.tolist())])
