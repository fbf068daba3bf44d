"""Static analysis of a student's Python: syntax errors, literals, names.

Parsing what strangers wrote can exhaust memory or a C stack, so it is done in a small
process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_SECONDS, _MEMORY = 10, 1 << 30
# What the process runs: no imports but the standard library's, nothing of the source.
_PROGRAM = """
import ast, json, resource, sys, warnings
memory, seconds = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
warnings.simplefilter("ignore")
def plain(value, depth=0):
    if isinstance(value, dict) and depth < 4 and len(value) <= 1000:
        if not all(isinstance(key, str) for key in value):
            raise ValueError
        return {plain(key): plain(value[key], depth + 1) for key in value}
    if isinstance(value, (list, tuple)) and depth < 4 and len(value) <= 1000:
        return [plain(each, depth + 1) for each in value]
    whole = isinstance(value, int) and abs(value) < 2**63
    text = isinstance(value, str) and len(value) <= 4096
    if value is None or whole or text or isinstance(value, (bool, float)):
        return value
    raise ValueError
def literals(tree):
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        target = node.target if isinstance(node, ast.AnnAssign) else target
        if isinstance(target, ast.Name) and node.value is not None:
            try:
                yield target.id, plain(ast.literal_eval(node.value))
            except Exception:
                pass
def names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.name.rpartition(".")[2]
        elif isinstance(node, ast.MatMult):
            yield "@"
try:
    source = sys.stdin.buffer.read().decode()
    tree = ast.parse(source)
    compile(tree, "submission", "exec")
    used = sorted({each for each in names(tree) if len(each) <= 100})[:10000]
    reply = {"literals": dict(literals(tree)), "names": used}
except SyntaxError as error:
    reply = {"error": [error.lineno or 1, error.msg]}
except (ValueError, RecursionError, MemoryError) as error:
    reply = {"error": [1, "the program is nested too deeply or too large"]}
print(json.dumps(reply))
"""


def _read(source: str) -> dict[str, Any]:
    try:
        ran = subprocess.run(
            [sys.executable, "-ISBc", _PROGRAM, str(_MEMORY), str(_SECONDS)],
            input=source.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=2 * _SECONDS,
            env={},
            check=True,
        )
        reply: dict[str, Any] = json.loads(ran.stdout)
    except (subprocess.SubprocessError, ValueError):
        return {"error": [1, "the program is nested too deeply or too large"]}
    return reply


def syntax_error(source: str) -> tuple[int, str] | None:
    """Return line and message of the first syntax error, or None.

    Example:
        >>> syntax_error("def f(:\\n    pass\\n")
        (1, 'invalid syntax')
        >>> syntax_error("x = 1\\n") is None
        True
    """
    error = _read(source).get("error")
    return None if error is None else (int(error[0]), str(error[1]))


def literal_assignments(source: str) -> dict[str, Any]:
    """Return a file's top-level literals by name: numbers, texts, lists of them.

    Example:
        >>> literal_assignments("kind = 'race_shared'\\nn = 3\\nlater = open('x')\\n")
        {'kind': 'race_shared', 'n': 3}
    """
    literals: dict[str, Any] = _read(source).get("literals", {})
    return literals


def used_names(source: str) -> set[str]:
    """Return the names that a program uses: variables, attributes, imports; "@" for
    matrix multiplication.

    A program can hide what it uses (`getattr`), so nothing follows from their absence.

    Example:
        >>> sorted(used_names("import numpy as np\\nc = np.dot(a @ b, c)\\n"))
        ['@', 'a', 'b', 'c', 'dot', 'np', 'numpy']
    """
    return set(_read(source).get("names", []))
