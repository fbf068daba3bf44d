"""Names that exist only inside kernels, `threadIdx` to `atomic.add`.

They are plain objects with a path, which the translation looks up in its tables. Must
not know what they mean.
"""

from __future__ import annotations

from typing import Any

from ..tracebacks import learner_frames


class DeviceName:
    """Name that only a kernel can use, such as `cuda.threadIdx`.

    Args:
        path: Its dotted name below `minitorch.cuda`.
        text: What it is, in a line; shown by `help`.

    Attributes below it are names, too: `cuda.threadIdx.x`.

    Example:
        >>> block = DeviceName("blockIdx", "index of the block in the grid")
        >>> block
        <minitorch.cuda.blockIdx, for kernels only>
    """

    def __init__(self, path: str, text: str = "") -> None:
        self.path = path
        self.__name__ = path.rpartition(".")[2]
        self.__doc__ = text

    @learner_frames
    def __call__(self, *arguments: object, **keywords: object) -> Any:
        raise RuntimeError(
            f"[cuda] cuda.{self.path} works only in a kernel. Decorate the function "
            "with @cuda.jit and launch it: kernel[grid, block](...)."
        )

    def __repr__(self) -> str:
        return f"<minitorch.cuda.{self.path}, for kernels only>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return device_name_of, (self.path,)


_THREE = "x y z"
_TABLE = {
    "threadIdx": "index of the thread in its block, .x .y .z (int32)",
    "blockIdx": "index of the block in the grid, .x .y .z (int32)",
    "blockDim": "threads of a block, .x .y .z (int32)",
    "gridDim": "blocks of the grid, .x .y .z (int32)",
    "laneid": "index of the thread in its warp (int32)",
    "warpsize": "threads of a warp: 32 (int32)",
    "grid": "grid(ndim): index of the thread in the whole grid (int64, or a tuple)",
    "gridsize": "gridsize(ndim): threads of the whole grid (int64, or a tuple)",
    "shared": "arrays that the threads of a block share",
    "shared.array": "array(shape, dtype): constant shape; 0 is dynamic shared memory",
    "local": "arrays that each thread has for itself",
    "local.array": "array(shape, dtype=float32): constant shape",
    "const": "arrays that no thread writes",
    "const.array_like": "array_like(array): a host array as a constant",
    "syncthreads": "wait until all threads of the block are here",
    "syncthreads_count": "wait; in how many threads is the argument true (int32)",
    "syncthreads_and": "wait; is the argument true in all threads (int32)",
    "syncthreads_or": "wait; is the argument true in any thread (int32)",
    "syncwarp": "syncwarp(mask=0xffffffff): wait for the lanes of the mask",
    "threadfence": "order this thread's writes for the device",
    "threadfence_block": "order this thread's writes for the block",
    "threadfence_system": "order this thread's writes for host and device",
    "shfl_sync": "shfl_sync(mask, value, lane): the value of another lane",
    "shfl_up_sync": "shfl_up_sync(mask, value, delta): from a lower lane",
    "shfl_down_sync": "shfl_down_sync(mask, value, delta): from a higher lane",
    "shfl_xor_sync": "shfl_xor_sync(mask, value, bits): from lane ^ bits",
    "all_sync": "all_sync(mask, predicate): true in all lanes (bool)",
    "any_sync": "any_sync(mask, predicate): true in any lane (bool)",
    "eq_sync": "eq_sync(mask, predicate): the same in all lanes (bool)",
    "ballot_sync": "ballot_sync(mask, predicate): a bit for each lane (int32)",
    "match_any_sync": "match_any_sync(mask, value): lanes with the same value (int32)",
    "match_all_sync": "match_all_sync(mask, value): (lanes, is it the same in all)",
    "vote_sync_intrinsic": "vote_sync_intrinsic(mask, mode, predicate)",
    "activemask": "the lanes that are active here (int32)",
    "lanemask_lt": "the lanes below this one (int32)",
    "popc": "number of bits that are set (int32)",
    "brev": "the bits in reverse order",
    "clz": "number of leading zero bits",
    "ffs": "place of the lowest set bit, from 1; 0 if none",
    "fma": "fma(a, b, c): a * b + c, rounded once",
    "cbrt": "cubic root",
    "selp": "selp(test, a, b): a if test else b, both computed",
    "nanosleep": "nanosleep(ns): pause this thread",
    "cg": "cooperative groups",
    "cg.this_grid": "the group of all threads; .sync() waits for them",
    "random": "random numbers; the states come from create_xoroshiro128p_states",
    "random.xoroshiro128p_next": "xoroshiro128p_next(states, index): 64 bits (uint64)",
    "random.xoroshiro128p_jump": "xoroshiro128p_jump(states, index): 2**64 draws on",
    "random.xoroshiro128p_uniform_float32": "in [0, 1), as float32",
    "random.xoroshiro128p_uniform_float64": "in [0, 1), as float64",
    "random.xoroshiro128p_normal_float32": "mean 0 and deviation 1, as float32",
    "random.xoroshiro128p_normal_float64": "mean 0 and deviation 1, as float64",
    "fp16": "arithmetic on float16",
    "bf16": "arithmetic on bfloat16",
    "atomic": "operations that no other thread can interrupt",
}
_ATOMICS = "add sub and_ or_ xor inc dec exch max min nanmax nanmin cas"
_HALF = (
    "hadd hsub hmul hdiv hfma hneg habs hmax hmin heq hne hlt hle hgt hge hsin hcos "
    "hlog hlog2 hlog10 hexp hexp2 hexp10 htanh hsqrt hrsqrt hrcp hfloor hceil hrint "
    "htrunc"
)


def _tree() -> dict[str, DeviceName]:
    table = dict(_TABLE)
    for root in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        table |= {f"{root}.{axis}": f"{root}, axis {axis}" for axis in _THREE.split()}
    table |= {
        f"atomic.{name}": f"{name}(array, index, value): the old value is returned"
        for name in _ATOMICS.split()
    }
    table["atomic.compare_and_swap"] = "compare_and_swap(array, old, value)"
    for root in ("fp16", "bf16"):
        table |= {f"{root}.{name}": f"{name} of {root}" for name in _HALF.split()}
    tree: dict[str, DeviceName] = {}
    for path, text in table.items():
        tree[path] = DeviceName(path, text)
        above, _, _ = path.rpartition(".")
        if above:
            setattr(tree[above], tree[path].__name__, tree[path])
    return tree


#: Every name by its path.
DEVICE_NAMES = _tree()


def device_name_of(path: str) -> DeviceName:
    """Return the one object of a path.

    Example:
        >>> device_name_of("threadIdx.x")
        <minitorch.cuda.threadIdx.x, for kernels only>
    """
    return DEVICE_NAMES[path]
