"""Pages are true: their programs run and print what is shown; links, paths, names and
commands that they give exist."""

from __future__ import annotations

import importlib
import linecache
import re
import shlex
import sys
import tomllib
import warnings

import pytest

import minitorch
from minitorch import __main__ as command_line
from minitorch import cuda, viz
from minitorch_grading import command as course_command

from .source_tree import ROOT

PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
}
#: Their programs have tests of their own: each is wrong, or needs a student's package.
ELSEWHERE = {"docs/errors.md", "docs/module3_without_a_gpu.md"}
#: A program, and what it prints, which may stand behind a paragraph.
_PROGRAM = re.compile(
    r"^```python\n(.*?)^```\n(?:\n(?:\w(?:[^\n]+\n)+\n)?```text\n(.*?)```)?",
    re.S | re.M,
)
PROGRAMS = {
    name: found
    for name, text in PAGES.items()
    if name not in ELSEWHERE and (found := _PROGRAM.findall(text))
}


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Run in an empty folder; undo what pages set for the process."""
    monkeypatch.chdir(tmp_path)
    dtype, modules = minitorch.get_default_dtype(), set(sys.modules)
    yield
    minitorch.set_default_dtype(dtype)
    for name in set(sys.modules) - modules:
        if name.split(".")[0] == "numba":
            del sys.modules[name]


def run(program, names):
    """Run a program as the file train.py; give the error that ends it, if any."""
    lines = program.splitlines(keepends=True)
    linecache.cache["train.py"] = (len(program), None, lines, "train.py")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cuda.PerformanceWarning)
        try:
            exec(compile(program, "train.py", "exec"), names)
        except cuda.KernelError as error:
            return f"minitorch.cuda.KernelError: {error}"
    return ""


def as_compared(text):
    """Text without the numbers of our own lines, and with single spaces."""
    return re.sub(r"(\.(?:py|cpp|cu|cuh)):\d+ ", r"\1:N ", " ".join(text.split()) + " ")


@pytest.mark.cuda
@pytest.mark.parametrize("page", PROGRAMS)
def test_programs_print_what_is_shown(page, fresh, capsys):
    if not cuda.is_emulated():
        pytest.skip("a GPU names no line and counts nothing")
    names = {"__name__": "__main__"}
    for program, shown in PROGRAMS[page]:
        error = run(program, names)
        printed = capsys.readouterr().out + error
        assert not error or shown, error
        assert as_compared(shown) in as_compared(printed)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]+`", "", PAGES[page], flags=re.S)
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, heading = link.partition("#")
        folder = ROOT if path.startswith("/") else (ROOT / page).parent
        target = (folder / path.lstrip("/")).resolve() if path else ROOT / page
        assert target.exists(), link
        if heading:
            assert heading in headings(target), link


def headings(page):
    """Names of a page's headings, as GitHub and MyST make them."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    plain = (re.sub(r"[^\w\- ]", "", each.lower()) for each in found)
    return {each.strip().replace(" ", "-") for each in plain}


_FOLDERS = r"(?:cpp|bindings|minitorch|tests|docs|notebooks|benchmarks|\.ci|\.github)"
#: In backticks, or in a command: a path below one of our folders.
_PATH = re.compile(rf"(?:`|(?<=[ \n]))({_FOLDERS}/[\w./*-]*)(?=[`\s:])")


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page):
    lost = [path for path in _PATH.findall(PAGES[page]) if not list(ROOT.glob(path))]
    assert lost == []


@pytest.mark.parametrize("page", PAGES)
def test_names_exist(page):
    """Names of this library in backticks, but for one that is said to be absent."""
    text = re.sub(r"```.*?```", "", PAGES[page], flags=re.S)
    codes = " ".join(re.findall(r"`([^`\n]+)`", text))
    names = re.findall(r"(?<![\w.])((?:minitorch|cuda|viz)(?:\.\w+)+)(?![\w/])", codes)
    for name in set(names) - {"cuda.h", "viz.md", "cuda.open_ipc_array"}:
        first, *rest = name.split(".")
        found = {"cuda": cuda, "viz": viz}.get(first, minitorch)
        for at, part in enumerate(rest, 1):
            if not hasattr(found, part):  # a module that is imported on demand
                importlib.import_module(".".join(["minitorch", *rest[:at]]))
            found = getattr(found, part)


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist(page):
    """Targets of make, and the words of `minitorch` as its parsers take them."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:^|`|CXX=\S+ )make ([\w-]+)", PAGES[page], re.M):
        assert f"\n{target}:" in makefile
    for command in re.findall(r"^minitorch (.*)$", PAGES[page], re.M):
        words = shlex.split(command, comments=True)
        course = words[0] == "course"
        parser = course_command._parser() if course else command_line._parser()
        _, unknown = parser.parse_known_args(words[course:])
        assert not unknown or words[0] in command_line.CUDA_CPP_COMMANDS


def test_readme_asks_for_what_the_setup_needs():
    setup, readme = (ROOT / ".ci/setup").read_text(), PAGES["README.md"]
    (megabytes,) = re.findall(r'"\$free" -ge (\d+)', setup)
    assert f"{int(megabytes) / 1000} GB of disk" in readme
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in readme
    assert readme.index("git clone") < readme.index("\ncd ") < readme.index("\nmake ")
