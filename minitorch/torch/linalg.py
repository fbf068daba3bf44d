"""Owns `torch.linalg`: inverses, determinants, decompositions and norms of matrices.

NumPy computes them on the host, wherever the tensor lies (matrix_steps). `inv solve det
slogdet cholesky eigh eigvalsh svdvals` and what is made of them have gradients; asking
for another's is an error. Must not know products (products.py has them).
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Tensor as Base
from ..gradients.function import Function
from . import return_types
from .arguments import as_integer, numpys_names, require_torch
from .layout import as_dims
from .matrix_steps import (
    Cholesky,
    Determinant,
    EigenValues,
    Inverse,
    LogDeterminant,
    SingularValues,
    Solution,
    computed,
    like,
    mT,
    refuse_gradient,
    require_matrices,
)
from .matrix_steps import LinAlgError as LinAlgError
from .on_host import to_device, to_host
from .parts import diag_embed, diagonal, tril, triu
from .products import cross as cross
from .products import matmul, p_norm
from .tensor import Tensor


def _documented(name: str, what: str, example: str, function: Any) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what}

    Args:
        A: (…, n, n), float32 or float64.

    Raises:
        RuntimeError: The matrices are not square, not of such numbers, or have none.

    Example:
        >>> import minitorch.torch as torch
        >>> {example}
    """
    return numpys_names(function)


_DIAGONAL = "torch.tensor([[2.0, 0.0], [0.0, 4.0]])"


def _of_square(name: str, what: str, step: type[Function], result: str) -> Any:
    def function(A: Tensor) -> Tensor:
        require_matrices(f"linalg.{name}", A, square=True)
        return step.apply(A)  # type: ignore[return-value]

    example = f"torch.linalg.{name}({_DIAGONAL})\n        {result}"
    return _documented(name, what, example, function)


_ROOM = "\n                "
inv = _of_square(
    "inv",
    "The inverse of square matrices, with gradients.",
    Inverse,
    f"tensor([[0.5000, 0.0000],{_ROOM}[0.0000, 0.2500]])",
)
det = _of_square("det", "Determinants, with gradients.", Determinant, "tensor(8.)")


@numpys_names
def slogdet(A: Tensor) -> Any:
    """Sign and logarithm of the size of determinants, (sign, logabsdet).

    Args:
        A: (…, n, n), float32 or float64.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.slogdet(torch.tensor([[-1.0]])).sign
        tensor(-1.)
    """
    require_matrices("linalg.slogdet", A, square=True)
    sign = like(computed("linalg.slogdet", np.linalg.slogdet, A)[0], A)
    return return_types.linalg_slogdet(sign, LogDeterminant.apply(A))


@numpys_names
def logdet(A: Tensor) -> Tensor:
    """The logarithm of determinants; NaN of those below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.logdet(torch.tensor([[1.0]]))
        tensor(0.)
    """
    sign, size = slogdet(A)
    return Base._where(Base.lt(sign, 0), math.nan, size)  # type: ignore[return-value]


@numpys_names
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A X = B, by the inverse's gradient.

    Args:
        A: (…, n, n).
        B: (n,), or (…, n, k).
        left: False for X A = B.

    Raises:
        RuntimeError: Shapes or dtypes do not fit, or A has no inverse.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.solve(torch.tensor([[2.0]]), torch.tensor([6.0]))
        tensor([3.])
    """
    require_matrices("linalg.solve", A, square=True)
    require_torch("linalg.solve", B)
    if not left:
        return mT(solve(mT(A), mT(B)))  # type: ignore[no-any-return]
    batch = tuple(A.shape[:-1])
    is_rows = len(B.shape) == 1 or (len(A.shape) > 2 and tuple(B.shape) == batch)
    columns: Any = Base.unsqueeze(B, len(B.shape)) if is_rows else B
    if columns.dtype != A.dtype or columns.shape[-2] != A.shape[-1]:
        raise RuntimeError(
            f"[linalg.solve] got {tuple(A.shape)} of {A.dtype} and {tuple(B.shape)} of "
            f"{B.dtype}; need sides that fit, of one dtype."
        )
    made: Any = Solution.apply(A, columns)
    if is_rows:
        made = Base._reshape(made, tuple(made.shape[:-1]))
    return made  # type: ignore[no-any-return]


@numpys_names
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L of positive definite matrices, L Lᵀ = A.

    Args:
        A: (…, n, n), symmetric.
        upper: Lᵀ in its place.

    Raises:
        RuntimeError: A matrix is not positive definite.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.cholesky(torch.tensor([[4.0]]))
        tensor([[2.]])
    """
    require_matrices("linalg.cholesky", A, square=True)
    lower: Any = Cholesky.apply(A)
    return mT(lower) if upper else lower  # type: ignore[no-any-return]


