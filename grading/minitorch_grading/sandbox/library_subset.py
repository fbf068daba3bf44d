"""Build the subset of the library and the grader that a confined process may read.

Copied once by a grader into a temporary folder of its own, for all its judges: by file
rules a submission then finds that part and nothing else of the library, of installed
packages, or of the machine.
"""

from __future__ import annotations

import atexit
import compileall
import contextlib
import fcntl
import functools
import importlib.util
import json
import os
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import minitorch_cuda

_LIBRARY, _GRADER = "minitorch_cuda", __package__.partition(".")[0]
_FOLDERS = {
    _LIBRARY: Path(minitorch_cuda.__file__).resolve().parent,
    _GRADER: Path(__file__).resolve().parents[1],
}

_GROUND = [(_GRADER, part) for part in ("__init__.py", "sandbox", "author", "trial")]
_KERNELS = [
    *_GROUND,
    *((_LIBRARY, part) for part in ("compat.py", "cuda")),
    (_GRADER, "kernels"),
]

#: What is seen of library and grader, by name. `_core` is linked where kernels are.
PARTS: dict[str, list[tuple[str, str]]] = {
    "nothing": _GROUND,
    "numba": [*_GROUND, (_LIBRARY, "compat.py")],
    "cuda": _KERNELS,
    "runner": [*_KERNELS, (_LIBRARY, "viz"), (_GRADER, "runner")],
}
_WITH_CORE = ("cuda", "runner")

# Installed packages beside the library, by what imports them; missing ones are left.
_PACKAGES = ("numpy", "numpy.libs")
_FOR_TESTS = ("hypothesis", "sortedcontainers", "attr", "attrs", "_hypothesis_globals")
_FOR_KERNELS = ("scipy_openblas32", "msgspec")
_FOR_PICTURES = ("elftools",)

# Of the standard library: what a submission has no use for, and what is not its own.
_LEFT_OUT = {
    "site-packages",
    "dist-packages",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "venv",
    "pydoc_data",
    "__pycache__",
}

_START = '''"""The part of the library that graded work sees."""
'''
_START_WITH_CORE = '''"""The part of the library that graded work sees."""
from . import _core as _core
from . import cuda as cuda
from ._core import bfloat16, float16, float32, float64, int32, int64, uint8

# Nothing is searched for here: the grader has found it.
_core.set_nvrtc_locator(lambda: ({file!r}, {headers!r}))
'''


@dataclass(frozen=True)
class Library:
    """What one kind of confined process sees.

    Attributes:
        folder: A temporary folder with the part of the library.
        path: For `sys.path`.
        reads: Files and folders that must be readable for it, links followed.
        nvrtc: The library file of NVRTC, "" where it is not seen or not there.
        headers: Folders with its headers.
    """

    folder: str
    path: list[str]
    reads: list[str]
    nvrtc: str = ""
    headers: Sequence[str] = ()


_shared: Path | None = None


@functools.cache
def own_folder() -> Path:
    """Create a temporary folder that is deleted when the grader ends."""
    folder = Path(tempfile.mkdtemp(prefix="minitorch-library-"))
    folder.chmod(0o755)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a child made by fork
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def share(folder: Path) -> None:
    """Use the subsets of another process of this grader, or create them for all.

    Making a part costs more than a short task; a class is judged by many processes.
    Who made the folder removes it.

    Args:
        folder: What `own_folder` gave there, or a folder as good.

    Raises:
        PermissionError: Somebody else can write there, or it is somebody else's.
        OSError: There is no such folder.
    """
    global _shared
    status = folder.lstat()
    mine = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not mine or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(
            f"[sandbox] other users can write to the library folder {folder}; only "
            "this user may."
        )
    _shared = folder


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock `folder` against other threads and processes."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _core_files() -> list[Path]:
    """Return the built files of the core and the emulator, without sources."""
    spec = importlib.util.find_spec(f"{_LIBRARY}._core")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).resolve().parent
    return [*folder.glob("_core*.so"), *folder.glob("libminitorch_emulator*")]


