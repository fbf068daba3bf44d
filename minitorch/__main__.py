"""The command line: commands and their options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Any

CUDA_CPP_COMMANDS = ("run", "check")  # which take options of nvcc


def _version() -> str:
    from . import __version__

    return f"minitorch-cuda {__version__}"


def _add_command(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="KIND",
        help="ignore findings of this kind, such as memory_not_freed",
    )
    parser.add_argument(
        "program",
        nargs=argparse.REMAINDER,
        metavar="PROGRAM ...",
        help="a Python file, or any command after --, and its arguments; with run and "
        "check also CUDA C++: options of nvcc, .cu files, [--] arguments",
    )
    parser.usage = f"{parser.prog} [options] PROGRAM ..."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        f"examples:\n  {parser.prog} program.py\n  {parser.prog} -- ./vector_add 1000"
    )


def _add_ptx(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ptx = commands.add_parser(
        "ptx", help="show how the emulator transforms a PTX file, pass by pass"
    )
    ptx.add_argument("file", metavar="FILE", help="a PTX file")
    ptx.add_argument(
        "--after", default="steps", metavar="PASS", help="the pass to stop after"
    )
    ptx.add_argument("--kernel", help="a kernel of the file; default: the first")
    ptx.add_argument(
        "--checks", default="", help="checks to insert, such as race,counters,trace"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="minitorch")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser(
        "doctor",
        help="check this machine (GPU, driver, NVRTC, ...) and print what to do",
    )
    doctor.add_argument(
        "--grading",
        action="store_true",
        help="print how graded work is sandboxed on this machine",
    )
    lessons = commands.add_parser(
        "lessons", help="copy the lessons into a folder; existing files are kept"
    )
    lessons.add_argument("folder", nargs="?", default="minitorch-lessons")
    lessons.add_argument(
        "--open", action="store_true", help="also start JupyterLab in that folder"
    )
    commands.add_parser(
        "course", help="write, release and grade assignments; check your own"
    )
    run = commands.add_parser(
        "run", help="compile CUDA C++ with nvcc and run it, with or without a GPU"
    )
    _add_command(run)
    emulate = commands.add_parser(
        "emulate", help="run a program that uses the CUDA driver API on the emulator"
    )
    _add_command(emulate)
    check = commands.add_parser(
        "check",
        help="run a program (Python, .cu, any) under all checks; exit status 1 if "
        "there is a finding",
    )
    check.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object on stdout, for other programs",
    )
    _add_command(check)
    _add_ptx(commands)
    return parser


def _from_grading(name: str, command: str) -> Callable[..., Any]:
    """Load a command from the package minitorch-grading.

    Raises:
        SystemExit: it is not installed.
    """
    for entry in entry_points(group="minitorch.commands", name=name):
        return entry.load()  # type: ignore[no-any-return]
    from . import __version__

    print(
        f"[{command}] needs minitorch-grading, which is not installed. Try: "
        f"pip install minitorch-grading=={__version__}, or in a checkout: "
        "pip install -e 'grading[class]'",
        file=sys.stderr,
    )
    raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: words after the program's name; None: those of the process.

    Returns:
        exit status.
    """
    parser = _parser()
    words = sys.argv[1:] if arguments is None else arguments
    if not words:
        parser.print_help(sys.stderr)
        return 2
    if words[0] == "course":  # its verbs have their own parsers
        status: int = _from_grading("course", "course")(words[1:])
        return status
    options, unknown = parser.parse_known_args(words)
    if unknown:
        if options.command not in CUDA_CPP_COMMANDS:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        options.program = [*unknown, *options.program]  # such as -I before a .cu file
    if options.command == "doctor":
        from .tools.doctor import report

        if options.grading:
            report = _from_grading("levels", "doctor --grading")
        print(report())
        return 0
    if options.command == "lessons":
        from .tools.lesson_files import main as lessons

        return lessons(options.folder, options.open)
    if options.command == "ptx":
        from .tools.ptx_passes import show

        return show(options.file, options.after, options.kernel, options.checks)
    return _run_program(parser, options)


def _run_program(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    program = options.program
    if not program or program == ["--"]:
        parser.error(
            f"no program given. Example: minitorch {options.command} program.py"
        )
    from .tools import cuda_programs, emulate, nvcc

    try:
        if options.command == "run":
            return cuda_programs.run(program, options.ignore)
        if options.command == "check":
            return cuda_programs.check(program, options.json, options.ignore)
        return emulate.emulate(program[program[0] == "--" :], options.ignore)
    except nvcc.BuildError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(error, file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main())
