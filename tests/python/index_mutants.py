"""Mutants of a kernel's indices, and plain Python as the judge of each.

The judge runs every thread of a launch in Python, on arrays that refuse an index
outside of its dimension: those findings are right that some thread would meet.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import itertools
import textwrap
import threading
from typing import NamedTuple

import numpy as np


class Mutant(NamedTuple):
    """A changed kernel: what was changed, and its text."""

    name: str
    source: str


class Miss(NamedTuple):
    """An index outside: which array, by its text, where, and which thread's."""

    array: str
    indices: tuple[int, ...]
    shape: tuple[int, ...]
    block: tuple[int, ...]
    thread: tuple[int, ...]


def _is_index(node):
    """A subscript of an array: not of `.shape` and not of a tuple of arrays."""
    if not isinstance(node, ast.Subscript):
        return False
    base = node.value
    shape = isinstance(base, ast.Attribute) and base.attr == "shape"
    pair = isinstance(base, ast.Name) and base.id == "pair"
    return not shape and not pair


def _shifted(part, by):
    operator = ast.Add() if by > 0 else ast.Sub()
    return ast.BinOp(part, operator, ast.Constant(abs(by)))


def _changes(node):
    """Every changed index of a subscript, with its name."""
    tuple_ = isinstance(node.slice, ast.Tuple)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    for at, part in enumerate(parts):
        if isinstance(part, ast.Slice):
            continue
        for by in (1, -1):
            moved = [*parts]
            moved[at] = _shifted(part, by)
            index = ast.Tuple(moved, ast.Load()) if tuple_ else moved[0]
            yield f"dimension {at} {by:+d}", index
    plain = [each for each in parts if not isinstance(each, ast.Slice)]
    if tuple_ and len(plain) == len(parts):
        for a, b in itertools.pairwise(range(len(parts))):
            swapped = [*parts]
            swapped[a], swapped[b] = swapped[b], swapped[a]
            yield f"dimensions {a} and {b} swapped", ast.Tuple(swapped, ast.Load())


def tree_of(case):
    """The kernel's syntax tree, without its decorators."""
    text = textwrap.dedent(inspect.getsource(case.function))
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []
    return function


def mutants_of(case):
    """Each index moved by one either way and swapped; each extent another one."""
    tree = tree_of(case)
    names = inspect.signature(case.function).parameters
    ndims = dict(zip(names, map(np.ndim, case.arguments()), strict=True))
    places = [at for at, node in enumerate(ast.walk(tree)) if _is_index(node)]
    for place in places:
        original = list(ast.walk(tree))[place]
        assert isinstance(original, ast.Subscript)
        for name, index in _changes(original):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[place]
            assert isinstance(node, ast.Subscript)
            node.slice = copy.deepcopy(index)
            yield _mutant(f"{ast.unparse(original)}: {name}", changed)
    for place, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
            continue
        bound = node.comparators[0]
        shape = isinstance(bound, ast.Subscript) and not _is_index(bound)
        if shape and isinstance(bound, ast.Subscript):
            array = ast.unparse(bound.value).partition(".")[0]
            assert isinstance(bound.slice, ast.Constant)
            changed = copy.deepcopy(tree)
            other = list(ast.walk(changed))[place]
            assert isinstance(other, ast.Compare)
            extent = other.comparators[0]
            assert isinstance(extent, ast.Subscript)
            extent.slice = ast.Constant((int(bound.slice.value) + 1) % ndims[array])
            yield _mutant(f"{ast.unparse(node)}: other extent", changed)


def _mutant(name, tree):
    return Mutant(name, ast.unparse(ast.fix_missing_locations(tree)) + "\n")


class _Outside(Exception):
    pass


class _Array:
    """An array as one thread sees it."""

    def __init__(self, values, text="", misses=None):
        self.values, self._text, self._misses = values, text, misses
        self.shape, self.size = values.shape, values.size

    def named(self, text, misses):
        return _Array(self.values, text, misses)

    def _look(self, index):
        parts = index if isinstance(index, tuple) else (index,)
        given = [
            (int(part), extent)
            for part, extent in zip(parts, self.shape, strict=False)
            if not isinstance(part, slice)
        ]
        if all(-extent <= part < extent for part, extent in given):
            return
        # Indices inside are told from the start, those outside as they are.
        told = tuple(
            part % extent if -extent <= part < extent else part
            for part, extent in given
        )
        self._misses(self._text, told, tuple(extent for _, extent in given))
        raise _Outside

    def __getitem__(self, index):
        self._look(index)
        found = self.values[index]
        return _Array(found) if isinstance(found, np.ndarray) else found

    def __setitem__(self, index, value):
        self._look(index)
        self.values[index] = value