def _copy(package: str, part: str, folder: Path) -> None:
    """Copy a file or folder with its times, so that compiled bytecode stays valid."""
    source, target = _FOLDERS[package] / part, folder / package / part
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignored = shutil.ignore_patterns("*.so", "*.tmp", "*.pyc.*")
        shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
    elif source.exists():
        shutil.copy2(source, target)


def _link(target: Path, link: Path) -> str:
    link.symlink_to(target)
    return str(target)


def _find_package(name: str) -> Path | None:
    """Return the folder or file of an installed top-level package, or None."""
    if name.endswith(".libs"):
        above = _find_package(name.removesuffix(".libs"))
        path = above.parent / name if above else None
        return path if path and path.is_dir() else None
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin).resolve()
    return origin.parent if origin.name == "__init__.py" else origin


def _link_packages(names: Iterable[str], folder: Path) -> Iterator[str]:
    for name in names:
        package = _find_package(name)
        if package is not None and not (folder / package.name).exists():
            yield _link(package, folder / package.name)


def _link_standard_library(folder: Path) -> Iterator[str]:
    """Link to the parts of the standard library, without packages in its folder."""
    folder.mkdir()
    for key in ("stdlib", "platstdlib"):
        source = Path(sysconfig.get_path(key)).resolve()
        for entry in sorted(source.iterdir()) if source.is_dir() else ():
            link = folder / entry.name
            if entry.name not in _LEFT_OUT and not link.is_symlink():
                yield _link(entry.resolve(), link)


def _system_files() -> Iterator[str]:
    """Yield shared libraries of the system, and the other files that Python needs."""
    yield from ("/etc/ld.so.cache", "/dev/urandom", "/etc/localtime")
    yield from ("/usr/share/zoneinfo", "/sys/devices/system/cpu", "/proc/cpuinfo")
    triplet = sysconfig.get_config_var("MULTIARCH") or ""
    folders = ("/lib64", "/usr/lib64", f"/lib/{triplet}", f"/usr/lib/{triplet}")
    for folder in sorted({os.path.realpath(path) for path in folders if path}):
        directory = Path(folder)
        if not directory.is_dir() or folder in ("/lib", "/usr/lib"):
            continue
        if any(directory.glob("python*/*-packages")):  # Fedora keeps packages there
            yield from (str(path) for path in directory.glob("*.so*"))
        else:
            yield folder
    library = sysconfig.get_config_var("LIBDIR")
    if library:
        yield from (str(path) for path in Path(library).glob("libpython*.so*"))


