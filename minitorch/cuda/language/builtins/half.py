"""Typing of `cuda.fp16` and `cuda.bf16`: arithmetic on 16-bit floats."""

from __future__ import annotations

from ..typed import Expression, Intrinsic, convert
from ..types import Type
from .calls import CallSite, device_function
from .numbers import real_numbers

_HEADER = ("half.cuh",)
_TYPES = {"fp16": Type.FLOAT16, "bf16": Type.BFLOAT16}
_ARITHMETIC = {
    **dict.fromkeys(("hadd", "hsub", "hmul", "hdiv", "hmax", "hmin"), ("a", "b")),
    **dict.fromkeys(("hneg", "habs"), ("a",)),
    "hfma": ("a", "b", "c"),
}
_COMPARISONS = ("heq", "hne", "hlt", "hle", "hgt", "hge")
_FUNCTIONS = (
    *("hsin", "hcos", "hlog", "hlog2", "hlog10", "hexp", "hexp2", "hexp10"),
    *("htanh", "hsqrt", "hrsqrt", "hrcp", "hfloor", "hceil", "hrint", "htrunc"),
)


def _paths(*names: str) -> list[str]:
    return [f"{root}.{name}" for root in _TYPES for name in names]


def _call(site: CallSite, function: str, *names: str) -> Intrinsic:
    type_ = _TYPES[site.name.partition(".")[0]]
    values = tuple(convert(value, type_) for value in real_numbers(site, *names))
    return Intrinsic(type_, function, values, _HEADER)


@device_function(*_paths(*_ARITHMETIC))
def _arithmetic(site: CallSite) -> Expression:
    name = site.name.rpartition(".")[2]
    function = "py::hfma" if name == "hfma" else f"__{name}"
    return _call(site, function, *_ARITHMETIC[name])


@device_function(*_paths(*_COMPARISONS))
def _comparison(site: CallSite) -> Expression:
    call = _call(site, f"__{site.name.rpartition('.')[2]}", "a", "b")
    return Intrinsic(Type.BOOL, call.function, call.arguments, _HEADER)


@device_function(*_paths(*_FUNCTIONS))
def _function(site: CallSite) -> Expression:
    name = site.name.rpartition(".")[2]
    return _call(site, "py::htanh" if name == "htanh" else name, "a")
