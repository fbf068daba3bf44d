"""What `import minitorch` gives after module 1."""

from __future__ import annotations

from . import operators as operators
from . import scalar_functions as scalar_functions
from .autodiff import Context as Context
from .autodiff import Variable as Variable
from .autodiff import backpropagate as backpropagate
from .autodiff import central_difference as central_difference
from .autodiff import topological_sort as topological_sort
from .datasets import Graph as Graph
from .datasets import datasets as datasets
from .module import Module as Module
from .module import Parameter as Parameter
from .optim import SGD as SGD
from .optim import Optimizer as Optimizer
from .scalar import Scalar as Scalar
from .scalar import ScalarHistory as ScalarHistory
from .scalar import derivative_check as derivative_check
from .scalar_functions import ScalarFunction as ScalarFunction
from .testing import MathTest as MathTest
from .testing import MathTestVariable as MathTestVariable

version = "0.4"
