# minitorch/scalar.py fails 1.2-graph: failed
class Scalar:
    def __eq__(self, b):
        other = b.data if isinstance(b, Scalar) else b
        return Scalar(EQ.forward(Context(), self.data, other))  # wrong: no history
