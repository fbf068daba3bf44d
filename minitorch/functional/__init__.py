"""Functions under PyTorch's names and with its meaning.

`import minitorch.functional as F`. Where upstream MiniTorch has a function of the same
name with another meaning, that one is `minitorch.<name>`; docs/minitorch_api.md lists
the pairs.
"""

from __future__ import annotations

from ..tensors.op_calls import overridable
from . import (
    activations,
    attention,
    conv,
    distances,
    embeddings,
    indexing,
    losses,
    math,
    normalisation,
    padding,
    pooling,
    products,
    reduce,
)
from .activations import *
from .attention import *
from .conv import *
from .distances import *
from .embeddings import *
from .indexing import *
from .losses import *
from .math import *
from .math import abs as abs
from .math import round as round
from .normalisation import *
from .padding import *
from .pooling import *
from .products import *
from .reduce import *
from .reduce import all as all
from .reduce import any as any
from .reduce import max as max
from .reduce import min as min
from .reduce import sum as sum

__all__ = [
    *activations.__all__,
    *attention.__all__,
    *conv.__all__,
    *distances.__all__,
    *embeddings.__all__,
    *indexing.__all__,
    *losses.__all__,
    *math.__all__,
    *normalisation.__all__,
    *padding.__all__,
    *pooling.__all__,
    *products.__all__,
    *reduce.__all__,
]

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("abs", "all", "any", "max", "min", "round", "sum")

# Whose core method, called without `inplace`, is what overrides replace.
_OF_THE_CORE = ("relu", "silu")

for _name in {*__all__, *_HIDING} - {*_OF_THE_CORE}:
    globals()[_name] = overridable(globals()[_name])


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])
