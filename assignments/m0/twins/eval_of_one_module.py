# minitorch/module.py fails 0.4-modes: failed
class Module:
    def eval(self):
        self.training = False  # wrong: the modules inside go on training
