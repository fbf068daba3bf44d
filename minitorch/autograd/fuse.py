"""`fuse`: compile a function of elementwise ops to one forward and one backward
kernel.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from ..autodiff import Context
from ..cuda.inspecting.inspection import inspect
from ..cuda.raw.elementwise_kernel import ElementwiseKernel
from ..tensors.op_calls import enter, is_overridden, leave
from .function import Function, enable_grad
from .stand_ins import Reading, Value
from .value_gradients import gradients, on_the_way

# What is computed with: float16 is widened for each op, whose result is rounded.
_TYPES = {"float16": "float", "float32": "float", "float64": "double"}
_OF_THREE = {
    "where": "return c != 0 ? a : b;",
    "clamp": (
        "const Scalar raised = c > a || c != c ? c : a; "
        "return raised < b || raised != raised ? raised : b;"
    ),
}
# Ops with gradients of their own, and the ops that they are on the way ahead.
_LIKE = {"clamp_min": "maximum", "clamp_max": "minimum"}


@dataclass(frozen=True)
class FusedPart:
    """Cost of one direction: launches, and 32-byte sectors requested from L1."""

    name: str  # "forward" or "backward"
    launches: tuple[int, int]  # before, after
    sectors: tuple[int, int]


@dataclass(frozen=True)
class FusionReport:
    """Launches and sectors of a function, op by op and fused."""

    function: str
    parts: tuple[FusedPart, ...]

    def __str__(self) -> str:
        lines = [f"{self.function}: op by op -> fused"]
        for part in self.parts:
            (before, after), (many, fewer) = part.launches, part.sectors
            lines.append(
                f"  {part.name:<8}  launches {before} -> {after}  sectors "
                f"{many} -> {fewer}"
            )
        return "\n".join(lines)

    __repr__ = __str__


class Fused:
    """A function wrapped by `fuse`; called like the function itself."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._readings: dict[object, _Fusion] = {}

    def __call__(self, *args: Any) -> Tensor:
        """Call the function: in one launch on cuda, op by op on cpu."""
        values = [getattr(value, "__minitorch_value__", value) for value in args]
        tensors = [value for value in values if isinstance(value, Tensor)]
        fusion = self._fusion(values, tensors)
        alone = any(value._backend() is not None for value in tensors)
        if alone or is_overridden(fusion.called) or tensors[0].device == "cpu":
            result: Tensor = self.function(*values)
            return result
        return fusion.apply([values[i] for i in fusion.positions])

    def report(self, *args: Any) -> FusionReport:
        """Return launches and sectors op by op and fused, counted by the emulator.

        The gradient's part is there if an argument requires one. Tensors on cpu are
        copied to cuda; the arguments' gradients stay as they are.

        Raises:
            CudaError: On a GPU, which counts no sectors.

        Example:
            >>> import minitorch
            >>> y, b = minitorch.ones(64, 8).to("float32"), minitorch.ones(8)
            >>> fuse(lambda y, b: (y + b).relu()).report(y, b.to("float32"))
            fused: op by op -> fused
              forward   launches 2 -> 1  sectors 272 -> 144
        """
        plain = _counted(self.function, args)
        fused = _counted(self, args)
        parts = [
            FusedPart(name, (before[0], after[0]), (before[1], after[1]))
            for name, before, after in zip(
                ("forward", "backward"), plain, fused, strict=False
            )
        ]
        return FusionReport(_name_of(self.function), tuple(parts))

    def __repr__(self) -> str:
        return f"fuse({_name_of(self.function)})"

    def _fusion(self, values: Sequence[Any], tensors: Sequence[Tensor]) -> _Fusion:
        _require_alike(tensors)
        dtype = str(tensors[0].dtype.name)
        key = (
            dtype,
            *(None if isinstance(v, Tensor) else _key_of(v) for v in values),
        )
        try:
            fusion = self._readings.get(key)
        except TypeError:
            raise TypeError(
                f"[fuse] got arguments of types {[type(v).__name__ for v in values]}; "
                "need tensors, and hashable values such as numbers."
            ) from None
        if fusion is None:
            fusion = self._readings[key] = _Fusion(self.function, values, dtype)
        return fusion


def _key_of(value: Any) -> object:
    """Return a key that distinguishes values such as -0.0 and 0.0, or True and 1."""
    return type(value), repr(value) if isinstance(value, float) else value


