# minitorch/scalar.py fails 1.3-chain, 1.4-backward, 1.4-deep, 1.5-training: failed
class Scalar:
    def chain_rule(self, d_output):
        h = self.history
        parts = h.last_fn._backward(h.ctx, d_output)
        turned = reversed(h.inputs)  # wrong: each gets another's
        return list(zip(turned, parts, strict=True))
