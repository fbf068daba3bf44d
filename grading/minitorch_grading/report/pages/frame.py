"""What all pages share: the frame of words, its style, marks that words go with.

No page has a script or needs the network.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping

from minitorch_cuda.viz.scene.palette import style_sheet

_ROOT = "mt-report"
_UI = (
    "Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,"
    "'DejaVu Sans',sans-serif"
)
_MONO = "ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,'DejaVu Sans Mono'"
_HATCH = "repeating-linear-gradient(45deg,var(--badt) 0 5px,transparent 5px 8px)"

_STYLE = f"""
*{{box-sizing:border-box}}
body{{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 {_UI}}}
main{{max-width:1040px;margin:0 auto;padding:18px 20px 24px;overflow-wrap:anywhere}}
h1{{font-size:13px;font-weight:500;margin:0;color:var(--mut)}}
.say{{font-size:19px;line-height:1.35;font-weight:600;margin:2px 0 4px;max-width:46em}}
.detail{{margin:0 0 10px;color:var(--mut)}}
.meta{{font-size:12.5px;color:var(--mut);margin:0 0 14px}}
h2{{font-size:15px;margin:0 0 8px}}h3{{font-size:13px;margin:14px 0 6px}}
h2 span,h3 span{{font-weight:400;color:var(--mut)}}
section{{border-top:1px solid var(--line);padding-top:13px;margin-top:18px}}
.rows{{display:flex;gap:8px;align-items:stretch;list-style:none;margin:0;padding:0}}
.rows+.rows{{margin-top:8px}}
.rows li{{flex:1;min-width:0;border:1px solid var(--line);border-radius:8px;
padding:10px 13px}}
.rows .then{{flex:0 0 16px;border:0;padding:0;align-self:center;color:var(--mut)}}
.rows .first{{border-color:var(--ink);box-shadow:0 0 0 1.6px var(--ink)}}
.rows .off{{background:var(--panel)}}
.points{{float:right;font-weight:600;font-variant-numeric:tabular-nums}}
.state{{font-weight:600;margin:4px 0 2px}}.bad{{color:var(--bad)}}
small{{font-size:12.5px;color:var(--mut)}}
.two{{display:grid;grid-template-columns:minmax(0,1.1fr) minmax(0,1fr);gap:4px 30px}}
.code{{font:12.5px/21px {_MONO},monospace;margin:0;tab-size:4}}
.code div{{white-space:pre-wrap;padding-left:52px;text-indent:-46px}}
.code i{{font-style:normal;color:var(--faint);display:inline-block;width:32px;
margin-right:14px;text-align:right;text-indent:0}}
.code .found{{background:{_HATCH};box-shadow:inset 3px 0 var(--bad)}}
.code .found span{{background:var(--bg);padding:1px 4px;border-radius:3px}}
.why{{font-size:12.5px;margin:2px 0 8px}}
code{{font:12.5px {_MONO},monospace;background:var(--panel);border-radius:4px;
padding:1px 4px}}
ol,ul{{margin:0;padding-left:20px}}ol li,ul li{{margin:0 0 6px}}p{{margin:0 0 8px}}
a{{color:inherit}}
table{{width:100%;border-collapse:collapse;font-size:13px}}
th,td{{text-align:left;padding:5px 8px 5px 0;border-bottom:1px solid var(--line);
vertical-align:top}}
th{{font-weight:600}}.number{{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}}
svg,img{{display:block;max-width:100%;height:auto}}svg text{{fill:var(--ink);
font-family:{_UI}}}svg .quiet{{fill:var(--mut)}}
iframe{{width:100%;height:860px;border:1px solid var(--line);border-radius:6px}}
.right{{background:var(--mut)}}.lost{{background:{_HATCH};
box-shadow:inset 0 0 0 1px var(--bad)}}
.key{{display:flex;flex-wrap:wrap;gap:6px 18px;font-size:12px;color:var(--mut);
align-items:center;border-top:1px solid var(--line);margin-top:18px;padding-top:10px}}
.key i{{display:inline-block;width:16px;height:14px;border-radius:3px;
vertical-align:-2px;margin-right:6px;border:1px solid var(--line)}}
.limit{{border-width:0 0 0 2px!important;border-color:var(--ink)!important;
width:3px!important;border-radius:0!important}}
@media(max-width:760px){{.two{{grid-template-columns:minmax(0,1fr)}}
.rows{{flex-direction:column}}.rows .then{{display:none}}}}
@media print{{main{{max-width:none;padding:0}}body{{font-size:12px;
print-color-adjust:exact;-webkit-print-color-adjust:exact}}iframe{{display:none}}}}
"""

_KEY = {
    "right": '<i class="right"></i>',
    "found": '<i class="lost"></i>',
    "limit": '<i class="limit"></i>',
}


def sentence(text: object) -> str:
    """Words for HTML; what stands in backticks is code.

    Example:
        >>> sentence("Try `i < n`.")
        'Try <code>i &lt; n</code>.'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped(text))


def escaped(text: object) -> str:
    """Text as HTML shows it: nothing that was handed in becomes markup."""
    return html.escape(str(text), quote=True)


def page(
    question: str,
    answer: str,
    detail: str,
    parts: Iterable[str],
    key: Mapping[str, str] | None = None,
) -> str:
    """A whole page: question, answer, detail, parts, key.

    Args:
        question: what the page answers; its title, too.
        answer: the answer in one sentence, computed.
        detail: a line that adds to it.
        parts: HTML, escaped already.
        key: what the marks of this page mean: found, right, limit.

    Returns:
        HTML that holds everything but pictures beside it.
    """
    marks = "".join(
        f"<span>{_KEY[mark]}{escaped(meaning)}</span>"
        for mark, meaning in (key or {}).items()
    )
    legend = f'<div class="key"><b>Key</b>{marks}</div>' if marks else ""
    # Frames hold still pictures; a link leads to each as a page, which moves.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        f'<!doctype html>\n<html lang="en" id="{_ROOT}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(policy)}">'
        f"<title>{escaped(question)}</title>"
        f"<style>{style_sheet(_ROOT)}{_STYLE}</style></head>\n<body><main>"
        f'<h1>{escaped(question)}</h1><p class="say">{escaped(answer)}</p>'
        f'<p class="detail">{sentence(detail)}</p>\n' + "\n".join(parts) + f"\n{legend}"
        "</main></body></html>\n"
    )


def mark(word: str, lost: bool, right: bool) -> str:
    """A sign in front of a word; the word alone says as much."""
    if right:
        return f'<span aria-hidden="true">✓</span> {escaped(word)}'
    if lost:
        sign = '<span aria-hidden="true">▲</span>'
        return f'<span class="bad">{sign} {escaped(word)}</span>'
    return f'<span aria-hidden="true">◌</span> {escaped(word)}'