def _symmetric(A: Any, UPLO: str) -> Any:
    """The matrix of one of its triangles."""
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"[linalg.eigh] got UPLO {UPLO!r}; need 'L' or 'U'.")
    part = tril(A, -1) if UPLO.upper() == "L" else triu(A, 1)
    return part + mT(part) + diag_embed(diagonal(A, 0, -2, -1))


@numpys_names
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of symmetric matrices, ascending, with gradients.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([1., 2.])
    """
    require_matrices("linalg.eigvalsh", A, square=True)
    return EigenValues.apply(_symmetric(A, UPLO))  # type: ignore[return-value]


@numpys_names
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """(eigenvalues, eigenvectors) of symmetric matrices; without gradients.

    Raises:
        NotImplementedError: A gradient is asked for. `eigvalsh` has one.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
        tensor([1., 2.])
    """
    require_matrices("linalg.eigh", A, square=True)
    refuse_gradient("linalg.eigh", A)
    found = computed("linalg.eigh", np.linalg.eigh, _symmetric(A, UPLO))
    return return_types.linalg_eigh(*(like(each, A) for each in found))


@numpys_names
def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """(U, S, Vh) with A = U diag(S) Vh; without gradients.

    Raises:
        NotImplementedError: A gradient is asked for. `svdvals` has one.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
        tensor([4., 3.])
    """
    require_matrices("linalg.svd", A)
    refuse_gradient("linalg.svd", A)
    found = computed("linalg.svd", lambda m: np.linalg.svd(m, full_matrices), A)
    return return_types.linalg_svd(*(like(each, A) for each in found))


@numpys_names
def svdvals(A: Tensor) -> Tensor:
    """Singular values, descending, with gradients.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor([4., 3.])
    """
    require_matrices("linalg.svdvals", A)
    return SingularValues.apply(A)  # type: ignore[return-value]


@numpys_names
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """(Q, R) with A = Q R, Q orthogonal and R an upper triangle; without gradients.

    Args:
        A: (…, m, n).
        mode: "reduced", "complete", or "r" for R alone.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.qr(torch.tensor([[3.0], [4.0]])).R.abs()
        tensor([[5.]])
    """
    require_matrices("linalg.qr", A)
    refuse_gradient("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"[linalg.qr] got mode {mode!r}; need 'reduced', 'complete' or 'r'."
        )
    decompose: Any = np.linalg.qr
    found = computed("linalg.qr", lambda m: decompose(m, mode), A)
    if mode == "r":
        found = np.zeros(0, A.dtype.dtype), found
    return return_types.linalg_qr(*(like(each, A) for each in found))


@numpys_names
def matrix_rank(
    A: Tensor, *, tol: float | None = None, hermitian: bool = False
) -> Tensor:
    """How many singular values are not 0 but for rounding.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.matrix_rank(torch.ones(3, 3))
        tensor(1)
    """
    require_matrices("linalg.matrix_rank", A)

    def compute(m: Any) -> Any:
        return np.linalg.matrix_rank(m, tol, hermitian)

    rank = computed("linalg.matrix_rank", compute, A)
    return to_device(np.asarray(rank, np.int64), A)  # type: ignore[no-any-return]


@numpys_names
def pinv(A: Tensor, *, rcond: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudoinverse of matrices; without gradients.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])
    """
    require_matrices("linalg.pinv", A)
    refuse_gradient("linalg.pinv", A)
    small = float(np.finfo(A.dtype.dtype).eps) * max(A.shape[-2:])
    limit = small if rcond is None else rcond
    found = computed("linalg.pinv", lambda m: np.linalg.pinv(m, limit, hermitian), A)
    return like(found, A)  # type: ignore[no-any-return]


@numpys_names
def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: Any = None
) -> Any:
    """(solution, residuals, rank, singular_values) of the least squares of A X - B.

    Args:
        A: (m, n).
        B: (m, k).
        rcond: Singular values below this part of the largest count as 0.
        driver: Accepted; NumPy has one.

    Example:
        >>> import minitorch.torch as torch
        >>> a, b = torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [3.0]])
        >>> torch.linalg.lstsq(a, b).solution
        tensor([[2.]])
    """
    require_matrices("linalg.lstsq", A)
    refuse_gradient("linalg.lstsq", A, B)
    found = computed("linalg.lstsq", lambda a, b: np.linalg.lstsq(a, b, rcond), A, B)
    solution, residuals, rank, values = found
    return return_types.linalg_lstsq(
        like(solution, A),
        like(residuals, A),
        to_device(np.asarray(rank, np.int64), A),
        like(values, A),
    )


