"""`minitorch course VERB`: parse arguments, run the verb, return an exit status.

Exit status 0: done, reports are written; 1: it found something to mend; 2: wrong usage;
70: our fault.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import UsageError

USAGE, OURS = 2, 70
PLATFORMS = ("gradescope", "plain")

LEVELS = ("confined", "uid", "process")

_Options = argparse.Namespace


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minitorch course",
        description="Assignments: write, release, grade, check.",
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, run: Callable[[_Options], int], text: str) -> Any:
        added = verbs.add_parser(name, help=text)
        added.set_defaults(run=run)
        return added.add_argument

    new = verb("new", _run_new, "make a teacher's folder: assignments, a secret")
    new("folder", type=Path, metavar="FOLDER")
    new("--assignments", required=True, metavar="NAMES", help="as in: m3,clinic")

    validate = verb(
        "validate",
        _run_validate,
        "judge an assignment's solution, starter and wrong twins",
    )
    validate("names", nargs="*", metavar="NAME", help="else all of them")
    validate("--files-only", action="store_true", help="read the files, judge nothing")
    validate("--jobs", type=_positive, metavar="N", help="judged at once")

    release = verb("release", _run_release, "make the archives of an assignment")
    release("name", metavar="NAME")
    release(
        "--for", dest="platform", choices=PLATFORMS, default="plain", help="where to"
    )
    release("--to", type=Path, default=Path("dist"), metavar="FOLDER")
    release(
        "--wheel",
        dest="wheels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="of this library, for a platform to install instead of the released one",
    )

    grade = verb("grade", _run_grade, "grade all that a class has handed in")
    grade("name", metavar="NAME")
    grade(
        "handed_in",
        type=Path,
        metavar="HANDED_IN",
        help="a folder, zip or notebook for each",
    )
    grade("--to", type=Path, required=True, metavar="RESULTS")
    grade("--workers", type=_positive, metavar="N", help="graded at once")
    grade("--scheduler", type=Path, metavar="FILE", help="of Dask's")
    grade("--level", choices=LEVELS, help="of isolation; else the best")
    grade("--again", action="store_true", help="also what ended with a fault of ours")

    for add in (release, grade):
        add("--secret-file", type=Path, metavar="FILE")
    for add in (new, validate, release, grade):
        add(
            "--from",
            dest="among",
            type=Path,
            metavar="FOLDER",
            help="folder of assignments; else assignments/ here, or the installed ones",
        )

    compare = verb("compare", _run_compare, "tell what a regrade changed")
    compare("before", type=Path, metavar="RESULTS")
    compare("after", type=Path, metavar="RESULTS")

    report = verb(
        "report",
        _run_report,
        "make a page: of a report, of a student's own public tests",
    )
    report(
        "student",
        nargs="?",
        default=".",
        metavar="STUDENT",
        help="a report.json, a name in RESULTS; else one's own folder: this one",
    )
    report("--results", type=Path, metavar="RESULTS", help="else results/ here")
    report("--to", type=Path, metavar="FILE", help="else report.html")
    report("--text", action="store_true", help="print it instead")

    check = verb(
        "check", _run_check, "for students: run public tests here, told in sentences"
    )
    check("tasks", nargs="*", metavar="TASK", help="as in 3.3; else all")
    return parser


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError(f"got {word}; need at least 1")
    return number


def _run_new(options: _Options) -> int:
    from .course.course_folder import COURSE, new_course
    from .course.sources import assignment_folders

    words = (word.strip() for word in options.assignments.split(","))
    names = [word for word in dict.fromkeys(words) if word]
    came = new_course(options.folder, names, assignment_folders(options.among))
    several = f"{len(names)} assignment{'s' * (len(names) != 1)}"
    with_them = f" (and {', '.join(came)}, where they start)" if came else ""
    print(f"{COURSE}, {several}{with_them}, secret (inputs follow from it)")
    return 0


def _folders(options: _Options) -> tuple[list[Path], tuple[Path, ...]]:
    """Return the chosen assignments and the folders to search for earlier ones."""
    from .course.course_folder import course_above
    from .course.sources import assignment_folders, find
    from .rubric.assignment import TOML

    course = course_above(Path())
    among = assignment_folders(options.among)
    if course is not None and options.among is None:
        among = (course.folder / "assignments", *among)
    if options.names:
        return [find(name, among) for name in options.names], among
    if course is not None and options.among is None:
        return [find(name, among) for name in course.assignments], among
    for root in among:
        folders = sorted(path.parent for path in root.glob(f"*/{TOML}"))
        if folders:
            return folders, among
    return [find("any", among)], among


def _run_validate(options: _Options) -> int:
    from .course.source_checks import problems_of
    from .course.validate import Verdict, validate

    folders, among = _folders(options)
    wrong = False
    for folder in folders:
        if options.files_only:
            verdict = Verdict(folder.resolve().name, problems_of(folder, among))
        else:
            from .judge.grade import grade_one

            show = _progress(folder.name)
            verdict = validate(
                folder, among, grade=grade_one, jobs=options.jobs, progress=show
            )
        print(verdict)
        for problem in verdict.problems:
            print(f"  {problem}")
        wrong = wrong or bool(verdict.problems)
    return int(wrong)


def _progress(name: str) -> Callable[[int, int], None] | None:
    """Return a function that shows progress on one line of a terminal, or None."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, of: int) -> None:
        end = "\r\x1b[K" if done == of else ""
        print(f"\r{name}: {done} of {of} judged{end}", end="", file=sys.stderr)

    return show


