"""Convert an exception of a submission to data: type, message, and the student's line.

Written by the author, read by the judge, which believes none of it.
"""

from __future__ import annotations

import builtins
import os
import traceback
from typing import Any

_TEXT = 4096
_ROOTED = "/minitorch/handed_in/"  # what the compiler is told in place of the folder

#: The library's own errors that are told by name; of others, builtins alone.
OWN_ERRORS = ("CompileError", "PtxError", "KernelError", "LaunchError", "CudaError")


class AuthorError(Exception):
    """Exception of a submission, as far as it may be reported.

    Attributes:
        type: A class of `builtins` or of this library; "" for others.
        message: The exception's words: they may hold inputs.
        file: The submission's file, from its folder on; "" if none is at fault.
        line: Number of the line in it, 0 if none.
        blocked: It asked for something that is forbidden here.
    """

    def __init__(
        self, type: str, message: str, file: str = "", line: int = 0,
        blocked: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(f"{type}: {message}")
        self.type, self.message = type, message
        self.file, self.line, self.blocked = file, line, blocked


def _is_reportable(name: str) -> bool:
    value = getattr(builtins, name, None)
    known = isinstance(value, type) and issubclass(value, BaseException)
    return known or name in OWN_ERRORS


def _type_name(error: BaseException) -> str:
    """Return the name of the error's class, or of its nearest reportable base."""
    for kind in type(error).__mro__:
        if kind.__name__ in OWN_ERRORS:
            return kind.__name__
        if kind.__module__ == "builtins" and _is_reportable(kind.__name__):
            return kind.__name__ if kind is type(error) else ""
    return ""


def _relative(file: str, folder: str) -> str:
    """Return `file` relative to `folder`, or "" if it is outside."""
    return os.path.relpath(file, folder) if file.startswith(folder + os.sep) else ""


def _position(error: BaseException, folder: str) -> tuple[str, int]:
    """Return file and line of the innermost frame in the submission."""
    position = ("", 0)
    if isinstance(error, SyntaxError) and error.filename:
        position = (_relative(error.filename, folder), error.lineno or 0)
    file, line = getattr(error, "file", None), getattr(error, "line", None)
    if isinstance(file, str) and isinstance(line, int):  # a kernel in Python
        position = (_relative(file, folder), line)
    for diagnostic in getattr(error, "diagnostics", ()):
        if not position[0] and diagnostic.line:
            path = os.path.join(folder, diagnostic.file.removeprefix(_ROOTED))
            position = (_relative(path, folder), diagnostic.line)
    if position[0]:
        return position
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = _relative(frame.f_code.co_filename, folder)
        if file:
            position = (file, line)
    return position


def problem(error: BaseException, folder: str) -> dict[str, Any]:
    """Return `error` as plain data, with paths relative to `folder`."""
    try:
        message = str(error)[:_TEXT]
    except Exception:  # a class of a submission may do anything here
        message = "(the exception has no message)"
    file, line = _position(error, folder)
    return {
        "type": _type_name(error),
        "message": message.encode("utf-8", "replace").decode(),
        "file": file,
        "line": line,
        "blocked": isinstance(error, PermissionError),
    }


def read_problem(data: Any) -> AuthorError:
    """Return the error in an untrusted answer, without fields that are malformed."""
    fields = data if isinstance(data, dict) else {}
    kind, message = fields.get("type"), fields.get("message")
    file: Any = fields.get("file")
    line: Any = fields.get("line")
    known = (
        isinstance(file, str)
        and file.isprintable()
        and not file.startswith("/")
        and ".." not in file.split("/")
        and type(line) is int
        and 0 < line < 1_000_000
    )
    return AuthorError(
        kind if isinstance(kind, str) and _is_reportable(kind) else "",
        message[:_TEXT] if isinstance(message, str) else "",
        file[:256] if known else "",
        line if known else 0,
        fields.get("blocked") is True,
    )