def fuse(function: Callable[..., Any]) -> Fused:
    """Make one kernel of a function of elementwise ops, and one of its gradients.

    At the first call for a dtype the function runs once with stand-ins, which note the
    ops. Numbers are part of the kernel: among the arguments each has one of its own,
    and what else the function reads is read once, then. The result is that of the
    ops one by one, bit for bit; so are gradients, but for the order in which sums over
    broadcast dimensions are taken. The gradient of a broadcast argument is summed by
    launches of its own. While one of its ops is overridden, it runs op by op.

    Args:
        function: Of tensors of one dtype, float16, 32 or 64, and of numbers; it makes
            one tensor by operators, comparisons, and the elementwise methods and
            functions (`minitorch.functional`, `minitorch.torch` and its
            `nn.functional`): relu, exp, where, clamp, …. Tensors are arguments, no
            variables from outside.

    Returns:
        A function of the same arguments; its `report` counts what is saved. As a
        decorator: `@minitorch.fuse`.

    Raises:
        TypeError: Another op, a choice by a tensor's value, a tensor from outside, with
            the line; another dtype.
        ValueError: Tensors on several devices, or shapes that do not broadcast.

    Kernel:
        Generated: a thread an element, 128 threads a block.

    Example:
        >>> import minitorch
        >>> @fuse
        ... def activation(y, b):
        ...     return (y + b).relu()
        >>> activation(minitorch.tensor([-3.0, 1.0]), minitorch.tensor([1.0])).numpy()
        array([0., 2.])
    """
    if not callable(function):
        raise TypeError(f"[fuse] got {function!r}; need a function of tensors.")
    return Fused(function)


class _Fusion:
    """A traced function: its values, and the kernels generated from them."""

    def __init__(
        self, function: Callable[..., Any], values: Sequence[Any], dtype: str
    ) -> None:
        self.function, self.values, self.dtype = function, list(values), dtype
        self.name = re.sub(r"\W", "_", _name_of(function))
        self.root = _read(function, values, dtype)
        nodes = on_the_way(self.root)
        self.positions = sorted({n.position for n in nodes if n.op == "argument"})
        self.called = frozenset(n.called for n in nodes)
        self._ahead = self._kernel(self.name, [self.root], [])
        self._back: dict[tuple[int, ...], ElementwiseKernel] = {}
        fusion = self

        class Step(Function):
            @staticmethod
            def forward(ctx: Context, *tensors: Any) -> Tensor:
                ctx.save_for_backward(*tensors)
                result: Tensor = fusion._ahead(*tensors)
                return result

            @staticmethod
            def backward(ctx: Context, gradient: Tensor) -> Any:
                return fusion._gradients(ctx.saved_values, gradient)

        Step.__name__ = Step.__qualname__ = self.name
        self._step = Step

    def apply(self, tensors: list[Tensor]) -> Tensor:
        """Return the result, recorded as one node of the graph."""
        _require_broadcast(tensors)
        result: Tensor = self._step.apply(*tensors)
        torchs = any(tensor._dialect == "torch" for tensor in tensors)
        return result.as_torch() if torchs else result

    def _gradients(self, tensors: Sequence[Tensor], gradient: Tensor) -> list[Any]:
        if _core.grad_enabled():
            return self._recorded(tensors, gradient)
        wanted = tuple(
            position
            for position, tensor in zip(self.positions, tensors, strict=True)
            if not tensor.is_constant()
        )
        if wanted not in self._back:
            arrived = Value("argument", position=-1, dtype=self.dtype)
            derivatives = gradients(self.root, arrived, wanted)
            self._back[wanted] = self._kernel(f"{self.name}_back", derivatives, ["g"])
        results = self._back[wanted](gradient, *tensors)
        by_position = dict(
            zip(
                wanted,
                results if isinstance(results, tuple) else (results,),
                strict=True,
            )
        )
        return [by_position.get(position) for position in self.positions]

    def _recorded(self, tensors: Sequence[Tensor], gradient: Tensor) -> list[Any]:
        """Compute gradients with recorded ops, so that they have gradients."""
        with enable_grad():
            # Each in a step of its own: a tensor may be given twice.
            copies = [
                tensor if tensor.is_constant() else tensor.clone() for tensor in tensors
            ]
            values = list(self.values)
            for position, tensor in zip(self.positions, copies, strict=True):
                values[position] = tensor
            result = self.function(*values)
            wanted = [tensor for tensor in copies if not tensor.is_constant()]
            derivatives = iter(
                _core.gradients([result], wanted, [gradient], True, True)
            )
        return [
            None if tensor.is_constant() else next(derivatives) for tensor in copies
        ]

    def _kernel(
        self, name: str, results: Sequence[Any], first: list[str]
    ) -> ElementwiseKernel:
        """Return the kernel that computes `results` from `first` and the arguments."""
        inputs = first + [f"a{position}" for position in self.positions]
        outputs = [f"out{i}" for i in range(len(results))]
        lines, ops = _lines(results, self.dtype)
        return ElementwiseKernel(
            ", ".join(f"{self.dtype} {declared}" for declared in inputs),
            ", ".join(f"{self.dtype} {declared}" for declared in outputs),
            "\n".join(lines),
            name,
            preamble=_functions(ops, self.dtype),
        )


def _read(function: Callable[..., Any], values: Sequence[Any], dtype: str) -> Value:
    """Trace the function: run it once with stand-ins for its tensors."""
    stand_ins = [
        Value("argument", position=position, dtype=dtype)
        if isinstance(argument, Tensor)
        else argument
        for position, argument in enumerate(values)
    ]
    reading = Reading()
    enter(reading)
    try:
        result = function(*stand_ins)
    finally:
        leave(reading)
    if not isinstance(result, Value):
        raise TypeError(
            f"[fuse] {_name_of(function)} returned {type(result).__name__}; it must "
            "return one tensor computed from its arguments."
        )
    return result


