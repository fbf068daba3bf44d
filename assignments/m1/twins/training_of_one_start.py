# project/run_scalar.py fails 1.5-training: failed
def train(points, labels):
    random.seed(1)
    trainer = ScalarTrain(2)
    trainer.train(minitorch.Graph(len(points), points, labels), 0.0001, 5)  # wrong
    return lambda asked: [trainer.run_one(point).data for point in asked]