@numpys_names
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A times itself, n factors; of the inverse where n is below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.matrix_power(torch.tensor([[2.0]]), 3)
        tensor([[8.]])
    """
    require_torch("linalg.matrix_power", A)
    if len(A.shape) < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"[linalg.matrix_power] got shape {tuple(A.shape)}; need square matrices."
        )
    n = as_integer("linalg.matrix_power", "n", n)
    if n < 0:
        return matrix_power(inv(A), -n)  # type: ignore[no-any-return]
    made: Any = None
    square: Any = A
    while n:
        if n % 2:
            made = square if made is None else matmul(made, square)
        n //= 2
        square = matmul(square, square) if n else square
    if made is None:
        eye = np.broadcast_to(np.eye(A.shape[-1]), tuple(A.shape))
        return like(eye, A)  # type: ignore[no-any-return]
    return made  # type: ignore[no-any-return]


def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, from the left.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.multi_dot([torch.ones(1, 2), torch.ones(2, 3)]).shape
        torch.Size([1, 3])
    """
    made, *rest = tensors
    for each in rest:
        made = matmul(made, each)
    return made  # type: ignore[no-any-return]


@numpys_names
def matrix_exp(A: Tensor) -> Tensor:
    """I + A + A²/2! + …, by halving and squaring; with gradients.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.matrix_exp(torch.zeros(1, 1))
        tensor([[1.]])
    """
    require_matrices("linalg.matrix_exp", A, square=True)
    size = np.abs(to_host(A)).sum(-1).max(initial=0.0)
    halvings = max(0, int(np.ceil(np.log2(size))) + 3) if 0 < size < np.inf else 0
    small: Any = A / 2.0**halvings
    eye = like(np.broadcast_to(np.eye(A.shape[-1]), tuple(A.shape)), A)
    made: Any = eye
    for k in range(12, 0, -1):  # Horner; 0.125¹³ / 13! is below float64's last bit
        made = eye + matmul(small, made) / k
    for _ in range(halvings):
        made = matmul(made, made)
    return made  # type: ignore[no-any-return]


@numpys_names
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """X with A X = B, A being read as a triangle.

    Example:
        >>> import minitorch.torch as torch
        >>> a, b = torch.tensor([[2.0, 9.0], [0.0, 1.0]]), torch.ones(2, 1)
        >>> torch.linalg.solve_triangular(a, b, upper=False)
        tensor([[0.5000],
                [1.0000]])
    """
    require_matrices("linalg.solve_triangular", A, square=True)
    part = triu(A) if upper else tril(A)
    if unitriangular:
        own = diagonal(part, 0, -2, -1)
        part = part + diag_embed(1 - own)
    return solve(part, B, left=left)  # type: ignore[no-any-return]


@numpys_names
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """The norm of matrices times that of their inverses.

    Args:
        A: (…, m, n); square but for p None, 2 and -2.
        p: A norm of `matrix_norm`; by default the ratio of singular values.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 2.0]]))
        tensor(2.)
    """
    require_matrices("linalg.cond", A)
    if p in (None, 2, -2):
        values: Any = svdvals(A)
        ends = values[..., 0], values[..., -1]
        return ends[1] / ends[0] if p == -2 else ends[0] / ends[1]  # type: ignore
    return matrix_norm(A, p) * matrix_norm(inv(A), p)  # type: ignore


@numpys_names
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The norm of vectors: (Σ |x|^ord)^(1/ord).

    Args:
        x: Floating; any shape.
        ord: 2 is the length, 1 the sum of sizes, 0 how many are not 0, inf the largest.
        dim: One dimension or several; all by default.
        keepdim: Keep them with size 1.
        dtype: Convert to it first.

    Raises:
        RuntimeError: The numbers are integers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    require_torch("linalg.vector_norm", x)
    input: Any = x if dtype is None else Base._cast(x, dtype)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[linalg.vector_norm] got {input.dtype}; need a floating dtype."
        )
    ndim = len(input.shape)
    over = (
        list(range(ndim)) if dim is None else as_dims("linalg.vector_norm", dim, ndim)
    )
    if not ndim:
        over = []
    kept = [d for d in range(ndim) if d not in over]
    lead = tuple(input.shape[d] for d in kept)
    count = math.prod(input.shape[d] for d in over)
    rows = Base._reshape(Base._permute(input, kept + over), (*lead, count))
    if ord == -math.inf:
        made = Base.min(Base.abs(rows), len(lead), False)
    else:
        made = p_norm(rows, ord, len(lead))
    if keepdim:
        shape = [1 if d in over else size for d, size in enumerate(input.shape)]
        made = Base._reshape(made, shape)
    return made  # type: ignore[return-value]


