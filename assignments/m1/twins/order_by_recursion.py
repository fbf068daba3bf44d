# minitorch/autodiff.py fails 1.4-deep: error
def topological_sort(variable):
    order, seen = [], set()

    def visit(one):
        if one.unique_id in seen or one.is_constant():
            return
        seen.add(one.unique_id)
        for parent in one.parents:
            visit(parent)  # wrong: as deep as the graph
        order.append(one)

    visit(variable)
    return list(reversed(order))
