# minitorch/module.py fails 0.4-parameters: failed
class Module:
    def parameters(self):
        own = list(self.__dict__["_parameters"].values())
        for module in self.modules():
            own += module.__dict__["_parameters"].values()  # wrong: and below?
        return own