class _Place(NamedTuple):
    x: int
    y: int
    z: int


class _Block:
    """What the threads of a block share: arrays, a barrier for those still there."""

    def __init__(self, threads):
        self.arrays = {}
        self._there, self._waiting, self._round = threads, 0, 0
        self._changed = threading.Condition()

    def _go_on(self):
        if self._waiting == self._there:
            self._waiting, self._round = 0, self._round + 1
            self._changed.notify_all()

    def wait(self):
        """Meet all threads that have not left."""
        with self._changed:
            mine = self._round
            self._waiting += 1
            self._go_on()
            self._changed.wait_for(lambda: self._round != mine)

    def leave(self):
        """A thread has ended, so that no barrier waits for it."""
        with self._changed:
            self._there -= 1
            self._go_on()


class _Cuda:
    """The names of `cuda` for one thread."""

    def __init__(self, shared, sizes, at):
        self._block, (self.gridDim, self.blockDim) = shared, sizes
        self.blockIdx, self.threadIdx = at
        self._made = 0
        self.shared = self.local = self.atomic = self

    def grid(self, ndim):
        numbers = tuple(
            block * size + thread
            for block, size, thread in zip(
                self.blockIdx, self.blockDim, self.threadIdx, strict=True
            )
        )
        return numbers[0] if ndim == 1 else numbers[:ndim]

    def gridsize(self, ndim):
        pairs = zip(self.gridDim, self.blockDim, strict=True)
        return tuple(a * b for a, b in pairs)[:ndim]

    def array(self, shape, dtype):
        # Arrays of a block's threads are one: good enough for local ones, too, since
        # only indices matter here.
        self._made += 1
        made = self._block.arrays.setdefault(self._made, np.zeros(shape, dtype))
        return _Array(made)

    def syncthreads(self):
        self._block.wait()

    def leave(self):
        """The thread has ended."""
        self._block.leave()

    def add(self, array, index, value):
        array[index] = array[index] + value


class _Named(ast.NodeTransformer):
    """Tells each subscript what its array is called."""

    def visit_Subscript(self, node):
        text = ast.unparse(node.value)
        self.generic_visit(node)
        call = ast.Call(
            ast.Name("named", ast.Load()), [ast.Constant(text), node.value], []
        )
        node.value = call
        return node

    def visit_Call(self, node):
        atomic = ast.unparse(node.func) == "cuda.atomic.add"
        text = ast.unparse(node.args[0]) if atomic else ""
        self.generic_visit(node)
        if atomic:
            named = ast.Name("named", ast.Load())
            node.args[0] = ast.Call(named, [ast.Constant(text), node.args[0]], [])
        return node


def _triple(value):
    parts = value if isinstance(value, tuple) else (value,)
    return _Place(*(*parts, 1, 1)[:3])


def misses_of(source, case):
    """Run a kernel in Python: every thread's first index outside of its dimension."""
    tree = ast.fix_missing_locations(_Named().visit(ast.parse(source)))
    code = compile(tree, "<mutant>", "exec")
    sizes = _triple(case.grid), _triple(case.block)
    arguments = [_wrapped(each) for each in case.arguments()]
    found = set()
    for block in _every(sizes[0]):
        threads = list(_every(sizes[1]))
        shared = _Block(len(threads))
        runs = [
            functools.partial(
                _run, code, arguments, _Cuda(shared, sizes, (block, thread)), found
            )
            for thread in threads
        ]
        if "syncthreads" not in source:
            for each in runs:
                each()
            continue
        workers = [threading.Thread(target=each) for each in runs]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return found


def _every(sizes):
    for place in itertools.product(*map(range, sizes[::-1])):
        yield _Place(*place[::-1])


def _run(code, arguments, mine, found):
    """Run one thread."""
    at = tuple(mine.blockIdx), tuple(mine.threadIdx)

    def missed(text, indices, shape):
        found.add(Miss(text, indices, shape, *at))

    def named(text, value):
        return value.named(text, missed) if isinstance(value, _Array) else value

    scope = {"cuda": mine, "np": np, "named": named}
    known = set(scope)
    exec(code, scope)
    (name,) = scope.keys() - known - {"__builtins__"}
    with contextlib.suppress(_Outside, ZeroDivisionError):
        scope[name](*arguments)
    mine.leave()


def _wrapped(value):
    if isinstance(value, tuple):
        return tuple(map(_wrapped, value))
    return _Array(value)
