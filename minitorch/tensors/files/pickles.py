"""Read a pickle without running code: its instructions only build plain data.

A pickle is a program for a stack machine, which may name and call any function there
is. This machine knows the instructions that build containers, numbers and text, and the
few names that its caller gives; at any other it stops.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LARGEST = 1 << 24  # bytes: a state dict of 10,000 tensors has a tenth of it
_KEYS = (
    str,
    int,
    float,
    bool,
    bytes,
    type(None),
)  # a deep tuple's hash would never return


class Refused(ValueError):
    """The pickle asks for something that might run code; `name` says what."""

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(message or f"it contains {name}")
        self.name = name


@dataclass(frozen=True)
class Call:
    """A name that the pickle may call with a tuple of plain arguments."""

    function: Callable[[tuple[Any, ...]], Any]


def read(
    data: bytes, names: Mapping[str, Any], persistent: Callable[[Any], Any]
) -> Any:
    """What the pickle builds.

    Args:
        data: The pickle, at most LARGEST bytes.
        names: What it may ask for, by "module.name": a Call, or a value.
        persistent: What it gets for a persistent number, which it keeps elsewhere.

    Raises:
        Refused: It asks for another name or changes an object.
        ValueError: It is damaged, or has instructions that plain data do not need.
    """
    if len(data) > LARGEST:
        raise ValueError(f"a pickle of {len(data)} bytes, more than {LARGEST}")
    machine = _Machine(names, persistent)
    try:
        for opcode, argument, position in pickletools.genops(data):
            if opcode.name == "STOP":
                return machine.result()
            step = _STEPS.get(opcode.name)
            if step is None:
                raise ValueError(
                    f"unexpected pickle instruction {opcode.name} at byte {position}"
                )
            step(machine, argument)
    except (IndexError, KeyError, OverflowError, struct.error) as error:
        raise ValueError(f"damaged pickle ({error!r})") from None
    raise ValueError("a pickle without an end")  # genops says so itself


class _Machine:
    """The pickle machine: stack, marks and memo."""

    def __init__(
        self, names: Mapping[str, Any], persistent: Callable[[Any], Any]
    ) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.notes: dict[int, Any] = {}
        self.names = names
        self.persistent = persistent

    def result(self) -> Any:
        """Return the single remaining value."""
        if len(self.stack) != 1 or self.marks:
            raise ValueError("a pickle that ends with several values on its stack")
        return self.stack[0]

    def since_mark(self) -> list[Any]:
        """Pop the values above the last mark."""
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def push(self, value: Any) -> None:
        """Push a value."""
        self.stack.append(value)

    def pop(self, count: int) -> list[Any]:
        """Pop the top values, which must be above the last mark."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise ValueError("a pickle instruction without its operands")
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values

    def note(self, key: int) -> None:
        """Store the top value in the memo."""
        self.notes[key] = self.stack[-1]

    def named(self, module: Any, name: Any) -> None:
        """Push the value of a name."""
        full = f"{module}.{name}"
        if full not in self.names:
            raise Refused(full)
        self.push(self.names[full])

    def call(self) -> None:
        """Call a name with a tuple."""
        function, arguments = self.pop(2)
        if not isinstance(function, Call) or not isinstance(arguments, tuple):
            raise Refused(f"a call of {type(function).__name__}")
        self.push(function.function(arguments))

    def build(self) -> None:
        """Drop the attributes of an ordered dict; refuse other objects."""
        target, _ = self.pop(2)
        if not isinstance(target, dict):
            raise Refused(f"the state of {type(target).__name__}")
        self.push(target)

    def extend(self, values: list[Any]) -> None:
        """Append values to the list on the stack."""
        target = self.stack[-1]
        if not isinstance(target, list):
            raise ValueError(
                f"elements appended to {type(target).__name__}, not a list"
            )
        target.extend(values)

    def join(self, values: list[Any]) -> None:
        """Add plain values to the set on the stack."""
        target = self.stack[-1]
        if not isinstance(target, set):
            raise ValueError(f"elements added to {type(target).__name__}, not a set")
        target.update(_plain(value) for value in values)

    def update(self, pairs: list[Any]) -> None:
        """Add alternating keys and values to the dict on the stack."""
        target = self.stack[-1]
        if not isinstance(target, dict) or len(pairs) % 2:
            raise ValueError(
                "a key or value without its pair, or entries of "
                f"{type(target).__name__}, not a dict"
            )
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            target[_plain(key)] = value


def _plain(key: Any) -> Any:
    """Return a key if it is plain data; its hash is computed at once."""
    if not isinstance(key, _KEYS):
        raise ValueError(f"unexpected key of type {type(key).__name__}")
    return key


_Step = Callable[[_Machine, Any], None]


def _pushes(make: Callable[[], Any]) -> _Step:
    return lambda machine, _: machine.push(make())


def _takes(count: int) -> _Step:
    return lambda machine, _: machine.push(tuple(machine.pop(count)))


def _push_argument(machine: _Machine, argument: Any) -> None:
    machine.push(argument)


def _nothing(machine: _Machine, argument: Any) -> None:
    """Ignore an instruction that only describes how the pickle was written."""


def _put(machine: _Machine, argument: int) -> None:
    machine.note(argument)


def _get(machine: _Machine, argument: int) -> None:
    machine.push(machine.notes[argument])


def _mark(machine: _Machine, _: Any) -> None:
    machine.marks.append(len(machine.stack))


def _global(machine: _Machine, argument: str) -> None:
    module, _, name = argument.partition(" ")  # pickletools joins the two by a space
    machine.named(module, name)


_STEPS: dict[str, _Step] = {
    "PROTO": _nothing,
    "FRAME": _nothing,
    "MARK": _mark,
    "NONE": _pushes(lambda: None),
    "NEWTRUE": _pushes(lambda: True),
    "NEWFALSE": _pushes(lambda: False),
    "EMPTY_DICT": _pushes(dict),
    "EMPTY_LIST": _pushes(list),
    "EMPTY_TUPLE": _pushes(tuple),
    "EMPTY_SET": _pushes(set),
    "ADDITEMS": lambda machine, _: machine.join(machine.since_mark()),
    "BINBYTES": _push_argument,
    "SHORT_BINBYTES": _push_argument,
    "TUPLE": lambda machine, _: machine.push(tuple(machine.since_mark())),
    "TUPLE1": _takes(1),
    "TUPLE2": _takes(2),
    "TUPLE3": _takes(3),
    "LIST": lambda machine, _: machine.push(machine.since_mark()),
    "APPEND": lambda machine, _: machine.extend(machine.pop(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.since_mark()),
    "SETITEM": lambda machine, _: machine.update(machine.pop(2)),
    "SETITEMS": lambda machine, _: machine.update(machine.since_mark()),
    "PUT": _put,
    "BINPUT": _put,
    "LONG_BINPUT": _put,
    "MEMOIZE": lambda machine, _: machine.note(len(machine.notes)),
    "GET": _get,
    "BINGET": _get,
    "LONG_BINGET": _get,
    "GLOBAL": _global,
    "STACK_GLOBAL": lambda machine, _: machine.named(*machine.pop(2)),
    "REDUCE": lambda machine, _: machine.call(),
    "BUILD": lambda machine, _: machine.build(),
    "BINPERSID": lambda machine, _: machine.push(machine.persistent(*machine.pop(1))),
}
for _name in (
    *("INT", "LONG", "BININT", "BININT1", "BININT2", "LONG1", "LONG4"),
    *("FLOAT", "BINFLOAT"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
):
    _STEPS[_name] = _push_argument
