"""The rule that a new row of opcodes.inc is silent nowhere in the C++ sources."""

from __future__ import annotations

import re

from .source_tree import name_of, source_files

SWITCH = re.compile(r"\bswitch \([^;{]*\) \{")

# Look-ups among the forms of an instruction, opcode by type by modifiers, of which most
# do not exist. What has no form at all is found by tests/emulator_instructions.
FORMS = re.compile(r"cpp/simt/(lanes/isa_|oracle/evaluate_)\w+\.cpp")


def block_from(text, start):
    """What stands between the brace before `start` and its partner."""
    depth, end = 1, start
    while depth:
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    return text[start:end]


def silent_switches():
    """Switches over opcodes with a `default:`, as file and line."""
    for path in source_files(".h", ".cpp"):
        name = name_of(path)
        if not name.startswith("cpp/") or FORMS.fullmatch(name):
            continue
        text = path.read_text()
        for found in SWITCH.finditer(text):
            body = block_from(text, found.end())
            if re.search(r"case (ptx::)?Op::", body) and "default:" in body:
                yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}"


def test_no_switch_over_opcodes_has_a_default():
    assert list(silent_switches()) == []
