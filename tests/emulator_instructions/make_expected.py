"""Make a .ptx file for each instruction form, and tables of exact results.

The build runs `make_expected.py FOLDER`, which writes them into FOLDER. They are not in
git; expected.sha256 is, with one digest a family, so that a changed expectation shows
in a diff. After a change on purpose, `make_expected.py --update` writes the digests.

A table holds, for each form, a line `form NAME ULP INPUTS OUTPUTS` and 32 rows of hex
words: the sources, then `=`, then the destinations. For what a whole warp does together
it is `form NAME ULP KIND INPUTS OUTPUTS`, the words that the kernel finds in memory,
`=`, and the words that it must leave. Results come from reference/ (unbounded integers
and exact rationals), never from the emulator.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

from reference import (
    compare_forms,
    convert_forms,
    copy_forms,
    extended_forms,
    float_forms,
    integer_forms,
    matrix_forms,
    wmma_forms,
)
from reference.forms import WIDTH, inputs_of, register
from reference.matrix_forms import WarpForm

DIGESTS = Path(__file__).with_name("expected.sha256")
FAMILIES = {
    "integer": integer_forms.forms,
    "float": float_forms.forms,
    "compare": compare_forms.forms,
    "convert": convert_forms.forms,
    "extended": extended_forms.forms,
}
WARP_FAMILIES = {
    "matrix": matrix_forms.forms,
    "wmma": wmma_forms.forms,
    "copy": copy_forms.forms,
}
SOURCES, TARGETS = ["%a", "%b", "%c", "%e"], ["%d", "%q", "%r", "%s"]
TEMPLATE = """\
// {name}: thread i computes row i.
// Sources lie at in + 32 i, results at out + 32 i, 8 bytes apart.
.version 8.3
.target sm_90
.address_size 64

.visible .entry row(.param .u64 in, .param .u64 out)
{{
  .reg .b32 %row, %unused, %word;
  .reg .b64 %in, %out;
{registers}
  mov.u32 %row, %tid.x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %row, 32, %in;
  mad.wide.u32 %out, %row, 32, %out;
{loads}
  {code};
{stores}
  ret;
}}
"""


def load(name, kind, at):
    place = f"[%in+{8 * at}]" if at else "[%in]"
    if kind == "pred":
        return f"  ld.global.b32 %word, {place};\n  setp.ne.u32 {name}, %word, 0;"
    return f"  ld.global.{register(kind)} {name}, {place};"


def store(name, kind, at):
    place = f"[%out+{8 * at}]" if at else "[%out]"
    if kind == "pred":
        return f"  selp.u32 %word, 1, 0, {name};\n  st.global.b32 {place}, %word;"
    return f"  st.global.{register(kind)} {place}, {name};"


def ptx_of(form):
    sources = list(zip(SOURCES, form.sources, strict=False))
    targets = list(zip(TARGETS, form.to, strict=False))
    return TEMPLATE.format(
        name=form.name,
        registers="\n".join(
            f"  .reg .{register(k)} {n};" for n, k in sources + targets
        ),
        loads="\n".join(load(n, k, i) for i, (n, k) in enumerate(sources)),
        code=form.code,
        stores="\n".join(store(n, k, i) for i, (n, k) in enumerate(targets)),
    )


def word(value, kind):
    width = WIDTH[kind]
    digits = 1 if width == 1 else max(width, 32 if width == 8 else width) // 4
    return f"{value:0{digits}x}"


def table_of(form):
    yield f"form {form.name} {form.ulp} {len(form.sources)} {len(form.to)}"
    for row in inputs_of(form):
        result = form.result(*row)
        results = result if isinstance(result, tuple) else (result,)
        assert len(results) == len(form.to), form.name
        left = " ".join(word(v, k) for v, k in zip(row, form.sources, strict=True))
        right = " ".join(word(v, k) for v, k in zip(results, form.to, strict=True))
        yield f"{left} = {right}"


def warp_table_of(form):
    sizes = f"{len(form.words)} {len(form.results)}"
    yield f"form {form.name} {form.ulp} {form.kind} {sizes}"
    for words in (form.words, form.results):
        for start in range(0, len(words), 8):
            yield " ".join(f"{value:08x}" for value in words[start : start + 8])
        if words is form.words:
            yield "="


def files(family):
    """Return the texts of a family's table and kernels, by their relative paths."""
    lines = []
    made = {}
    for form in (FAMILIES | WARP_FAMILIES)[family]():
        path = f"{family}/{form.name}.ptx"
        assert path not in made, f"{path} is listed twice"
        warp = isinstance(form, WarpForm)
        lines += warp_table_of(form) if warp else table_of(form)
        made[path] = form.ptx() if warp else ptx_of(form)
    return made | {f"{family}.txt": "\n".join(lines) + "\n"}


def digest(made):
    """Return the SHA-256 over paths and texts."""
    together = hashlib.sha256()
    for path, text in sorted(made.items()):
        together.update(f"{path}\0{text}\0".encode())
    return together.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where to write the files")
    parser.add_argument("families", nargs="*", help="default: all of them")
    parser.add_argument("--update", action="store_true", help="write expected.sha256")
    options = parser.parse_args()
    names = options.families or [*FAMILIES, *WARP_FAMILIES]
    families = {family: files(family) for family in names}
    digests = {family: digest(made) for family, made in families.items()}
    if options.update:
        lines = [f"{value}  {family}\n" for family, value in digests.items()]
        DIGESTS.write_text("".join(lines))
    listed = dict(line.split()[::-1] for line in DIGESTS.read_text().splitlines())
    changed = [family for family in digests if digests[family] != listed.get(family)]
    if changed:
        print(
            f"The expected results of {', '.join(changed)} are not those of "
            f"{DIGESTS.name}. If that is meant: python {sys.argv[0]} --update",
            file=sys.stderr,
        )
        return 1
    if options.folder:
        for made in families.values():
            for name, text in made.items():
                path = options.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
