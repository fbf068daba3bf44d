# minitorch/autodiff.py fails 1.4-order, 1.4-backward, 1.4-graphs, 1.5-training: failed
def topological_sort(variable):
    order, seen, open_ = [], set(), [variable]
    while open_:
        one = open_.pop(0)
        if one.unique_id in seen or one.is_constant():
            continue
        seen.add(one.unique_id)
        order.append(one)  # wrong: a parent may still have other children
        open_ += one.parents
    return order
