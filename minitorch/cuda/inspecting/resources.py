"""Resources that a kernel uses on a GPU: registers, memory, occupancy."""

from __future__ import annotations

from dataclasses import dataclass

from ... import _core
from ..tracebacks import learner_methods


@dataclass(frozen=True)
class Occupancy:
    """Number of blocks of one kernel that a multiprocessor holds at once.

    Attributes:
        blocks: on one multiprocessor; 0 when such a block cannot run.
        warps: of these blocks.
        fraction: `warps` of the most that a multiprocessor holds, 0 to 1.
        limiters: what keeps more blocks away: "warps", "registers", "shared",
            "blocks", "barriers"; several when they agree.
        limits: blocks that each of them alone would allow; None: any number.
    """

    blocks: int
    warps: int
    fraction: float
    limiters: tuple[str, ...]
    limits: dict[str, int | None]

    def __str__(self) -> str:
        return (
            f"{self.fraction:.1%} occupancy: {self.blocks} blocks, {self.warps} warps "
            f"per multiprocessor, limited by {' and '.join(self.limiters)}"
        )


@learner_methods
@dataclass(frozen=True)
class Resources:
    """Resources of a kernel, read from the machine code that NVRTC compiles.

    Attributes:
        kernel: its name.
        gpu: the card's short name, such as "t4".
        gpu_name: the card's whole name.
        registers: of one thread.
        shared_bytes: of one block, the declared arrays.
        local_bytes: of one thread: its stack, with the functions it calls. Of a
            recursive kernel one call only.
        constant_bytes: all `__constant__` variables of the module.
        parameter_bytes: of one launch.
        spill_stores: bytes that a thread's code writes to local memory because
            registers ran out; counted in the code, not in a run.
        spill_loads: bytes that it reads back.
        recursive: whether the stack's size cannot be known.
        barriers: block barriers in use.
        max_threads: threads a block may have, from `__launch_bounds__` or the card.
        code_bytes: size of the machine code.

    Source: the attributes of the cubin's `.nv.info` sections; spills from the log of
    `--ptxas-options=-v`.
    """

    kernel: str
    gpu: str
    gpu_name: str
    registers: int
    shared_bytes: int
    local_bytes: int
    constant_bytes: int
    parameter_bytes: int
    spill_stores: int
    spill_loads: int
    recursive: bool
    barriers: int
    max_threads: int
    code_bytes: int
    _core: _core.Resources

    def occupancy(self, block: int, shared_mem: int = 0) -> Occupancy:
        """Return the theoretical occupancy, as NVIDIA's occupancy calculator does.

        Args:
            block: threads of a block.
            shared_mem: dynamic shared memory of a block, in bytes; beyond 48 KiB as if
                the kernel had opted in.

        Example:
            >>> from minitorch import cuda
            >>> fill = cuda.RawKernel("__global__ void f(int* x) { *x = 1; }", "f")
            >>> print(fill.resources("t4").occupancy(64))
            100.0% occupancy: 16 blocks, 32 warps per multiprocessor, limited by warps \
and blocks
        """
        fields = self._core.occupancy(block, shared_mem)
        names = ("warps", "registers", "shared", "blocks", "barriers")
        return Occupancy(
            blocks=fields["blocks"],
            warps=fields["warps"],
            fraction=fields["fraction"],
            limiters=tuple(fields["limiters"]),
            limits={name: fields[f"by_{name}"] for name in names},
        )

    def table(self, block: int | None = None, shared_mem: int = 0) -> str:
        """Return the resources as text, with the occupancy for `block` if given."""
        stack = " (one call: the kernel is recursive)" if self.recursive else ""
        rows = [
            ("registers", f"{self.registers} a thread"),
            ("shared memory", f"{self.shared_bytes:,} bytes a block"),
            ("local memory", f"{self.local_bytes:,} bytes a thread{stack}"),
            (
                "spills",
                f"{self.spill_stores:,} bytes stored, {self.spill_loads:,} loaded",
            ),
            ("constant memory", f"{self.constant_bytes:,} bytes"),
            ("parameters", f"{self.parameter_bytes:,} bytes"),
            ("barriers", f"{self.barriers}"),
            ("threads", f"at most {self.max_threads} a block"),
            ("code", f"{self.code_bytes:,} bytes"),
        ]
        if block is not None:
            rows.append((f"block of {block}", str(self.occupancy(block, shared_mem))))
        lines = [f"{name:<16} {value}" for name, value in rows]
        return "\n".join([f"{self.kernel} on {self.gpu_name}", *lines])

    def __repr__(self) -> str:
        return (
            f"Resources({self.kernel} on {self.gpu}: {self.registers} registers, "
            f"{self.shared_bytes} B shared, {self.local_bytes} B local, "
            f"{self.spill_stores + self.spill_loads} B spilled)"
        )


_FIELDS = [name for name in Resources.__dataclass_fields__ if name != "_core"]


def resources_of(kernel: _core.RawKernel, gpu: str | None) -> Resources:
    """Compile `kernel` for the GPU named `gpu`; return the resources it uses."""
    if gpu is not None and not isinstance(gpu, str):
        raise TypeError(f"[resources] got gpu {gpu!r}; need a name such as 't4'.")
    core = _core.resources(kernel, gpu or "")
    return Resources(**{name: getattr(core, name) for name in _FIELDS}, _core=core)
