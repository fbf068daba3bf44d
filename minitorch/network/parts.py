"""Convert a slice of a kernel's trace to factors, sums and words."""

from __future__ import annotations

from collections.abc import Sequence

from .exact_arithmetic import number_of
from .neuron import Factor, LoadedBy, Mac, Part, Triple
from .records import ArrayUse, Kernel, array_at
from .slice import MOVES, Store, Value, in_order, recompute

#: Steps in words that a part keeps.
MOST_WORDS = 200
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_TYPES = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "int32": "s32",
    "int64": "s64",
    "uint8": "u8",
    "bool": "u8",
}


class PartMaker:
    """Makes the part of one kernel for one element.

    Args:
        kernel: of the explanation; place: the layer and the op that launched it.
        arrays: where they lay in the traced run.
        sms: multiprocessors of the card.
    """

    def __init__(
        self, kernel: Kernel, position: str, arrays: Sequence[ArrayUse], sms: int
    ) -> None:
        self._kernel, self._of, self._arrays, self._sms = kernel, position, arrays, sms

    def part(self, store: Store, root: Value) -> Part:
        """Return the part for the element's store and the slice of its value."""
        array = array_at(self._arrays, store.address)
        type_ = _TYPES.get(array.dtype, "") if array else ""
        type_ = type_ or root.source_type
        values = in_order(root)
        return Part(
            kernel=self._kernel.index,
            name=self._kernel.name,
            grid=self._kernel.grid,
            block_shape=self._kernel.block,
            block=_coordinates(store.block, self._kernel.grid),
            thread=self._thread(store.warp, store.lane),
            warp=store.warp,
            lane=store.lane,
            sm=store.block % self._sms,
            value=number_of(store.value, type_),
            address=store.address,
            macs=tuple(self._mac(value) for value in values if value.is_mac),
            steps=self._words(values, type_),
            source_line=root.line,
            place=self._of,
            _recompute=lambda: number_of(recompute(root), type_),
        )

    def _thread(self, warp: int, lane: int) -> Triple:
        return _coordinates(warp * 32 + lane, self._kernel.block)

    def _mac(self, value: Value) -> Mac:
        a, b = (self._factor(factor, value.type) for factor in value.sources[:2])
        zero = any(
            factor.origin().step < 0 and not factor.origin().bits << 1 & 0xFFFFFFFF
            for factor in value.sources[:2]
        )
        return Mac(a, b, number_of(value.bits, value.type), zero)

    def _factor(self, value: Value, type_: str) -> Factor:
        number = number_of(value.bits, type_)
        origin = value.origin()
        array = array_at(self._arrays, origin.address) if origin.address else None
        element = array.element(origin.address) if array else None
        if array is None or element is None:
            return Factor(number)
        by = LoadedBy(self._thread(origin.warp, origin.lane), origin.line)
        return Factor(number, array.parameter, element, origin.address, by)

    def _words(self, values: Sequence[Value], type_: str) -> tuple[str, ...]:
        """Describe the steps besides multiply-adds."""
        others = [
            value
            for value in values
            if value.sources
            and value.name not in MOVES
            and not value.is_mac
            and (value.is_of_floats or type_[:1] in "su")
        ]
        words = [self._word(value) for value in others[:MOST_WORDS]]
        if len(others) > MOST_WORDS:
            words.append(f"and {len(others) - MOST_WORDS} more")
        return tuple(words)

    def _word(self, value: Value) -> str:
        given = [self._named(source, value.source_type) for source in value.sources]
        sign = _SIGNS.get(value.name)
        done = (
            f" {sign} ".join(given)
            if sign and len(given) == 2
            else f"{value.name}({', '.join(given)})"
        )
        return f"{value.opcode}: {done} = {number_of(value.bits, value.type)!r}"

    def _named(self, value: Value, type_: str) -> str:
        factor = self._factor(value, type_)
        array = array_at(self._arrays, factor.address) if factor.array else None
        if array is None:
            return repr(factor.value)
        # Along what is spread (a step of 0) there is one element.
        pairs = zip(factor.element, array.strides, strict=True)
        index = ", ".join(str(i) for i, step in pairs if step)
        return f"{factor.value!r} ({factor.array}[{index}])"


def _coordinates(number: int, extent: Triple) -> Triple:
    x, y, _ = extent
    return number % x, number // x % y, number // (x * y)
