# minitorch/autodiff.py fails 1.4-order, 1.4-graphs, 1.5-training: failed, error
def topological_sort(variable):
    finished, seen, open_ = [], set(), [(variable, False)]
    while open_:
        one, parents_are_done = open_.pop()
        if parents_are_done:
            finished.append(one)
        elif one.unique_id not in seen:  # wrong: constants belong to no graph
            seen.add(one.unique_id)
            open_.append((one, True))
            if not one.is_constant():
                open_ += [(parent, False) for parent in one.parents]
    return list(reversed(finished))
