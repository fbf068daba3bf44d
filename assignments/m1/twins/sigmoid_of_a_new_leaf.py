# minitorch/scalar.py fails 1.2-graph, 1.4-backward, 1.5-training: failed
class Scalar:
    def sigmoid(self):
        return Sigmoid.apply(self.data)  # wrong: a number is a new leaf
