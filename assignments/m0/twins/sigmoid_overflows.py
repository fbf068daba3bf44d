# minitorch/operators.py fails 0.1-sigmoid: error
import math


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))  # wrong: exp(1000) is no float
