# minitorch/operators.py fails 1.1-clip, 1.1-secret: failed
import numpy as np


def clip(values, low, high):
    return np.minimum(values, high)  # wrong: the lower bound is forgotten
