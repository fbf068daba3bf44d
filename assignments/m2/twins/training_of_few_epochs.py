# project/run_tensor.py fails 2.5-training: failed
def train(points, labels):
    random.seed(0)
    trainer = TensorTrain(4)
    data = minitorch.Graph(len(points), points, labels)
    trainer.train(data, 0.0001, 3)  # wrong: stands nearly still
    return lambda asked: trainer.run_many(asked).to_numpy()[:, 0].tolist()
