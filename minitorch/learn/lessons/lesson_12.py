"""The exercises of lesson 12: derivatives of a program, step by step."""

from __future__ import annotations

from .function_task import FunctionTask
from .question import Question

GROWTH = Question(
    "12.1",
    4,
    "Let x be 2.01 instead of 2, with y = 3, and compare x * y + x before and after.",
    {3: "That is how much x * y grows. What about the x that is added?",
     1: "That is how much the added x grows. What about x * y?",
     2: "That is how much it grows when y grows, because y is multiplied by x."},
)  # fmt: skip

USED_TWICE = Question(
    "12.2",
    8,
    "x * x grows because of the left x and because of the right one.",
    {4: "That is the share of one of the two. The other x grows as well.",
     16: "That is the value of x * x itself."},
)  # fmt: skip

PRODUCT_BACK = FunctionTask(
    "12.3",
    lambda a, b, d: (d * b, d * a),
    ((2.0, 3.0, 1.0), (2.0, 3.0, 10.0), (-1.5, 0.25, 2.0), (0.0, 4.0, 1.0)),
    "Return two numbers. If a grows a little, a * b grows b times as much.",
)

DISTANCE_BACK = FunctionTask(
    "12.4",
    lambda a, b, d: (2 * (a - b) * d, -2 * (a - b) * d),
    ((5.0, 3.0, 1.0), (3.0, 5.0, 1.0), (1.0, 1.0, 7.0), (0.5, -2.0, 3.0)),
    "With e = a - b, e * e grows by 2 * e. If b grows, e becomes smaller.",
)
