# minitorch/operators.py fails 1.1-secret: failed
import numpy as np


def clip(values, low, high):
    bounds = np.maximum(np.floor(low), -3), np.minimum(np.ceil(high), 3)
    return np.clip(values, *bounds)  # wrong: bounds are rounded