@numpys_names
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The norm of matrices.

    Args:
        A: (…, m, n).
        ord: "fro", "nuc", or 1, 2, inf and their opposites: the largest sum of a
            column, the largest singular value, the largest sum of a row.
        dim: Rows and columns.
        keepdim: Keep both with size 1.
        dtype: Convert to it first.

    Raises:
        RuntimeError: There is no such norm.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(5.)
    """
    input: Any = A if dtype is None else Base._cast(A, dtype)
    require_matrices("linalg.matrix_norm", input)
    ndim = len(input.shape)
    planes = as_dims("linalg.matrix_norm", dim, ndim)
    kept = [d for d in range(ndim) if d not in planes]
    m = Base._permute(input, kept + planes)
    if ord == "fro":
        made = vector_norm(m, 2, (-2, -1))
    elif ord == "nuc" or ord in (2, -2):
        values = svdvals(m)
        pick = {"nuc": Base.sum, 2: Base.max, -2: Base.min}[ord]
        made = pick(values, len(kept), False)
    elif ord in (1, -1, math.inf, -math.inf):
        along = len(kept) + (0 if abs(ord) == 1 else 1)  # type: ignore[arg-type]
        sums = Base.sum(Base.abs(m), along, False)
        pick = Base.max if ord > 0 else Base.min  # type: ignore[operator]
        made = pick(sums, len(kept), False)
    else:
        raise RuntimeError(
            f"[linalg.matrix_norm] got ord {ord!r}; need 'fro', 'nuc', 1, 2, inf or "
            "minus one of these."
        )
    if keepdim:
        shape = [1 if d in planes else size for d, size in enumerate(input.shape)]
        made = Base._reshape(made, shape)
    return made  # type: ignore[no-any-return]


@numpys_names
def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """A norm of vectors, or of matrices where two dims or "fro" and "nuc" say so.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    require_torch("linalg.norm", A)
    pair = dim is not None and not isinstance(dim, Integral) and len(dim) == 2
    matrices = isinstance(ord, str) or (
        ord is not None and (pair or (dim is None and len(A.shape) == 2))
    )
    if matrices:
        planes = (-2, -1) if dim is None else dim
        return matrix_norm(A, ord, planes, keepdim, dtype=dtype)  # type: ignore
    size = 2 if ord is None else ord
    return vector_norm(A, size, dim, keepdim, dtype=dtype)  # type: ignore


def norm_of(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    """`torch.norm`: the norm of all elements as one vector, or of those along `dim`.

    Args:
        input: Floating; any shape.
        p: A number, "fro" for 2, or "nuc" of matrices.
        dim: One dimension or several; all by default.
        keepdim: Keep them with size 1.
        dtype: Convert to it first.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.norm(torch.tensor([[3.0], [4.0]]))
        tensor(5.)
    """
    require_torch("norm", input)
    if p == "nuc":
        planes = (-2, -1) if dim is None else dim
        return matrix_norm(input, "nuc", planes, keepdim, dtype=dtype)  # type: ignore
    size = 2 if p in ("fro", None) else p
    return vector_norm(input, size, dim, keepdim, dtype=dtype)  # type: ignore


norm_of.__name__ = norm_of.__qualname__ = "norm"
norm_of = numpys_names(norm_of)


@numpys_names
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of the difference.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.dist(torch.tensor([0.0, 0.0]), torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    require_torch("dist", input, other)
    return vector_norm(input - other, p)  # type: ignore[no-any-return]


@numpys_names
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """`torch.svd`: (U, S, V) with input = U diag(S) Vᵀ; without gradients of U and V.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
        tensor([4., 3.])
    """
    u, s, vh = svd(input, full_matrices=not some)
    return return_types.svd(u, s, mT(vh))


def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """`torch.linalg.multi_dot` of matrices one by one.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.chain_matmul(torch.ones(1, 2), torch.ones(2, 3)).shape
        torch.Size([1, 3])
    """
    made = multi_dot(matrices)
    return made if out is None else Base.copy_(out, made)  # type: ignore[return-value]


inverse, pinverse = inv, pinv

#: Those that are methods of tensors, too.
METHODS: dict[str, Any] = {
    "cholesky": cholesky,
    "det": det,
    "dist": dist,
    "inverse": inv,
    "logdet": logdet,
    "matrix_exp": matrix_exp,
    "matrix_power": matrix_power,
    "norm": norm_of,
    "pinverse": pinv,
    "slogdet": slogdet,
    "svd": old_svd,
}
