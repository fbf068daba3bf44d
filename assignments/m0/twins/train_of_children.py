# minitorch/module.py fails 0.4-modes: failed
class Module:
    def train(self):
        self.training = True
        for module in self.modules():
            module.training = True  # wrong: children, but no grandchildren
