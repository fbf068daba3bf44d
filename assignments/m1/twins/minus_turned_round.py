# minitorch/scalar.py fails 1.2-operators, 1.2-functions, 1.4-backward, 1.5-training: failed
class Scalar:
    def __sub__(self, b):
        return Add.apply(b, Neg.apply(self))  # wrong: b - self
