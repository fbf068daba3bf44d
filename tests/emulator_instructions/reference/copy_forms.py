"""The conformance forms of cp.async: what is in shared memory after each wait."""

from __future__ import annotations

import random

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


def form(name, body, sizes, wanted):
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


def sizes_and_sources():
    wait = ["cp.async.commit_group", "cp.async.wait_group 0"]
    lanes = range(32)
    for cache, size in [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)]:
        op = f"cp.async.{cache}.shared.global"
        all_of_it = [size] * 32
        copy = f"{op} [%a0], [%x], {size}"
        yield form(f"{op}.{size}", [copy, *wait], all_of_it, all_of_it)
        hinted = [copy.replace("global", "global.L2::128B"), "cp.async.wait_all"]
        yield form(f"{op}.L2::128B.{size}", hinted, all_of_it, all_of_it)
        part = ["rem.u32 %b0, %lane, 18", f"{copy}, %b0", *wait]
        some = [lane % 18 for lane in lanes]
        yield form(f"{op}.{size}.source_size", part, all_of_it, some)
        ignored = ["setp.gt.u32 %p, %lane, 20", f"{copy}, %p", *wait]
        some = [0 if lane > 20 else size for lane in lanes]
        yield form(f"{op}.{size}.ignore_source", ignored, all_of_it, some)
        guarded = ["setp.gt.u32 %p, %lane, 20", f"@%p {copy}", *wait]
        some = [size if lane > 20 else 0 for lane in lanes]
        yield form(f"{op}.{size}.guarded", guarded, some, some)


def groups():
    # Lanes below 16 copy once more in their last group: a wait may leave it out.
    op = "cp.async.ca.shared.global"
    two = [
        "setp.lt.u32 %p, %lane, 16",
        f"{op} [%a0], [%x], 4",
        "cp.async.commit_group",
        f"@%p {op} [%a0+4], [%x+4], 4",
        "cp.async.commit_group",
    ]
    four = [4] * 32
    both = [8 if lane < 16 else 4 for lane in range(32)]
    yield form("cp.async.wait_group.1", [*two, "cp.async.wait_group 1"], four, four)
    yield form("cp.async.wait_group.0", [*two, "cp.async.wait_group 0"], both, both)
    # Copies in no group: only wait_all waits for them.
    free = [two[1], "cp.async.commit_group", f"{op} [%a0+4], [%x+4], 4"]
    waited = [*free, "cp.async.wait_group 0"]
    yield form("cp.async.uncommitted", waited, four, four)
    yield form("cp.async.wait_all", [*free, "cp.async.wait_all"], [8] * 32, [8] * 32)


def forms():
    yield from sizes_and_sources()
    yield from groups()
