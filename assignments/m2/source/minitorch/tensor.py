"""Tensor: numbers in a shape that remember how they were computed.

Its operators are Functions, and those compute through its backend. Must not know how a
backend loops, nor how a graph is walked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .autodiff import Variable, backpropagate
from .tensor_data import TensorData
from .tensor_functions import (
    EQ,
    LT,
    Add,
    All,
    Copy,
    Exp,
    History,
    Inv,
    IsClose,
    Log,
    MatMul,
    Mul,
    Neg,
    Permute,
    ReLU,
    Sigmoid,
    Sum,
    View,
)

if TYPE_CHECKING:
    from .tensor_data import Shape, Storage, Strides, UserIndex, UserShape, UserStrides
    from .tensor_ops import TensorBackend

_ids = itertools.count(1)


class Tensor:
    """Numbers in a shape, with a backend that computes and a history.

    Args:
        v: The numbers.
        back: How they were computed; None for a constant, outside of every graph.
        name: How drawings show it; by default its `unique_id`.
        backend: What computes with it. Results have the same.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad.to_numpy()
        array([[2., 4.],
               [6., 8.]])
    """

    backend: TensorBackend
    history: History | None
    grad: Tensor | None
    _tensor: TensorData
    unique_id: int
    name: str

    def __init__(
        self,
        v: TensorData,
        back: History | None = None,
        name: str | None = None,
        backend: TensorBackend | None = None,
    ) -> None:
        assert isinstance(v, TensorData), f"[Tensor] got {v!r}; need a TensorData."
        assert backend is not None, "[Tensor] need a backend."
        self.unique_id = next(_ids)
        self._tensor = v
        self.history = back
        self.backend = backend
        self.grad = None
        self.name = name if name is not None else str(self.unique_id)

    @staticmethod
    def make(
        storage: Storage | list[float],
        shape: UserShape,
        strides: UserStrides | None = None,
        backend: TensorBackend | None = None,
    ) -> Tensor:
        """A constant over a row of memory."""
        return Tensor(TensorData(storage, shape, strides), backend=backend)

    def requires_grad_(self, x: bool) -> None:
        """Makes it a leaf that collects a gradient, or a constant."""
        self.history = History() if x else None

    def requires_grad(self) -> bool:
        """Is it part of a graph?"""
        return self.history is not None

    def to_numpy(self) -> npt.NDArray[np.float64]:
        """A NumPy array of its own with the same numbers."""
        return np.asarray(self.contiguous()._tensor._storage).reshape(self.shape)

    @property
    def f(self) -> TensorBackend:
        """The backend, as functions call it: a.f.add_zip(a, b)."""
        return self.backend

    @property
    def shape(self) -> UserShape:
        """The sizes, a tuple."""
        return self._tensor.shape

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self._tensor.size

    @property
    def dims(self) -> int:
        """How many dimensions there are."""
        return self._tensor.dims

    def _ensure_tensor(self, b: TensorLike) -> Tensor:
        """A number as a tensor of the same backend; a tensor moved to that."""
        if isinstance(b, Tensor):
            b._type_(self.backend)
            return b
        return Tensor.make([b], (1,), backend=self.backend)

    # Each operator is a Function, applied.

    def __add__(self, b: TensorLike) -> Tensor:
        return Add.apply(self, self._ensure_tensor(b))

    def __radd__(self, b: TensorLike) -> Tensor:
        return self + b

    def __sub__(self, b: TensorLike) -> Tensor:
        return Add.apply(self, -self._ensure_tensor(b))

    def __rsub__(self, b: TensorLike) -> Tensor:
        return -self + b

    def __mul__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self, self._ensure_tensor(b))

    def __rmul__(self, b: TensorLike) -> Tensor:
        return self * b

    def __truediv__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self, Inv.apply(self._ensure_tensor(b)))

    def __rtruediv__(self, b: TensorLike) -> Tensor:
        return Mul.apply(self._ensure_tensor(b), Inv.apply(self))

    def __matmul__(self, b: Tensor) -> Tensor:
        return MatMul.apply(self, self._ensure_tensor(b))  # from module 3 on

    def __neg__(self) -> Tensor:
        return Neg.apply(self)

    def __lt__(self, b: TensorLike) -> Tensor:
        return LT.apply(self, self._ensure_tensor(b))

    def __gt__(self, b: TensorLike) -> Tensor:
        return LT.apply(self._ensure_tensor(b), self)

    def __eq__(self, b: TensorLike) -> Tensor:  # type: ignore[override]
        return EQ.apply(self, self._ensure_tensor(b))

    def __hash__(self) -> int:
        return self.unique_id

    def all(self, dim: int | None = None) -> Tensor:
        """1 where all cells along a dimension are 1; without a dimension, of all."""
        if dim is None:
            return All.apply(self.contiguous().view(self.size), self._ensure_tensor(0))
        return All.apply(self, self._ensure_tensor(dim))

    def is_close(self, y: Tensor) -> Tensor:
        """1 where two tensors differ by less than 0.01, else 0"""
        return IsClose.apply(self, self._ensure_tensor(y))

    def sigmoid(self) -> Tensor:
        """1 / (1 + e^-x)"""
        return Sigmoid.apply(self)

    def relu(self) -> Tensor:
        """x where it is positive, else 0"""
        return ReLU.apply(self)

    def log(self) -> Tensor:
        """log(x + 1e-6)"""
        return Log.apply(self)

    def exp(self) -> Tensor:
        """e to the power of x"""
        return Exp.apply(self)

    def item(self) -> float:
        """The number of a tensor that has one."""
        assert self.size == 1, f"[item] got shape {self.shape}; need one number."
        value: float = self._tensor._storage[0]
        return value

    def sum(self, dim: int | None = None) -> Tensor:
        """The sum along a dimension, which stays with size 1; or of all, shape (1,)."""
        if dim is None:
            return Sum.apply(self.contiguous().view(self.size), self._ensure_tensor(0))
        return Sum.apply(self, self._ensure_tensor(dim))

    def mean(self, dim: int | None = None) -> Tensor:
        """The mean, with the shape of `sum`."""
        return self.sum(dim) / (self.size if dim is None else self.shape[dim])

    def permute(self, *order: int) -> Tensor:
        """The same numbers with dimensions in another order."""
        return Permute.apply(self, self._row_of(order))

    def view(self, *shape: int) -> Tensor:
        """The same row as another shape; AssertionError unless it is contiguous."""
        return View.apply(self, self._row_of(shape))

    def _row_of(self, numbers: Iterable[int]) -> Tensor:
        row = list(numbers)
        return Tensor.make(row, (len(row),), backend=self.backend)

    def contiguous(self) -> Tensor:
        """A copy whose rows follow one another."""
        return Copy.apply(self)

    def __repr__(self) -> str:
        return self._tensor.to_string()

    def __getitem__(self, key: int | UserIndex) -> float:
        return self._tensor.get((key,) if isinstance(key, int) else key)

    def __setitem__(self, key: int | UserIndex, val: float) -> None:
        self._tensor.set((key,) if isinstance(key, int) else key, val)

    # What Functions and backends need.

    def _type_(self, backend: TensorBackend) -> None:
        """Gives it a backend, and moves it to the GPU where that computes there."""
        self.backend = backend
        if backend.cuda:
            self._tensor.to_cuda_()

    def _new(self, tensor_data: TensorData) -> Tensor:
        """A constant of the same backend."""
        return Tensor(tensor_data, backend=self.backend)

    def zeros(self, shape: UserShape | None = None) -> Tensor:
        """Zeros of the same backend, by default of the same shape."""
        sizes = self.shape if shape is None else shape
        row = np.zeros(int(np.prod(sizes, dtype=int)))
        out = Tensor.make(row, sizes, backend=self.backend)
        out._type_(self.backend)
        return out

    def tuple(self) -> tuple[Storage, Shape, Strides]:
        """The row, the shape and the strides."""
        return self._tensor.tuple()

    def detach(self) -> Tensor:
        """The same numbers, outside of every graph."""
        return Tensor(self._tensor, backend=self.backend)

    def expand(self, other: Tensor) -> Tensor:
        """A gradient in the shape of this tensor.

        Where this tensor was broadcast, one of its cells was read many times: its
        gradient is the sum of theirs. Where the gradient is smaller, it is the same for
        all cells.

        Args:
            other: A gradient whose shape broadcasts with this one.
        """
        if self.shape == other.shape:
            return other
        shape = TensorData.shape_broadcast(self.shape, other.shape)
        out = self.zeros(shape)
        self.backend.id_map(other, out)
        added = len(shape) - self.dims
        for dim, size in enumerate(shape):
            repeated = dim < added or self.shape[dim - added] == 1
            if repeated and size != 1:
                out = self.backend.add_reduce(out, dim)
        return Tensor.make(out._tensor._storage, self.shape, backend=self.backend)

    # What `autodiff` asks of a Variable.

    def accumulate_derivative(self, x: Any) -> None:
        """Adds `x` to the gradient; only leaves have one."""
        assert self.is_leaf(), "[Tensor] only leaves collect a gradient."
        self.grad = (self.zeros() if self.grad is None else self.grad) + x

    def is_leaf(self) -> bool:
        """Did a user make it, rather than a Function?"""
        return self.history is not None and self.history.last_fn is None

    def is_constant(self) -> bool:
        """Is it outside of every graph?"""
        return self.history is None

    @property
    def parents(self) -> Iterable[Variable]:
        """What it was computed from; nothing for a leaf."""
        assert self.history is not None, "[Tensor] a constant has no parents."
        return self.history.inputs

    def chain_rule(self, d_output: Any) -> Iterable[tuple[Variable, Any]]:
        """Each input with the gradient by it, in the shape of that input."""
        h = self.history
        assert h is not None, "[Tensor] has no chain rule: it is a constant."
        assert h.last_fn is not None, "[Tensor] has no chain rule: it is a leaf."
        assert h.ctx is not None
        parts = h.last_fn._backward(h.ctx, d_output)
        assert len(parts) == len(h.inputs), (
            f"[{h.last_fn.__name__}] backward gave {len(parts)} gradients for "
            f"{len(h.inputs)} arguments."
        )
        return [
            (inp, inp.expand(self._ensure_tensor(part)))
            for inp, part in zip(h.inputs, parts, strict=True)
        ]

    def backward(self, grad_output: Tensor | None = None) -> None:
        """Adds the gradients of this tensor to `grad` of the leaves behind it.

        Args:
            grad_output: The gradient to start with; of a tensor of shape (1,) it is 1.
        """
        if grad_output is None:
            assert self.shape == (1,), (
                f"[backward] got shape {self.shape}; need (1,), or a grad_output. Try "
                ".sum().backward()."
            )
            grad_output = Tensor.make([1.0], (1,), backend=self.backend)
        backpropagate(self, grad_output)

    def zero_grad_(self) -> None:
        """Forgets the gradient."""
        self.grad = None


TensorLike: TypeAlias = float | int | Tensor
