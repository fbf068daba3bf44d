"""Owns the conformance forms of cp.async: what is in shared memory after each wait."""

from __future__ import annotations

import random
from collections.abc import Iterator

from reference.matrix_forms import WarpForm, lines

# Lane l copies from 16 l of `in` to 16 (31 - l) of the tile, which holds ones.
START = [
    "mov.u32 %at, tile",
    "mad.lo.u32 %t, %lane, 16, %at",
    "mov.u32 %c0, -1",
    "st.shared.v4.b32 [%t], {%c0, %c0, %c0, %c0}",
    "sub.u32 %a0, 31, %lane",
    "mad.lo.u32 %a0, %a0, 16, %at",
    "mad.wide.u32 %x, %lane, 16, %in",
    "mad.wide.u32 %y, %lane, 16, %out",
    "bar.sync 0",
]
FINISH = [
    "bar.sync 0",
    "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%t]",
    "st.global.v4.b32 [%y], {%d0, %d1, %d2, %d3}",
]
ONES = 0xFF


def form(name: str, body: list[str], sizes: list[int], wanted: list[int]) -> WarpForm:
    """sizes, wanted: by lane, bytes that are written and how many come from `in`."""
    source = random.Random(name)
    words = [source.getrandbits(32) for _ in range(32 * 4)]
    memory = b"".join(word.to_bytes(4, "little") for word in words)
    tile = bytearray([ONES] * 512)
    for lane in range(32):
        copied = memory[16 * lane : 16 * lane + min(sizes[lane], wanted[lane])]
        to = 16 * (31 - lane)
        tile[to : to + sizes[lane]] = copied.ljust(sizes[lane], b"\0")
    results = [int.from_bytes(tile[i : i + 4], "little") for i in range(0, 512, 4)]
    return WarpForm(name, lines(*START, *body, *FINISH), words, results)


def forms() -> Iterator[WarpForm]:
    wait = ["cp.async.commit_group", "cp.async.wait_group 0"]
    for cache, size in [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)]:
        op = f"cp.async.{cache}.shared.global"
        sizes = [size] * 32
        copy = f"{op} [%a0], [%x], {size}"
        yield form(f"{op}.{size}", [copy, *wait], sizes, sizes)
        yield form(
            f"{op}.L2::128B.{size}",
            [copy.replace("global", "global.L2::128B"), "cp.async.wait_all"],
            sizes,
            sizes,
        )
        part = ["rem.u32 %b0, %lane, 18", f"{copy}, %b0", *wait]
        yield form(
            f"{op}.{size}.source_size", part, sizes, [lane % 18 for lane in range(32)]
        )
        ignored = ["setp.gt.u32 %p, %lane, 20", f"{copy}, %p", *wait]
        yield form(
            f"{op}.{size}.ignore_source",
            ignored,
            sizes,
            [0 if lane > 20 else size for lane in range(32)],
        )
        guarded = ["setp.gt.u32 %p, %lane, 20", f"@%p {copy}", *wait]
        some = [size if lane > 20 else 0 for lane in range(32)]
        yield form(f"{op}.{size}.guarded", guarded, some, some)
    # Lanes below 16 commit one group more: for them the wait leaves it out.
    op = "cp.async.ca.shared.global"
    late = [
        "setp.lt.u32 %p, %lane, 16",
        f"{op} [%a0], [%x], 4",
        "cp.async.commit_group",
        f"@%p {op} [%a0+4], [%x+4], 4",
        "cp.async.commit_group",
        "cp.async.wait_group 1",
    ]  # fmt: skip
    yield form("cp.async.wait_group.1", late, [4] * 32, [4] * 32)
    both = [8 if lane < 16 else 4 for lane in range(32)]
    yield form(
        "cp.async.wait_group.0", [*late[:-1], "cp.async.wait_group 0"], both, both
    )
    # Copies in no group: only wait_all waits for them.
    free = [late[1], "cp.async.commit_group", f"{op} [%a0+4], [%x+4], 4"]
    yield form(
        "cp.async.uncommitted", [*free, "cp.async.wait_group 0"], [4] * 32, [4] * 32
    )
    yield form("cp.async.wait_all", [*free, "cp.async.wait_all"], [8] * 32, [8] * 32)
