"""The fixture `submission` of graded tests: values, kernels, texts, its own tests.

Whatever a submission does ends in an `Ended` with an outcome and words; any other
exception is a fault of ours.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..author.values import room_for
from ..course.twins import EDITS, overlay, read_twins
from ..errors import AssignmentError
from ..rubric.python_source import literal_assignments, used_names
from ..rubric.secret import generator
from .bench import Bench, OurFault
from .kernel_rows import Kernel, SavePicture
from .rows import Ended, Record
from .values import difference, format_value

# So often a student's own tests run on the solution, at secret places among the twins:
# tests that fail here and there without a look at the program fail on it, too.
_RIGHT_RUNS = 3

_LOOKS = re.compile(r"\b(open|inspect|linecache|dis|__code__|__file__|sys|os)\b")


class Submission:
    """One submission, in one graded test: the fixture `submission`.

    Attributes:
        called: Has a value or a text of the submission come back into the test?
        kernels: Those that the test asked for.

    Example:
        >>> @pytest.mark.task("1.1-clip")  # doctest: +SKIP
        ... def test_clip(submission, rng):
        ...     a = rng.normal(size=5)
        ...     submission.check("drivers.clip", a, -1.0, 1.0, expected=a.clip(-1, 1))
    """

    def __init__(
        self, bench: Bench, record: Record, secret: bytes, save: SavePicture
    ) -> None:
        self._bench, self._record, self._secret = bench, record, secret
        self._save = save
        self.called = False
        self.kernels: list[Kernel] = []

    def _call(self, driver: str, arguments: Sequence[Any], like: Any) -> Any:
        module, name = _split(driver)
        drivers = self._bench.drivers(module, name)
        return self._bench.submitted.call(drivers, name, arguments, room_for(like))

    def call(self, driver: str, *arguments: Any, like: Any = None) -> Any:
        """Return the result of a driver, for the test to judge.

        Args:
            driver: `module.function` of graded/.
            arguments: Arrays, numbers, texts, None, lists of them.
            like: A value of the shape and kind that is needed. Without one an answer
                may hold up to 16 MB.

        Raises:
            Ended: It gives nothing, or nothing like that.
        """
        value = self._call(driver, arguments, like)
        self.called = True
        if like is not None:
            self._require_like(value, like)
        return value

    def _require_like(self, value: Any, like: Any) -> None:
        need = np.asarray(like)
        fits = isinstance(value, np.ndarray | bool | int | float | np.generic)
        got = np.asarray(value) if fits else None
        if got is None or got.shape != need.shape or got.dtype.kind != need.dtype.kind:
            raise Ended(
                "failed",
                "The result has not the shape and type that is needed",
                f"got {format_value(value)}; need {need.dtype} of shape {need.shape}",
            )

    def same(
        self,
        driver: str,
        *arguments: Any,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> None:
        """Check that the submission returns the same as the solution.

        Raises:
            Ended: It does not.
        """
        module, name = _split(driver)
        expected = self._bench.solution_call(module, name, arguments)
        self.check(driver, *arguments, expected=expected, rtol=rtol, atol=atol)

    def check(
        self,
        driver: str,
        *arguments: Any,
        expected: Any,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> None:
        """Check that the submission returns what the judge expects.

        Raises:
            Ended: It does not.
        """
        got = self._call(driver, arguments, expected)
        self._record.compared += 1
        wrong = difference(got, expected, rtol, atol)
        if wrong is not None:
            given = ", ".join(format_value(argument, 80) for argument in arguments)
            raise Ended(
                "failed",
                f"Your function gives wrong values: {wrong.plain}",
                f"For ({given}): {wrong.details}.",
            )

    def kernel(
        self,
        module: str,
        attribute: str,
        *,
        types: Sequence[str],
        fn: str | None = None,
    ) -> Kernel:
        """Return a kernel of the submission, compiled before it can know any input.

        Args:
            module: A module's dotted name, or the path of a `.cu` file.
            attribute: A kernel, a function, a RawKernel; with `fn` a factory of them.
            types: Of its arguments, in Numba's words: `float32[::1]`, `int64`.
            fn: A function of the package, for the factory: `operators.mul`.

        Raises:
            Ended: There is none, or it does not compile.
        """
        package = self._bench.assignment.package
        dotted = f"{package}.{fn}" if fn and package else fn
        request = (module, attribute, tuple(types), dotted)
        form = self._bench.submitted.form(*request)
        purpose = f"{self._record.item.id}.poison.{len(self.kernels)}"
        poison = generator(self._secret, self._bench.assignment.name, purpose)
        kernel = Kernel(self._bench, self._record, request, form, poison, self._save)
        self.kernels.append(kernel)
        return kernel

    def text(self, file: str) -> str:
        """Return the text of a file that was handed in.

        Raises:
            Ended: It was not, or cannot be read.
            AssignmentError: No such file is handed in for this assignment.
        """
        if file not in self._bench.assignment.files:
            known = ", ".join(self._bench.assignment.files)
            raise AssignmentError(
                f"[judge] got the file {file!r}; need one of {known}."
            )
        self.called = True
        handed_in = self._bench.handed_in
        if file in handed_in.broken:
            raise Ended("error", handed_in.broken[file], unread=True)
        return handed_in.files[file].decode()

    def given(self, file: str) -> str:
        """Return the text of a file as students received it."""
        return self._bench.given(file)

    def answers(self, file: str) -> dict[str, Any]:
        """Return names that a file assigns to literals; it is parsed, never run."""
        return literal_assignments(self.text(file))

    def student_tests(self, file: str, *, on: str) -> None:
        """Judge students' tests: they must pass on the solution and fail on twins.

        All points if each test passes on the solution and each twin makes one fail;
        none if a test fails on the solution; else the share of twins that were found.

        Args:
            file: The handed in file of tests.
            on: A folder in graded/ with edits.txt. Its twins and the solution run in
                secret order in one place: which is which, no test can see.
        """
        text = self.text(file)
        if _LOOKS.search(text):
            self.note(f"{file} looks into files or code: do its tests test?")
        tests = {file: text.encode()}
        twins = self._twins(on)
        failures = []
        for n in self._secret_order(_RIGHT_RUNS + len(twins)):
            program = twins[n - _RIGHT_RUNS] if n >= _RIGHT_RUNS else {}
            results = self._tests(tests | program, file)
            if not results:
                raise Ended(
                    "failed", f"{file} has no test yet: need functions test_..."
                )
            passes = all(results.values())
            if program:
                failures.append(not passes)
            elif not passes:
                raise self._wrong_tests(tests, file, results)
        self._record.notes.append(f"Found in secret order: {failures}.")
        remark = f"Your tests found {sum(failures)} of {len(failures)} wrong programs."
        self.partial(sum(failures) / len(failures), remark)

    def _secret_order(self, count: int) -> list[int]:
        """Return a random order of the runs, different for each submission, so that
        a test cannot know which program it runs on.
        """
        name = f"{self._record.item.id}.order.{self._bench.handed_in.sha256}"
        order = generator(self._secret, self._bench.assignment.name, name)
        return [int(n) for n in order.permutation(count)]

    def _wrong_tests(
        self, tests: Mapping[str, bytes], file: str, results: Mapping[str, bool]
    ) -> Ended:
        """Return the end for tests that fail on the solution, with the names of all
        that fail.
        """
        all_results = self._tests(tests, file, to_failure=False)
        failed = [name for name, passed in all_results.items() if not passed]
        failed = failed or [name for name, passed in results.items() if not passed]
        return Ended(
            "failed",
            f"{len(failed)} of your tests fail where the functions are right",
            f"These fail: {', '.join(sorted(failed)[:10])}.",
        )

    def _twins(self, folder: str) -> list[dict[str, bytes]]:
        """Return the file of each twin."""
        path = self._bench.assignment.folder / "graded" / folder / EDITS
        solution = self._bench.solution_with({})
        return [
            {twin.file: overlay(twin, solution[twin.file].decode()).encode()}
            for twin in read_twins(path)
        ]

    def _tests(
        self, files: Mapping[str, bytes], file: str, to_failure: bool = True
    ) -> dict[str, bool]:
        """Return the results of the tests in `file` on the solution with some files
        replaced; by default up to the first failure, which reveals nothing to a test.
        """
        tree = self._bench.solution_with(dict(files))
        # Whoever reads the program finds no comment that tells right from wrong.
        tree |= {
            name: ast.unparse(ast.parse(data)).encode()
            for name, data in tree.items()
            if name.endswith(".py") and name != file
        }
        with self._bench.second_side(tree, self._bench.clock) as side:
            return side.tests(file, to_failure=to_failure)

    def note(self, sentence: str) -> None:
        """Add a note for staff; students never see it, and it changes no grade."""
        self._record.notes.append(sentence)

    def note_uses(self, file: str, *names: str) -> None:
        """Note for staff which of these names a file uses; students never see it.

        Values alone do not tell how they were computed: `np.matmul` is right, too.

        Args:
            file: One that was handed in.
            names: As `used_names` gives them: "matmul", "@".
        """
        used = sorted(used_names(self.text(file)).intersection(names))
        if used:
            self.note(f"{file} uses {', '.join(used)}: is it the student's own work?")

    def partial(self, share: float, sentence: str = "") -> None:
        """Give part of the row's points, with a remark for the student.

        Args:
            share: From 0 to 1.
            sentence: For students, of hidden rows, too: no inputs, no values.

        Raises:
            OurFault: Another share.
        """
        if not 0 <= share <= 1:
            raise OurFault(f"[partial] got {share}; need a share from 0 to 1.")
        self._record.share = min(self._record.share, float(share))
        self._record.remark = sentence or self._record.remark


def _split(driver: str) -> tuple[str, str]:
    module, _, name = driver.rpartition(".")
    if not module.isidentifier() or not name.isidentifier():
        raise AssignmentError(
            f"[judge] got driver {driver!r}; need module.function in graded/."
        )
    return module, name
