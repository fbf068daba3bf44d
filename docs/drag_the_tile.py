"""The page "Drag the tile": how often is one number fetched? Needs no server.

    python docs/drag_the_tile.py build/site/tile.html

records 48 launches of one product of matrices, C = A B with 32 x 32 numbers, on the
emulator: six sizes of the tile, threads along rows or columns of the tile, with a
column of padding or without, with barriers or without. Every number of the page is a
counter of one of them.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minitorch import cuda
from minitorch.viz import Figure
from minitorch.viz.figure.live import page_of
from minitorch.viz.figure.scenes import Interned, swatches
from minitorch.viz.scene.scene import (
    Axis,
    Bars,
    Cells,
    Code,
    Index,
    OneOf,
    Panel,
    Pattern,
    Scene,
    Table,
    Visits,
)

N = 32
TILES = (1, 2, 4, 8, 16, 32)
SOURCE = """\
__global__ void matmul(float* C, float* A, float* B) {
  __shared__ float As[TILE][TILE + PAD], Bs[TILE][TILE + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float sum = 0;
  for (int k = 0; k < 32; k += TILE) {
    As[y][x] = A[row * 32 + k + x];
    Bs[y][x] = B[(k + y) * 32 + col];
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += As[y][i] * Bs[i][x];
    __syncthreads();
  }
  C[row * 32 + col] = sum;
}
"""
ALONG_ROWS = "x = threadIdx.x, y = threadIdx.y"
DOWN_COLUMNS = "x = threadIdx.y, y = threadIdx.x"
CHAPTERS = (
    (
        "Without tiles",
        "tile=0",
        "A tile of one number is no tile: each thread reads a row of A and a column of "
        "B by itself. Every number of A is asked for 32 times, once by each thread of "
        "its row, and each time a sector of 32 bytes moves for 4. Nearly all bytes "
        "that leave the L2 cache are repetitions or of no use.",
    ),
    (
        "Drag the tile",
        "tile=3",
        "Now 64 threads share a block. They copy a tile of A and one of B into shared "
        "memory, once, and then each thread reads what the others fetched. Each number "
        "is asked for 4 times. Drag across C, or move the slider: twice the tile, "
        "half the requests.",
    ),
    (
        "Which way?",
        "tile=4&lanes=1",
        "Let neighbouring threads walk down a column of the tile and not along a row: "
        "line 3 changes. Each asks for a number of another row, 128 bytes away: the "
        "same numbers, but a warp touches many sectors of memory and uses little of "
        "each.",
    ),
    (
        "Banks",
        "tile=5&lanes=1&padding=0",
        "Shared memory has 32 banks. Down a column of a tile of 32, all threads of a "
        "warp want the same bank and take turns: 32 passes for one read. One column of "
        "padding moves each row to another bank. Try it.",
    ),
    (
        "Without a barrier",
        "tile=4&barrier=1",
        "A thread that runs ahead multiplies numbers that another has not yet copied. "
        "The emulator names the two threads. The red cells are wrong in this run; on a "
        "GPU others may be, or none, until one day.",
    ),
    (
        "Your kernel",
        "tile=4",
        "The same question for a kernel of yours: <code>with cuda.inspect(trace=True) "
        "as run: kernel[blocks, threads](...)</code>, then "
        "<code>viz.tiles(run.launches[0])</code> says how often each number is fetched "
        "(and <code>viz.memory</code> shows sectors and banks). Lesson 10 builds this "
        "kernel step by step.",
    ),
)


@dataclass(frozen=True)
class Recorded:
    """One launch: its counters, which numbers of C are wrong, and the finding."""

    counters: Any
    wrong: Any
    finding: str


def record(tile: int, lanes: int, padding: int, barrier: int) -> Recorded:
    """Launch one of the 48 kernels on the emulator."""
    source = 'extern "C" ' + SOURCE.replace("TILE", str(tile)).replace(
        "PAD", str(padding)
    )
    if lanes:
        source = source.replace(ALONG_ROWS, DOWN_COLUMNS)
    if barrier:
        source = source.replace("__syncthreads();", "")
    generator = np.random.default_rng(0)
    a, b = (generator.integers(1, 9, (N, N)).astype(np.float32) for _ in range(2))
    kernel = cuda.RawKernel(source, "matmul")
    out, *given = (cuda.to_device(x) for x in (np.zeros((N, N), np.float32), a, b))
    with cuda.inspect() as run:  # a race is listed, and the kernel goes on
        kernel[(N // tile, N // tile), (tile, tile)](out, *given)
    [launch] = run.launches
    findings = [_race(error.finding, tile + padding) for error in launch.findings[:1]]
    return Recorded(launch.counters, out.copy_to_host() != a @ b, "".join(findings))


def _race(finding: Any, row: int) -> str:
    """Return who reads what before whom, in the page's words."""
    ends = [(site.thread[:2], site.line) for site in (finding.site, finding.other)]
    (reader, read), (writer, wrote) = ends[:: 1 if finding.access == "read" else -1]
    array = finding.allocation
    index = "".join(
        f"[{at}]" for at in divmod((finding.address - array.base) // 4, row)
    )
    return (
        f"Thread {writer} copies {array.label}{index} on line {wrote}, thread {reader} "
        f"reads it on line {read}, and no barrier says who is first."
    )


def record_all() -> dict[tuple[int, ...], Recorded]:
    """Return the 48 launches by the indices of their axes."""
    states = itertools.product(range(len(TILES)), range(2), range(2), range(2))
    return {state: record(TILES[state[0]], *state[1:]) for state in states}


AXES = ("tile", "lanes", "padding", "barrier")


def _table(launches: dict[tuple[int, ...], Recorded], value: Any) -> Table:
    """Return a table of what `value` gives for each launch."""
    values = np.array([value(state, one) for state, one in launches.items()])
    return Table(AXES, values.reshape(len(TILES), 2, 2, 2, *values.shape[1:]))


def _kilobytes(count: int) -> str:
    return f"{count / 1024:,.0f} KB" if count >= 1024 else f"{count:,} bytes"


def _asked(one: Recorded) -> int:
    """Return how often each number of A is asked for."""
    return one.counters["global_load_bytes"] // (2 * 4 * N * N)


def _answer(state: tuple[int, ...], one: Recorded) -> str:
    tile, asked, wrong = TILES[state[0]], _asked(one), int(one.wrong.sum())
    if one.finding:
        return (
            f"Without barriers, {wrong:,} of {N * N:,} results are wrong in this run."
        )
    times = "once" if asked == 1 else f"{asked} times"
    words = f"With tiles of {tile}, each number of A is asked for {times}"
    words += "." if tile == 1 else f" instead of {N}."
    moved = one.counters["global_load_sectors"] * 32
    return f"{words} {_kilobytes(moved)} leave the L2 cache."


def _detail(state: tuple[int, ...], one: Recorded) -> str:
    if one.finding:
        return one.finding
    passes = one.counters["shared_load_wavefronts"]
    more = passes - one.counters["shared_load_requests"]
    words = f"Shared memory is read in {passes:,} passes"
    if more:
        return (
            f"{words}: {more:,} of them because threads of a warp want the same bank."
        )
    return f"{words}: no two threads of a warp wait for a bank."


def _bars(launches: dict[tuple[int, ...], Recorded], own: Interned) -> Bars:
    levels = (
        ("memory", lambda c: 2 * 4 * N * N),
        ("L2 cache", lambda c: c["global_load_sectors"] * 32),
        ("shared memory", lambda c: c["shared_load_bytes"]),
        ("registers", lambda c: c["fma_f32"] * 2 * 4),
    )

    def rows(_: Any, one: Recorded) -> list[int]:
        return [level(one.counters) for _, level in levels]

    lengths = _table(launches, rows)
    words = np.vectorize(lambda count: own.number(_kilobytes(count)))(lengths.values)
    each = np.vectorize(lambda count: own.number(f"{count / (2 * 4 * N * N):g}"))
    return Bars(
        "Bytes that are read at each level", ("bytes", "times 8 KB"),
        tuple(name for name, _ in levels),
        (Table(AXES, words), Table(AXES, each(lengths.values))), lengths,
    )  # fmt: skip


def _looks_of_wrong(look: int) -> Any:
    return lambda _, one: np.where(one.wrong, look, -1).ravel()


def _matrices(launches: dict[tuple[int, ...], Recorded], own: Interned) -> list[Cells]:
    """Return A, B and C: the block of the cell in focus, and what it reads."""
    cells = np.arange(N * N)
    row, column = cells // N, cells % N
    at = Index({"tile": N * N, "cell": 1})
    shapes = {
        "A": (lambda tile: np.arange(tile * N), lambda tile: row // tile * tile * N),
        "B": (lambda tile: (np.arange(N)[:, None] * N + np.arange(tile)).ravel(),
              lambda tile: column // tile * tile),
        "C": (lambda tile: (np.arange(tile)[:, None] * N + np.arange(tile)).ravel(),
              lambda tile: row // tile * tile * N + column // tile * tile),
    }  # fmt: skip
    lines = {"A": (np.arange(N), row * N), "B": (np.arange(N) * N, column)}
    every = np.full(N * N, own.look("untouched"))
    notes = {
        "A": "copied by the block; dark: one thread's row",
        "B": "copied by the block; dark: one thread's column",
        "C": "the block; click for another, drag for a larger tile",
    }
    marks = []
    for name, (offsets, first) in shapes.items():
        patterns = [offsets(tile) for tile in TILES]
        start = np.cumsum([0, *map(len, patterns)])
        block = Pattern(
            at, np.repeat(np.arange(len(TILES)), N * N),
            np.concatenate([first(tile) for tile in TILES]), start,
            np.concatenate(patterns), np.array([own.look("belongs")]),
        )  # fmt: skip
        looks: list[Any] = [every, block]
        if name in lines:
            pattern, begin = lines[name]
            looks.append(Pattern(
                Index({"cell": 1}), np.zeros(N * N, int), begin, np.array([0, N]),
                pattern, np.array([own.look("runs")]),
            ))  # fmt: skip
        else:
            bad = own.look("wrong")
            looks.append(_table(launches, _looks_of_wrong(bad)))
        marks.append(Cells(
            name, name, notes[name], N * N, N, (9.0, 9.0), looks=tuple(looks),
            ring=Index({"cell": 1}) if name == "C" else None,
            stretch=("tile", TILES) if name == "C" else None,
            go=Index({"cell": 1}) if name == "C" else None, tip=(name, (N, N)),
        ))  # fmt: skip
    return marks


def _code(source: str, note: str) -> Code:
    texts = tuple(source.splitlines())
    none = np.full(len(texts), -1)
    barriers = np.array(["__syncthreads" in text for text in texts])
    wrong = np.stack([none, np.where(barriers, 0, -1)])
    empty = np.zeros(0, int)
    return Code(
        "One kernel, four choices", note,
        tuple(range(1, len(texts) + 1)), texts, "//",
        wrong=Table(("barrier",), wrong), go=Visits("tile", empty, empty),
    )  # fmt: skip


def figure(launches: dict[tuple[int, ...], Recorded]) -> tuple[Figure, Scene]:
    """Return the figure of the recorded launches, and its scene."""
    own = Interned()
    a, b, c = _matrices(launches, own)
    words = own.texts([f"tiles of {tile}" for tile in TILES])
    axes = (
        Axis("tile", "Tile", len(TILES), words=Table(("tile",), words)),
        Axis("lanes", "Neighbouring threads", 2, 0, "choice",
             words=("neighbours along a row", "down a column")),
        Axis("padding", "Shared rows", 2, 0, "choice",
             words=("no padding", "a column of padding")),
        Axis("barrier", "Barriers", 2, 0, "choice", words=("barriers", "no barriers")),
        Axis("cell", "thread", N * N, control=""),
    )  # fmt: skip

    def text(value: Any) -> Table:
        return _table(launches, lambda *both: own.number(value(*both)))

    answer, detail = text(_answer), text(_detail)
    bars = _bars(launches, own)
    red = "red: lines that are left out without barriers"
    code = OneOf(Table(("lanes",), np.arange(2)), (
        _code(SOURCE, red),
        _code(SOURCE.replace(ALONG_ROWS, DOWN_COLUMNS), f"line 3 has changed; {red}"),
    ))  # fmt: skip
    looks = [
        ("belongs", 0, "what the block copies"),
        ("runs", 0, "what one thread reads"),
        ("wrong", 0, "wrong in this run"),
    ]
    scene = Scene(
        axes, own.all, own.looks,
        (Panel((code,), 700), Panel((b,), 330),
         Panel((bars,), 344), Panel((a,), 340), Panel((c,), 330)),
        (answer,), (detail,), key=swatches(looks),
    )  # fmt: skip
    state = {"tile": 0, "lanes": 0, "padding": 0, "barrier": 0, "cell": 16 * N + 16}
    return Figure("How often is one number fetched?", scene, state), scene


def _guess(launches: dict[tuple[int, ...], Recorded]) -> str:
    """Return the question that comes first; a guess leads to its answer below."""
    truth = _asked(launches[4, 0, 0, 0])
    buttons = "".join(f"<button>{times}</button> " for times in (1, 2, 4, 8, 16))
    return (
        '<p class="chapters" id="guess"><b>Guess first.</b> Threads multiply two '
        "matrices of 32 × 32 numbers. If each works by itself, each number of A is "
        f"asked for {_asked(launches[0, 0, 0, 0])} times. If blocks of 16 × 16 threads "
        "share what they fetch, how many times is it asked for? "
        f"{buttons}<output></output></p><script>document.getElementById('guess')"
        ".onclick = ({ target, currentTarget }) => { if (target.tagName === 'BUTTON') "
        "{ location.hash = 'tile=4'; currentTarget.querySelector('output').textContent "
        f"= `You guessed ${{target.textContent}}; it is {truth}.`; }} }};</script>"
    )


def page() -> str:
    """Return the page: the figure, and six chapters that set its state."""
    launches = record_all()
    picture, _ = figure(launches)
    chapters = "".join(
        f'<li><a href="#{state}">{title}</a>. {words}</li>'
        for title, state, words in CHAPTERS
    )
    style = (
        "<style>.chapters{max-width:70ch;margin:0 auto;padding:8px 20px 24px;"
        "font:15px/1.5 Inter,'Segoe UI',Roboto,Arial,sans-serif;color:var(--ink)}"
        ".chapters a{color:var(--c0);font-weight:600}.chapters li{margin:8px 0}</style>"
    )
    content = (
        f"{_guess(launches)}{picture.fragment()}{style}"
        f'<ol class="chapters">{chapters}</ol>'
    )
    return page_of(content, "Drag the tile: how often is one number fetched?")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
