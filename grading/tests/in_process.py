"""Graded tests of GPU assignments run in this process: a quick look at a twin.

No confinement, no report: it says which rows lose points and what was found, within a
second. The judge is `minitorch_grading`; this must not become a second one.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from minitorch import cuda
from minitorch_grading.authoring import markup
from minitorch_grading.authoring.trees import Source, sources_tree

_number = count()  # every module that is loaded has a name of its own
STAGES = ("values", "clean", "cost")


@dataclass
class Item:
    """What one graded test found of a submission."""

    name: str
    needs: list[str]
    limits: dict[str, Any]
    wrong: bool = False
    kinds: set[str] = field(default_factory=set)
    costs: Counter[str] = field(default_factory=Counter)
    solution_costs: Counter[str] = field(default_factory=Counter)

    def beyond(self) -> bool:
        """Is a counter above its limit?"""
        for name, limit in self.limits.items():
            if isinstance(limit, str):
                limit = float(limit.removesuffix("x")) * self.solution_costs[name]
            if self.costs[name] > limit + 1e-9:
                return True
        return False

    def rows_lost(self, stages: list[str]) -> list[str]:
        """Its rows that lose points, each only judged after the one before."""
        bad = self.wrong, bool(self.kinds), self.beyond()
        if not any(bad):
            return []
        if stages == [""]:
            return [self.name]
        first = stages.index(STAGES[bad.index(True)])
        return [f"{self.name}.{stage}" for stage in stages[first:]]


class Submission:
    """What graded tests ask for, of files in this process."""

    def __init__(self, source: Source, folder: Path, changed: dict[str, str]) -> None:
        tree = sources_tree(source, "solution")
        solution = {name: data.decode() for name, data in tree.items()}
        self.source = source
        self.texts = {"solution": solution, "theirs": solution | changed}
        self.folder = folder
        self.modules: dict[tuple[str, str], ModuleType] = {}
        self.item = Item("", [], {})

    def text(self, file: str) -> str:
        """What was handed in."""
        return self.texts["theirs"][file]

    def given(self, file: str) -> str:
        """What students were given."""
        marked = (self.source.folder / "source" / file).read_text("utf-8")
        return markup.starter(marked, file)

    def answers(self, file: str) -> dict[str, object]:
        """Literal assignments of a file."""
        return {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in ast.parse(self.text(file)).body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def partial(self, part: float, sentence: str) -> None:
        """Part of the points."""
        assert sentence
        self.item.wrong |= part < 1

    def kernel(self, file: str, name: str, types: tuple[str, ...] = ()) -> Kernel:
        """A kernel of the submission, and the solution's."""
        assert all(types)
        return Kernel(self.item, [self._load(who, file, name) for who in self.texts])

    def _load(self, who: str, file: str, name: str) -> Any:
        if file.endswith(".cu"):
            return cuda.RawKernel(self.texts[who][file], name)
        if (who, file) not in self.modules:
            path = self.folder / who / f"{file}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.texts[who][f"{file}.py"], "utf-8")
            self.modules[who, file] = _module(path)
        return getattr(self.modules[who, file], name)


