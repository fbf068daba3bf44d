"""The writing of random kernels for one thread, as Python source.

They compute in int64 and float64, with numbers kept small, so that plain Python gives
the same values. Every loop ends, every index is inside, nothing divides by zero.
"""

from __future__ import annotations

import random

#: What the kernels call; put before each.
FUNCTIONS = """
def limited(v):
    return v if -1000 < v < 1000 else v % 7

def first(u, v):
    if u > v:
        return u - v
    return v * 2

def second(u, v):
    s = 0
    for k in range(3):
        if k > u:
            break
        s += v + k
    return limited(s)
"""
_RANGES = ("4", "3", "1, 5", "5, 0, -2", "0, 6, 2")
_NUMBERS = ("0", "1", "2", "3", "-1", "-4", "0.5", "2.5", "-1.5")


def random_program(seed):
    """Write `kernel(o, a, p, q)`: `o` float64[6], `a` of numbers[6], two numbers."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["def kernel(o, a, p, q):"]
        self.variables = ["p", "q"]
        self.loops = self.loops_open = 0

    def program(self):
        for _ in range(4):
            self.block(1, 0)
        for index, name in enumerate(self.variables[:6]):
            self.put(1, f"o[{index}] += limited({name})")
        return FUNCTIONS + "\n".join(self.lines) + "\n"

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def expression(self, depth=0):
        inner = depth + 1
        way = self.random.random()
        if depth > 2 or way < 0.25:
            return self.random.choice(self.variables)
        if way < 0.4:
            return self.random.choice(_NUMBERS)
        if way < 0.55:
            return f"{'oa'[way < 0.5]}[{self.index(inner)}]"
        one, other = self.expression(inner), self.expression(inner)
        if way < 0.7:
            name = self.random.choice(("min", "max", "first", "second"))
            return f"{name}({one}, {other})" if way > 0.6 else f"abs({one})"
        if way < 0.74:
            return f"({one} if {self.condition(inner)} else {other})"
        if way < 0.78:
            return f"({one} {self.random.choice(('and', 'or'))} {other})"
        if way < 0.82:
            divisor = self.random.choice(("3", "-3", "2.5", "7"))
            return f"({one} {self.random.choice(('//', '%'))} {divisor})"
        if way < 0.85:
            return f"int({one})"
        return f"({one} {self.random.choice('+-*')} {other})"

    def index(self, depth):
        way = self.random.random()
        if way < 0.4:
            return str(self.random.randrange(-6, 6))
        shift = "" if way < 0.8 else " - 6"
        return f"int({self.expression(depth)}) % 6{shift}"

    def condition(self, depth=0):
        way = self.random.random()
        if depth < 2 and way < 0.3:
            if way < 0.1:
                return f"not {self.condition(depth + 1)}"
            joint = self.random.choice(("and", "or"))
            return f"({self.condition(depth + 1)} {joint} {self.condition(depth + 1)})"
        if way < 0.4:
            values = (self.expression(2) for _ in range(3))
            return "{} < {} <= {}".format(*values)
        sign = self.random.choice(("<", ">", "==", "!=", "<=", ">="))
        return f"{self.expression(2)} {sign} {self.expression(2)}"

    def block(self, at, depth):
        known = list(self.variables)
        for _ in range(self.random.randrange(1, 4)):
            self.statement(at, depth)
        if depth:
            self.variables = known

    def statement(self, at, depth):
        way = self.random.random()
        if way < 0.35:
            new = ["x", "y", "z"] if depth < 1 else []
            name = self.random.choice(self.variables + new)
            self.put(at, f"{name} = limited({self.expression()})")
            if name not in self.variables:
                self.variables.append(name)
        elif way < 0.45:
            self.put(at, f"o[{self.index(1)}] = limited({self.expression()})")
        elif way < 0.5:
            sign = self.random.choice("+-")
            value = self.expression(1)
            self.put(at, f"o[{self.index(1)}] {sign}= limited({value}) % 5")
        elif way < 0.55:
            a, b = (self.random.choice(self.variables) for _ in range(2))
            self.put(at, f"{a}, {b} = {b}, {a}")
        elif way < 0.75 and depth < 3:
            self.put(at, f"if {self.condition()}:")
            self.block(at + 1, depth + 1)
            if self.random.random() < 0.5:
                self.put(at, "else:")
                self.block(at + 1, depth + 1)
        elif way < 0.9 and depth < 3 and self.loops_open < 2:
            self.loop(at, depth)
        elif self.loops_open and depth > 1:
            self.put(at, f"if {self.condition()}:")
            self.put(at + 1, self.random.choice(("break", "continue")))
        else:
            self.put(at, "pass")

    def loop(self, at, depth):
        self.loops += 1
        self.loops_open += 1
        name = f"i{self.loops}"
        if self.random.random() < 0.6:
            self.put(at, f"for {name} in range({self.random.choice(_RANGES)}):")
            self.variables.append(name)
            self.block(at + 1, depth + 1)
            self.variables.remove(name)
        else:
            self.put(at, f"{name} = 0")
            most = self.random.randrange(1, 5)
            self.put(at, f"while {name} < {most} and {self.condition(1)}:")
            self.put(at + 1, f"{name} += 1")
            self.block(at + 1, depth + 1)
        self.loops_open -= 1
        if self.random.random() < 0.2:
            self.put(at, "else:")
            self.block(at + 1, depth + 1)
