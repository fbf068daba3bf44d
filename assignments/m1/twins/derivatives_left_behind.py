# minitorch/autodiff.py fails 1.4-graphs, 1.5-training: failed
_derivatives = {}  # wrong: still there at the next call


def backpropagate(variable, deriv):
    _derivatives[variable.unique_id] = deriv
    for one in topological_sort(variable):
        d = _derivatives[one.unique_id]
        if one.is_leaf():
            one.accumulate_derivative(d)
            continue
        for parent, part in one.chain_rule(d):
            if not parent.is_constant():
                at = parent.unique_id
                _derivatives[at] = _derivatives.get(at, 0.0) + part
