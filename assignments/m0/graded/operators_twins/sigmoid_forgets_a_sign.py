# minitorch/operators.py fails 0.2-caught: failed
import math


def sigmoid(x):
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return 1.0 / (1.0 + math.exp(x))  # wrong: goes up again on the left
