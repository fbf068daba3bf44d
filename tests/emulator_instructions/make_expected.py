"""Writes data/: one small .ptx per instruction form, and tables of exact results.

    python make_expected.py          # writes data/
    python make_expected.py --check  # exit status 1 if data/ differs

A table holds, for each form, a line `form NAME ULP INPUTS OUTPUTS` and 32 rows of hex
words: the sources, then `=`, then the destinations. For what a whole warp does
together it is `form NAME ULP KIND INPUTS OUTPUTS`, the words that the kernel finds in
memory, `=`, and the words that it must leave. Results come from reference/ (unbounded
integers and exact rationals), never from the emulator.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
from reference.forms import WIDTH, Form, inputs_of, register
from reference.matrix_forms import WarpForm

DATA = Path(__file__).parent / "data"
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


def load(name: str, kind: str, at: int) -> str:
    place = f"[%in+{8 * at}]" if at else "[%in]"
    if kind == "pred":
        return f"  ld.global.b32 %word, {place};\n  setp.ne.u32 {name}, %word, 0;"
    return f"  ld.global.{register(kind)} {name}, {place};"


def store(name: str, kind: str, at: int) -> str:
    place = f"[%out+{8 * at}]" if at else "[%out]"
    if kind == "pred":
        return f"  selp.u32 %word, 1, 0, {name};\n  st.global.b32 {place}, %word;"
    return f"  st.global.{register(kind)} {place}, {name};"


def ptx_of(form: Form) -> str:
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


def word(value: int, kind: str) -> str:
    width = WIDTH[kind]
    digits = 1 if width == 1 else max(width, 32 if width == 8 else width) // 4
    return f"{value:0{digits}x}"


def table_of(form: Form) -> Iterator[str]:
    yield f"form {form.name} {form.ulp} {len(form.sources)} {len(form.to)}"
    for row in inputs_of(form):
        result = form.result(*row)
        results = result if isinstance(result, tuple) else (result,)
        assert len(results) == len(form.to), form.name
        left = " ".join(word(v, k) for v, k in zip(row, form.sources, strict=True))
        right = " ".join(word(v, k) for v, k in zip(results, form.to, strict=True))
        yield f"{left} = {right}"


def warp_table_of(form: WarpForm) -> Iterator[str]:
    sizes = f"{len(form.words)} {len(form.results)}"
    yield f"form {form.name} {form.ulp} {form.kind} {sizes}"
    for words in (form.words, form.results):
        for start in range(0, len(words), 8):
            yield " ".join(f"{value:08x}" for value in words[start : start + 8])
        if words is form.words:
            yield "="


def files() -> dict[Path, str]:
    made: dict[Path, str] = {}
    for family, forms in FAMILIES.items():
        listed = list(forms())
        names = [form.name for form in listed]
        assert len(set(names)) == len(names), "a form is listed twice"
        lines = [line for form in listed for line in table_of(form)]
        made[DATA / f"{family}.txt"] = "\n".join(lines) + "\n"
        for form in listed:
            made[DATA / family / f"{form.name}.ptx"] = ptx_of(form)
    for family, make in WARP_FAMILIES.items():
        warps = list(make())
        assert len({form.name for form in warps}) == len(warps), "listed twice"
        lines = [line for form in warps for line in warp_table_of(form)]
        made[DATA / f"{family}.txt"] = "\n".join(lines) + "\n"
        for form in warps:
            made[DATA / family / f"{form.name}.ptx"] = form.ptx()
    return made


def main() -> int:
    made = files()
    if "--check" in sys.argv[1:]:
        return int(any(not p.exists() or p.read_text() != t for p, t in made.items()))
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for family in [*FAMILIES, *WARP_FAMILIES]:
        for path in (DATA / family).glob("*.ptx"):
            if path not in made:
                path.unlink()
    print(f"{len(made) - len(FAMILIES) - len(WARP_FAMILIES)} forms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
