"""Run tests that students wrote: functions named test..., one after another.

Without pytest, which brings plugins, files and rewritten code: its few names that such
tests use have stand-ins.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

_MOST_TESTS, _MOST_NAME = 1000, 200


class _Skipped(BaseException):
    """Raised by a test that skips itself; such a test passes."""


class _Mark:
    """`pytest.mark`: all marks except `parametrize` leave the test unchanged."""

    def __getattr__(self, name: str) -> Any:
        def mark(*arguments: Any, **options: Any) -> Any:
            if len(arguments) == 1 and callable(arguments[0]) and not options:
                return arguments[0]
            return lambda test: test

        return mark

    @staticmethod
    def parametrize(names: Any, values: Any, **options: Any) -> Any:
        """Run the test once for each of `values`."""
        split = names.replace(",", " ").split() if isinstance(names, str) else names

        def mark(test: Any) -> Any:
            rows = getattr(test, "given_values", [{}])
            test.given_values = [
                {**row, **_named(split, value)} for row in rows for value in values
            ]
            return test

        return mark


def _named(names: Sequence[str], value: Any) -> dict[str, Any]:
    values = [value] if len(names) == 1 else list(value)
    return dict(zip(names, values, strict=True))


@contextlib.contextmanager
def _raises(expected: Any, match: str | None = None) -> Iterator[Any]:
    import re

    seen: dict[str, Any] = {"value": None}
    try:
        yield type("Raised", (), seen)
    except expected as error:
        if match is not None and not re.search(match, str(error)):
            raise AssertionError(f"{error} does not match {match!r}") from error
        return
    raise AssertionError(f"nothing raised {expected}")


class _Near:
    """`pytest.approx` for numbers and sequences of numbers."""

    def __init__(self, expected: Any, rel: float = 1e-6, abs: float = 1e-12) -> None:
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, other: object) -> bool:
        if isinstance(self.expected, list | tuple):
            others: Any = other
            pairs = zip(self.expected, others, strict=True)
            return all(_Near(mine, self.rel, self.abs) == its for mine, its in pairs)
        number: Any = other
        return math.isclose(
            number, self.expected, rel_tol=self.rel or 0, abs_tol=self.abs or 0
        )

    __hash__ = None  # type: ignore[assignment]


def _raising(kind: type[BaseException]) -> Callable[..., None]:
    def stop(reason: Any = "", *_: Any, **__: Any) -> None:
        raise kind(reason)

    return stop


def _pytest() -> ModuleType:
    module = ModuleType("pytest", "The few names of pytest that graded tests use.")
    module.__dict__.update(
        mark=_Mark(), raises=_raises, approx=_Near, skip=_raising(_Skipped),
        fail=_raising(AssertionError), param=lambda *values, **_: values,
    )  # fmt: skip
    return module


def _settle_hypothesis() -> None:
    """Configure Hypothesis: the same examples in each run, no database, no deadline."""
    if importlib.util.find_spec("hypothesis") is None:
        return
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "graded",
        derandomize=True,
        database=None,
        deadline=None,
        # Whether a test fails is all that is asked: no time for a shorter example.
        phases=(Phase.explicit, Phase.generate),
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("graded")


def _load(file: str, folder: str) -> ModuleType:
    sys.modules.setdefault("pytest", _pytest())
    _settle_hypothesis()
    path = os.path.join(folder, file)
    sys.path.insert(1, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("handed_in_tests", path)
    if spec is None or spec.loader is None or not os.path.exists(path):
        raise FileNotFoundError(
            f"[tests] the file {file} with the tests was not found."
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules["handed_in_tests"] = module
    spec.loader.exec_module(module)
    return module


def _cases(module: ModuleType) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, value in list(vars(module).items()):
        if inspect.isclass(value) and name.startswith("Test"):
            for method in sorted(dir(value)):
                if method.startswith("test"):
                    yield from _rows(f"{name}.{method}", getattr(value(), method))
        elif callable(value) and name.startswith("test"):
            yield from _rows(name, value)


def _rows(name: str, test: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    rows = getattr(test, "given_values", None)
    if rows is None:
        yield name, test
        return
    for number, row in enumerate(rows):
        yield f"{name}[{number}]", lambda row=row: test(**row)  # type: ignore[misc]


def run_tests(file: str, folder: str, to_failure: bool = False) -> dict[str, bool]:
    """Run the test functions of a file.

    Args:
        file: Path below `folder`.
        folder: The submission's.
        to_failure: None is run after the first that fails.

    Returns:
        For each test that ran, by the beginning of its name, whether it passed.

    Raises:
        Exception: What the file raises when it is loaded.
    """
    results: dict[str, bool] = {}
    for name, test in _cases(_load(file, folder)):
        if len(results) >= _MOST_TESTS:
            break
        name = name[:_MOST_NAME]
        results[name] = True
        try:
            test()
        except _Skipped:
            pass
        except MemoryError:
            raise
        except Exception:
            results[name] = False
            if to_failure:
                break
    return results
