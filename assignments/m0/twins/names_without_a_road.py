# minitorch/module.py fails 0.4-parameters: failed
class Module:
    def named_parameters(self):
        found = list(self.__dict__["_parameters"].items())
        for module in self.modules():
            found += module.named_parameters()  # wrong: which module's weight?
        return found
