"""Index checks: how a checked build reports an index before the access.

Each index passes through a small function of its own, which gives it back and leaves a
comment in the PTX, as inline assembly:

    // minitorch.index.u64 3, 0, 1, 2, %rd7, %rd4;

the access's number, the dimension, the memory (MtSpace), what is done there (MtAccess),
the index, the extent; where the memory is not known while compiling, the array's
address as well. The emulator reads it as a check, in modules that ask for it; to every
other driver it is a comment.
"""

from __future__ import annotations

from ..typed import Access

#: The pseudo file of the functions.
FILE = "/minitorch/language/index"

# MtSpace and MtAccess of cpp/cuda_abi/inspect.h.
ANYWHERE, GLOBAL, SHARED, LOCAL, CONST = range(5)
READ, WRITE, ATOMIC = 1, 2, 3


class IndexChecks:
    """Index checks of one kernel.

    Attributes:
        accesses: By their numbers.
    """

    def __init__(self) -> None:
        self.accesses: list[Access] = []
        self._numbers: dict[int, int] = {}
        self._functions: dict[str, str] = {}

    def call(
        self,
        access: Access,
        dimension: int,
        space: int,
        texts: tuple[str, int | str, str],
    ) -> str:
        """Write a checked index.

        Args:
            access: The subscript.
            dimension: Which of its array's.
            space: GLOBAL, SHARED, LOCAL or CONST; ANYWHERE: that of the address.
            texts: The index, the extent (a number where it is constant), the address.
        """
        index, extent, address = texts
        number = self._numbers.setdefault(id(access), len(self.accesses))
        if number == len(self.accesses):
            self.accesses.append(access)
        kind = ATOMIC if access.atomic else WRITE if access.write else READ
        given, inputs = [index], ['"l"((long long)i)']
        parameters, limit = ["I i"], str(extent)
        if isinstance(extent, str):
            given.append(extent)
            inputs.append('"l"(n)')
            parameters.append("long long n")
            limit = "%1"
        comment = f"minitorch.index.u64 {number}, {dimension}, {space}, {kind}, %0, "
        comment += limit
        if space == ANYWHERE:
            given.append(address)
            comment += f", %{len(inputs)}"
            inputs.append('"l"(p)')
            parameters.append("const void* p")
        text = (
            f"({', '.join(parameters)}) {{ "
            f'asm volatile("// {comment};" :: {", ".join(inputs)}); return i; }}\n'
        )
        name = self._functions.setdefault(text, f"py_index_{len(self._functions)}")
        return f"{name}({', '.join(given)})"

    def text(self) -> str:
        """Return the functions that the calls use."""
        head = "template <class I> __device__ __forceinline__ I "
        return f'#line 1 "{FILE}"\n' + "".join(
            head + name + text for text, name in self._functions.items()
        )