def _run_release(options: _Options) -> int:
    from .course.release import release

    options.names = [options.name]
    (folder,), among = _folders(options)
    secret, wheels = _secret_file(options), tuple(options.wheels)
    archives = release(folder, options.platform, options.to, among, secret, wheels)
    print("\n".join(map(str, archives)))
    return 0


def _secret_file(options: _Options) -> Path | None:
    """Return the file given, or the course's, or None outside a course."""
    from .course.course_folder import course_above

    if options.secret_file is not None:
        return Path(options.secret_file)
    course = course_above(Path())
    return course.secret_file if course is not None else None


def _run_grade(options: _Options) -> int:
    from .course.course_folder import own_secret
    from .together.grade_class import grade_class

    options.names = [options.name]
    (folder,), _ = _folders(options)
    secret = _secret_file(options)
    if secret is None:
        raise UsageError(
            "[grade] the course's secret was not found. Run this in the folder of "
            "course.toml, or pass --secret-file FILE."
        )
    done = grade_class(
        folder,
        options.handed_in,
        options.to,
        own_secret(secret),
        workers=options.workers,
        scheduler=options.scheduler,
        level=options.level,
        again=options.again,
        progress=_progress(folder.name) or (lambda done, all_: None),
    )
    print(done.says)
    return 0


def _run_compare(options: _Options) -> int:
    from .together.compare import compare

    print(compare(options.before, options.after).says)
    return 0


def _run_report(options: _Options) -> int:
    from .report.pages.student import student_page
    from .report.words import report_says

    report, folder, lines = _report_of(options.student, options.results)
    if options.text:
        print(report_says(report), end="")
        return 0
    page = student_page(report, folder, lines)
    to = options.to or (folder or Path()) / "report.html"
    to.write_text(page, "utf-8")
    print(to)
    return 0


def _report_of(
    student: str, results: Path | None
) -> tuple[Mapping[str, Any], Path | None, dict[str, list[str]] | None]:
    """Return a report, its folder with pictures, and the student's lines if known.

    Tests are run in this folder alone, and not where results are named: what a class
    handed in may have an assignment.toml or a report.json, too.
    """
    from .report.report import load_report
    from .rubric.assignment import TOML, read_assignment

    given = Path(student)
    if results is None:
        if given == Path() and Path(TOML).is_file():
            from .check import public_report
            from .rubric.handed_in import read_handed_in

            handed_in = read_handed_in(given, read_assignment(given), parse=False)
            return public_report(given), given, handed_in.lines
        for path in (given, given / "report.json"):
            if path.is_file():
                return load_report(path), path.parent, None
    if (given / TOML).is_file() and not (results or Path("results")).is_dir():
        raise FileNotFoundError(
            f"[report] {student} is a folder with {TOML}, whose tests would run its "
            "code. If they are your own, change to it and give no name."
        )
    from .together.results import find_result

    results = results or Path("results")
    result = find_result(results, student)
    if result is not None:
        return result.report, result.folder, None
    raise FileNotFoundError(
        f"[report] cannot find {student!r}; need a report.json, or the name or code "
        f"(at least 4 digits) of a submission in {results} (--results FOLDER)."
    )


def _run_check(options: _Options) -> int:
    from . import check

    return check.main(options.tasks)


@contextmanager
def _reading_nothing_here() -> Iterator[None]:
    """Remove the current folder from the import path of this process and its
    children, because a student's files in it may have the names of modules.
    """
    path, safe = sys.path[:], os.environ.get("PYTHONSAFEPATH")
    sys.path[:] = [entry for entry in path if entry not in ("", os.getcwd())]
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        sys.path[:] = path
        del os.environ["PYTHONSAFEPATH"]
        if safe is not None:
            os.environ["PYTHONSAFEPATH"] = safe


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb.

    Args:
        arguments: Words after `minitorch course`; None: those of the process.

    Returns:
        exit status.
    """
    parser = _parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        parser.print_help(sys.stderr)
        return USAGE
    options = parser.parse_args(words)
    try:
        with _reading_nothing_here():
            status: int = options.run(options)
            return status
    except (UsageError, OSError) as error:
        print(error, file=sys.stderr)
        return USAGE
    except Exception:
        traceback.print_exc()
        return OURS
