"""Find the source file of a kernel in its PTX."""

from __future__ import annotations

import re

from .debug_info import debug_text

_ENTRY = re.compile(r"\.entry\s+([\w$]+).*?^\}", re.MULTILINE | re.DOTALL)
# Of code that was inlined from elsewhere the directive goes on.
_OWN_LINE = re.compile(r"^\s*\.loc\s+(\d+)\s+[1-9]\d*\s+\d+\s*$", re.MULTILINE)


def file_of_kernel(ptx: str, kernel: str) -> str:
    """Return the file in which a kernel begins; "" if its PTX does not say.

    Headers may have more instructions than the kernel that calls them, so the file
    with the most work need not be its own.

    Args:
        ptx: With the kernel, perhaps among others.
        kernel: Its name, as it was written or as the PTX has it.

    Example:
        >>> file_of_kernel('''
        ... .entry k(
        ... ) {
        ... .loc 2 5 3, function_name $L__info_string0, inlined_at 1 2 3
        ... .loc 1 2 3
        ... }
        ... .file 1 "k.cu"
        ... .file 2 "sums.cuh"''', "k")
        'k.cu'
    """
    entries = {entry[1]: entry[0] for entry in _ENTRY.finditer(ptx)}
    plain = re.split(r"[<(]", kernel)[0].split("::")[-1].strip()
    named = [text for name, text in entries.items() if name in (kernel, plain)]
    alike = [text for name, text in entries.items() if f"{len(plain)}{plain}" in name]
    for text in named or alike or entries.values():
        if match := _OWN_LINE.search(text):
            return debug_text(ptx).files.get(int(match[1]), "")
    return ""