class Kernel:
    """A kernel and the solution's, launched on equal arguments."""

    def __init__(self, item: Item, both: list[Any]) -> None:
        self.item, self.both = item, both

    def check(self, expected: Any, rtol: float = 1e-4, atol: float = 1e-5) -> Any:
        """Compare with arrays by the number of their argument, or with argument 0."""
        wanted = expected if isinstance(expected, dict) else {0: expected}

        def launch(where: tuple[Any, ...], args: tuple[Any, ...]) -> None:
            if self.item.wrong:  # the judge launches no more, either
                return
            solution, theirs = (self._run(kernel, where, args) for kernel in self.both)
            assert not solution.kinds
            for number, values in wanted.items():
                close = SimpleNamespace(rtol=rtol, atol=atol, equal_nan=True)
                same = [
                    np.allclose(each.arrays[number], values, **vars(close))
                    for each in (solution, theirs)
                ]
                assert same[0], "the solution is wrong"
                self.item.wrong |= not same[1]
            self.item.kinds |= theirs.kinds
            self.item.costs += theirs.counters
            self.item.solution_costs += solution.counters

        return _Launcher(launch)

    def _run(self, kernel: Any, where: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
        given = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
        grid, block, *shared = where
        with cuda.inspect() as run:
            kernel[(grid, block, 0, *shared)](*given)
        launch = run.launches[0]
        return SimpleNamespace(
            arrays=[_on_host(each) for each in given],
            kinds={each.kind for each in launch.findings if each.severity == "error"},
            counters=Counter({n: int(launch.counters[n]) for n in self.item.limits}),
        )


def _on_host(value: Any) -> Any:
    return value.copy_to_host() if hasattr(value, "copy_to_host") else value


class _Launcher:
    """`kernel.check(...)[grid, block](...)`."""

    def __init__(self, launch: Any) -> None:
        self.launch = launch

    def __getitem__(self, where: tuple[Any, ...]) -> Any:
        return lambda *args: self.launch(where, args)


def judged(source: Source, folder: Path, changed: dict[str, str]) -> dict[str, Item]:
    """What each graded test finds of the solution with some files changed."""
    submission = Submission(source, folder, changed)
    items = {}
    for name, test, values, marks in graded_tests(source.folder / "graded"):
        needs = [mark.args[0] for mark in marks if mark.name == "requires"]
        limits = [mark.kwargs for mark in marks if mark.name == "max_metric"]
        submission.item = items[name] = Item(name, needs, *limits or [{}])
        if "rng" in test.__code__.co_varnames[: test.__code__.co_argcount]:
            values["rng"] = np.random.default_rng(sum(map(ord, name)))
        test(submission, **values)
    return items


def rows_lost(source: Source, items: dict[str, Item]) -> list[str]:
    """All rows that lose points, those behind a `requires` as well."""
    stages = {
        each["id"]: list(each["points"]) if isinstance(each["points"], dict) else [""]
        for each in source.facts["item"]
    }
    lost = {name: each.rows_lost(stages[name]) for name, each in items.items()}
    for name, each in items.items():
        if any(lost[need] for need in each.needs):
            lost[name] = [f"{name}.{s}" if s else name for s in stages[name]]
    return [row for rows in lost.values() for row in rows]


def graded_tests(folder: Path) -> list[tuple[str, Any, dict[str, Any], list[Any]]]:
    """Each graded test: its item, the function, its parameters, its marks."""
    tests = []
    here = ModuleType("minitorch_grading.judge")
    vars(here)["poisoned"] = poisoned  # in the place of the judge's
    sys.path.insert(0, str(folder))
    try:
        with patch.dict(sys.modules, {here.__name__: here}):
            for path in sorted(folder.glob("test_*.py")):
                module = _module(path)
                for name, test in vars(module).items():
                    if name.startswith("test_"):
                        tests += [_test(test, *case) for case in _cases(test)]
    finally:
        sys.path.remove(str(folder))
        for path in folder.glob("*.py"):
            sys.modules.pop(path.stem, None)
    return tests


def _test(test: Any, values: dict[str, Any], own: list[Any]) -> Any:
    marks = [*test.pytestmark, *own]
    name = next(mark.args[0] for mark in marks if mark.name == "task")
    return name, test, values, marks


def _cases(test: Any) -> list[tuple[dict[str, Any], list[Any]]]:
    for mark in test.pytestmark:
        if mark.name == "parametrize":
            names, cases = mark.args
            return [
                (dict(zip(names, each.values, strict=True)), list(each.marks))
                for each in cases
            ]
    return [({}, [])]


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{path.stem}_{next(_number)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def poisoned(shape: int | tuple[int, ...], dtype: str = "float64") -> np.ndarray:
    """An output before the launch."""
    return np.full(shape, -77, dtype)
