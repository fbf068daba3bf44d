"""What `import minitorch` gives after module 0."""

from __future__ import annotations

from . import operators as operators
from .datasets import Graph as Graph
from .datasets import datasets as datasets
from .module import Module as Module
from .module import Parameter as Parameter
from .testing import MathTest as MathTest
from .testing import MathTestVariable as MathTestVariable

version = "0.4"