def _link_or_copy(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it if it is in another file system."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        target.chmod(0o644)


@functools.cache
def root_folder(sees: str) -> Path:
    """Return a folder that holds all paths of `library(sees)` as below `/`.

    For processes that become another user where no rules for files can be had: it is
    their root folder. Shared libraries of the system are left out; those that matter
    are loaded before.

    Raises:
        OSError: The temporary folder cannot be written.
    """
    root = own_folder() / f"root-{sees}"
    root.mkdir()
    part = library(sees)
    system = set(_system_files())
    for read in part.reads:
        source = Path(read)
        if read in system or not source.exists():
            continue
        if source.is_file():
            _link_or_copy(source, root / read[1:])
            continue
        for above, folders, files in os.walk(source):
            folders[:] = [name for name in folders if name not in ("tests", "test")]
            links = [name for name in folders if Path(above, name).is_symlink()]
            for name in (*files, *links):
                target = root / above[1:] / name
                if not os.path.lexists(target):
                    _link_or_copy(Path(above, name), target)
    hide_folders_above((root / read[1:] for read in part.reads), root)
    _make_null(root)
    return root


def _make_null(root: Path) -> None:
    """Create /dev/null below `root`, unless this machine allows no devices."""
    device = root / os.devnull[1:]
    device.parent.mkdir(mode=0o755, exist_ok=True)
    with contextlib.suppress(OSError):
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.chmod(0o666)


def hide_folders_above(paths: Iterable[Path], root: Path) -> None:
    """Forbid listing the folders of `root` that only lead to `paths`."""
    wanted = {path for path in paths if path.exists()}
    for path in wanted:
        above = [parent for parent in path.parents if parent.is_relative_to(root)]
        if not wanted & {*above}:
            for parent in above:
                parent.chmod(0o711)


@functools.cache
def _nvrtc() -> tuple[str, tuple[str, ...]]:
    """Return NVRTC's file and header folders, found as the library finds them."""
    import minitorch_cuda._core as _core

    try:
        file, headers = _core.nvrtc_location()
    except (OSError, RuntimeError, ImportError):
        return "", ()
    return os.path.realpath(file), tuple(headers)


def _fill(sees: str, folder: Path) -> Iterator[str]:
    """Create the subset; yield the targets of its links."""
    package = folder / _LIBRARY
    package.mkdir(parents=True)
    for owner, part in PARTS[sees]:
        _copy(owner, part, folder)
    start = _START
    if sees in _WITH_CORE:
        nvrtc, headers = _nvrtc()
        start = _START_WITH_CORE.format(file=nvrtc, headers=list(headers))
    (package / "__init__.py").write_text(start, encoding="utf-8")
    # A confined process writes nothing: it would compile everything at each start.
    for name in _FOLDERS:
        compileall.compile_dir(folder / name, quiet=2)
    names = [*_PACKAGES]
    if sees == "runner":
        names += _FOR_PICTURES
    else:
        names += _FOR_TESTS
    if sees in _WITH_CORE:
        names += _FOR_KERNELS
        for file in _core_files():
            yield _link(file, package / file.name)
    yield from _link_packages(names, folder)
    yield from _link_standard_library(folder / "standard")


@functools.cache
def library(sees: str) -> Library:
    """Return the subset of the library that `sees` names, created once by this grader.

    Args:
        sees: "nothing" (NumPy alone), "numba" (a stand-in with `njit` and `prange`),
            "cuda" (`minitorch_cuda.cuda`, also as `numba.cuda`), or "runner".

    Returns:
        Where it is, and what must be readable for it.

    Raises:
        ValueError: `sees` is none of these.
        OSError: The temporary folder cannot be written.

    Example:
        >>> Path(library("nothing").folder, "minitorch_cuda", "cuda").exists()
        False
    """
    if sees not in PARTS:
        raise ValueError(
            f"[sandbox] got sees={sees!r}; need one of {', '.join(PARTS)}."
        )
    parent = _shared or own_folder()
    described = parent / f"{sees}.json"
    with _alone(parent):
        if not described.exists():
            shutil.rmtree(
                parent / sees, ignore_errors=True
            )  # half of it, by the killed
            subset = _make(sees, parent / sees)
            partial = described.with_suffix(".new")
            partial.write_text(json.dumps(asdict(subset)), encoding="utf-8")
            os.replace(partial, described)
        return Library(**json.loads(described.read_text(encoding="utf-8")))


def _make(sees: str, folder: Path) -> Library:
    reads = [str(folder), *_fill(sees, folder), *_system_files()]
    prefix = Path(sys.base_prefix)
    reads += [str(Path(sys.prefix, "pyvenv.cfg")), str(prefix / "pyvenv.cfg")]
    standard = folder / "standard"
    path = [str(folder), str(standard), str(standard / "lib-dynload")]
    file, headers = _nvrtc() if sees in _WITH_CORE else ("", ())
    if file:
        # The compiler brings its own library of built-in functions beside it.
        reads += [str(Path(file).parent), *headers]
    return Library(str(folder), path, sorted(set(reads)), file, headers)