def _literal(number: float, dtype: str) -> str:
    """Return a literal of CUDA C++ with exactly this value."""
    if dtype != "float64":
        return f"__int_as_float(0x{int(np.float32(number).view(np.uint32)):08x})"
    bits = int(np.float64(number).view(np.uint64))
    return f"__longlong_as_double(0x{bits:016x}LL)"


def _lines(results: Sequence[Any], dtype: str) -> tuple[list[str], set[str]]:
    """Return the statements of CUDA C++ that compute the values, and their ops."""
    names: dict[Value, str] = {}
    lines, ops = [], set()

    def text(operand: Any) -> str:
        return (
            names[operand] if isinstance(operand, Value) else _literal(operand, dtype)
        )

    for root in results:
        for node in on_the_way(root) if isinstance(root, Value) else ():
            if node in names:
                continue
            if node.op == "argument":
                name = "g" if node.position < 0 else f"a{node.position}"
                names[node] = f"static_cast<Scalar>({name})"
                continue
            names[node] = f"v{len(names)}"
            call = ", ".join(map(text, node.inputs))
            if node.op == "number":
                lines.append(f"const Scalar {names[node]} = {call};")
                continue
            lines.append(f"const Scalar {names[node]} = do_{node.op}({call});")
            ops.add(node.op)
    lines += [f"out{i} = {text(root)};" for i, root in enumerate(results)]
    return lines, ops


def _functions(ops: set[str], dtype: str) -> str:
    """CUDA C++ of the ops, with the bodies of the library's kernels.

    The compiler may join a product and a sum, which rounds once instead of twice,
    within an op as in the library's kernel, but not across ops: the intrinsics that
    end in _rn are never joined. One behind a body with a product ends it: x + -0 is x.
    """
    letter = "d" if dtype == "float64" else "f"
    lines = [f"using Scalar = {_TYPES[dtype]};"]
    if ops & {"floor_divide", "remainder", "pow"}:
        lines.append(_core.kernel_source("python_math.cuh").replace("#pragma once", ""))
    for op in sorted(ops):
        names, body = _code(op)
        if op in ("add", "sub", "mul"):
            body = f"return __{letter}{op}_rn(a, b);"
        parameters = ", ".join(f"Scalar {name}" for name in names)
        held = f"__{letter}add_rn(of(), Scalar(-0.0))" if "*" in body else "of()"
        if dtype == "float16":
            held = "__half2float(__float2half_rn(of()))"
        lines.append(
            f"__device__ inline Scalar do_{op}({parameters}) {{\n"
            f"  const auto of = [&]() -> Scalar {{ {body} }};\n"
            f"  return {held};\n}}"
        )
    return "\n".join(lines)


def _code(op: str) -> tuple[str, str]:
    """Return the parameters of an op's body, a letter each, and the body."""
    if op in _OF_THREE:
        return "cab", _OF_THREE[op]
    count, body = _core.float_code(_LIKE.get(op, op))
    return "x" if count == 1 else "ab", body


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "fused")
    return "fused" if name == "<lambda>" else str(name)


def _require_alike(tensors: Sequence[Tensor]) -> None:
    if not tensors:
        raise TypeError("[fuse] got no tensor; need at least one tensor argument.")
    dtypes = sorted({tensor.dtype.name for tensor in tensors})
    if len(dtypes) > 1 or dtypes[0] not in _TYPES:
        raise TypeError(
            f"[fuse] got tensors of {', '.join(dtypes)}; all must have the same dtype, "
            f"one of {', '.join(_TYPES)}. Try .to(...)."
        )
    devices = sorted({tensor.device for tensor in tensors})
    if len(devices) > 1:
        raise ValueError(
            f"[fuse] got tensors on {' and '.join(devices)}; all must be on the same "
            "device. Try .to(...)."
        )


def _require_broadcast(tensors: Sequence[Tensor]) -> None:
    shapes = [tensor.shape for tensor in tensors]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"[fuse] shapes {' and '.join(map(str, shapes))} cannot be broadcast."
        ) from None


def _counted(
    function: Callable[..., Any], args: Sequence[Any]
) -> list[tuple[int, int]]:
    """Return launches and sectors of a call, then of its backward pass, if any."""
    fresh = []
    for argument in args:
        argument = getattr(argument, "__minitorch_value__", argument)
        if isinstance(argument, Tensor):
            requires = argument.requires_grad
            argument = argument.detach().to("cuda").clone().requires_grad_(requires)
        fresh.append(argument)
    with inspect(library=True) as run:
        result = function(*fresh)
    counted = [_totals(run)]
    if isinstance(result, Tensor) and result.requires_grad:
        ones = _core.full(result.shape, 1.0, result.dtype, result.device)
        with inspect(library=True) as run:
            result.backward(ones)
        counted.append(_totals(run))
    return counted


def _totals(run: Any) -> tuple[int, int]:
    sectors = sum(int(launch.counters.bytes) // 32 for launch in run.launches)
    return len(run.launches), sectors
