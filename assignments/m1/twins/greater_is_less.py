# minitorch/scalar.py fails 1.2-functions: failed
class Scalar:
    def __gt__(self, b):
        return LT.apply(self, b)  # wrong: the sides stay as they are
