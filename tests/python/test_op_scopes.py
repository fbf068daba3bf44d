"""That every function of the rooms of ops tells recordings of itself."""

from __future__ import annotations

import re

import pytest

from .source_tree import ROOT

ROOMS = ("cpp/ops", "cpp/autograd")

#: What takes or gives arrays and is no op: it allocates, checks or keeps books, or is a
#: view or another's call in one line.
NO_OPS = {
    "accumulate", "assign", "attach", "backward", "become",
    "begin_captured_random", "beside",
    "compare", "detach", "empty", "fold_on_device", "follow_base", "inherit", "look_as",
    "make_tensor", "order", "output_of", "record_node", "refuse_nan",
    "refuse_nan_at_start", "require_one_device", "require_one_dialect", "reshape",
    "retain_grad",
    "set_data", "set_requires_grad", "spread", "take_over", "torch_promoted", "where",
    "without_node",
}  # fmt: skip

_HIDDEN = re.compile(r"^namespace \{\n.*?^\}  // namespace\n", re.MULTILINE | re.DOTALL)
_FUNCTION = re.compile(
    r"^(?:Array|TensorPtr|MaxPool|Standardised|std::tuple<[^>]*>|double|void) "
    r"(\w+)\(([^;{}]*)\) \{\n(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)


def silent_functions(text):
    """Names of functions of arrays that make no scope."""
    return [
        name
        for name, parameters, body in _FUNCTION.findall(_HIDDEN.sub("", text))
        if re.search("Array|TensorPtr|Shape", parameters)
        and "OpScope scope" not in body
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_each_function_of_arrays_makes_a_scope(room):
    silent = {
        f"{path.name}: {name}"
        for path in (ROOT / room).glob("*.cpp")
        for name in silent_functions(path.read_text())
        if name not in NO_OPS
    }
    assert not silent, (
        'need `const runtime::OpScope scope("name", {&input});` (runtime/recorder.h), '
        "or a name in NO_OPS"
    )


def test_no_ops_are_functions_that_are_there():
    found = {
        name
        for room in ROOMS
        for path in (ROOT / room).glob("*.cpp")
        for name in silent_functions(path.read_text())
    }
    assert found >= NO_OPS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Array twice(const Array& a) {\n  return a;\n}\n", ["twice"]),
        ('Array f(const Array& a) {\n  const OpScope scope("f");\n  g();\n}\n', []),
        ("bool f(const Array& a) {\n  return true;\n}\n", []),
        ("namespace {\nArray f(const Array& a) {\n  g();\n}\n}  // namespace\n", []),
    ],
)
def test_silent_functions_itself(text, expected):
    assert silent_functions(text) == expected
