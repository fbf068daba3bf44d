# minitorch/autodiff.py fails 1.4-backward, 1.4-graphs, 1.4-deep, 1.5-training: failed
def backpropagate(variable, deriv):
    derivatives = {variable.unique_id: deriv}
    for one in topological_sort(variable):
        d = derivatives.pop(one.unique_id)
        if one.is_leaf():
            one.accumulate_derivative(d)
            continue
        for parent, part in one.chain_rule(d):
            if not parent.is_constant():
                derivatives[parent.unique_id] = part  # wrong: roads add up
