"""The page that a student reads: what is right, what was found where, what next."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..advice import OUTCOMES
from ..words import (
    ISOLATION,
    STAGES,
    Item,
    amount,
    finding_says,
    headline,
    items_of,
    other_line,
    points_of,
    row_says,
    stage_of,
    students_rows,
    tried,
)
from .bars import cost_bars
from .frame import escaped, mark, page, sentence
from .sources import Sources, around, quoted

_PICTURE_BYTES = 400_000  # of one picture that is put into the page
# What marks mean, and what stands on a page that has them.
_KEY = {
    "found": ("line in a finding", 'class="found"'),
    "right": ("your count", ">yours</text>"),
    "limit": ("limit", ">limit "),
}


def student_page(
    report: Mapping[str, Any],
    folder: Path | None = None,
    sources: Sources | None = None,
    published: bool = True,
) -> str:
    """The page of one report.

    Args:
        report: of `minitorch.grade/1`; rows may have a teacher's `override`.
        folder: the report's, with `pictures/`.
        sources: lines of the student's files; without them no code is quoted.
        published: whether rows are shown that wait for publication.

    Returns:
        HTML with the pictures inside, but for very large ones, which are linked.
    """
    rows = students_rows(report, published)
    lines = sources or {}
    items = items_of(rows)
    parts = [_meta(report), _format_errors(report)]
    parts += _sections(items, lines, folder)
    plain = [row for item in items if not _is_drawn(item) for row in item.rows]
    parts.append(
        _table("The other rows", "", [row for row in plain if not row["hidden"]])
    )
    note = "outcome and advice, never their inputs"
    parts.append(_table("Hidden rows", note, [row for row in plain if row["hidden"]]))
    parts.append(_how(report))
    question = (
        f"What is right in my {report['assignment']}, and what should I try next?"
    )
    first = headline(report, rows)
    message = str(report["message"])
    return page(
        question,
        first,
        _detail(rows, lines) or ("" if message.rstrip(".") in first else message),
        [part for part in parts if part],
        {mark: says for mark, (says, sign) in _KEY.items() if sign in "".join(parts)},
    )


def _detail(rows: Sequence[Mapping[str, Any]], sources: Sources) -> str:
    """What was found first, in a sentence."""
    for row in rows:
        if OUTCOMES[row["outcome"]].lost:
            said = row_says(row, quoted(sources, row["findings"]))[0]
            return said[:1].upper() + said[1:]
    return ""


def _meta(report: Mapping[str, Any]) -> str:
    files = [f"<code>{escaped(each)}</code>" for each in report["submission"]["files"]]
    named = f"as {', '.join(files)}" if files else "without a file that counts"
    said = (
        f"assignment <b>{escaped(report['assignment'])}</b>",
        f"handed in <code>{escaped(_short(report))}</code> {named}",
        "counted on the emulator, no GPU needed",
    )
    return f'<p class="meta">{" · ".join(said)}</p>'


def _short(report: Mapping[str, Any]) -> str:
    """How the hash of what was handed in begins: appeals and overrides name it."""
    return str(report["submission"]["sha256"])[:8]


def _format_errors(report: Mapping[str, Any]) -> str:
    if not report["format_errors"]:
        return ""
    each = "".join(f"<li>{escaped(error)}</li>" for error in report["format_errors"])
    return f"<section><h2>Mend this first</h2><ul>{each}</ul></section>"


def _is_drawn(item: Item) -> bool:
    """Whether there is something to mend, a note, or a count to look at."""
    return any(
        OUTCOMES[row["outcome"]].lost
        or row["metrics"]
        or row["findings"]
        or "override" in row
        for row in item.rows
    )


def _lost(item: Item) -> Mapping[str, Any] | None:
    """The first of its rows that is not right."""
    return next((row for row in item.rows if OUTCOMES[row["outcome"]].lost), None)


def _sections(
    items: Sequence[Item], sources: Sources, folder: Path | None
) -> Iterator[str]:
    """One for each kernel that is drawn; single rows of a task share one."""
    drawn = [item for item in items if _is_drawn(item)]
    last = {item.task: item.id for item in drawn if _lost(item)}
    groups = itertools.groupby(
        drawn, key=lambda item: (item.task, item.id if stage_of(item.rows[0]) else "")
    )
    for (task, _), group in groups:
        own = list(group)
        inner = "".join(
            _item(item, sources, folder, item.id == last.get(task), len(own) > 1)
            for item in own
        )
        title, _, points = own[0].says.rpartition(": ")
        hidden = " · hidden inputs" if own[0].rows[0]["hidden"] else ""
        if len(own) > 1:
            whole = [item for item in items if item.task == task]
            title, hidden = f"Task {task}", ""
            points = points_of(
                sum(item.points for item in whole),
                sum(item.max_points for item in whole),
            )
        head = f"{escaped(title)} <span>· {escaped(points)}{hidden}</span>"
        yield f"<section><h2>{head}</h2>{inner}</section>"


def _item(
    item: Item, sources: Sources, folder: Path | None, ends: bool, named: bool
) -> str:
    """One graded test: its rows, and about the first that is lost all there is.

    `ends`: the last of its task that is lost, which says how to go on. `named`: a
    single row says its title and points, since the section does not.
    """
    lost = _lost(item)
    named = named or len(item.rows) > 1
    cards = '<li class="then" aria-hidden="true">→</li>'.join(
        _card(row, row is lost, named) for row in item.rows
    )
    parts = [f'<ol class="rows">{cards}</ol>']
    cost = _cost(item)
    if lost is not None:
        left = _code(lost, sources) + _next(lost, sources, item.task if ends else "")
        # A picture has its own columns: beside the code nobody could read it.
        if cost:
            left = f'<div class="two"><div>{left}</div><div>{cost}</div></div>'
        parts.append(left)
        parts += [_picture(each, folder) for each in lost["pictures"]]
    else:
        noted = next((row for row in item.rows if row["findings"]), None)
        if noted is not None:
            parts.append(_code(noted, sources) + _next(noted, sources, ""))
            parts += [_picture(each, folder) for each in noted["pictures"]]
        parts.append(cost)
    return "".join(parts)


def _card(row: Mapping[str, Any], is_first: bool, named: bool) -> str:
    outcome = OUTCOMES[row["outcome"]]
    head = _card_head(row) if named else ""
    kind = "first" if is_first else "" if outcome.lost else "off"
    kind = "" if row["outcome"] == "passed" else kind
    state = mark(outcome.word, outcome.lost, row["outcome"] == "passed")
    said = sentence(row_says(row)[0])
    if row["outcome"] == "passed" and not row["message"]:
        said = ""
    return (
        f'<li class="{kind}">{head}<div class="state">{state}</div>'
        f"<small>{said}</small>{_override(row)}</li>"
    )


def _card_head(row: Mapping[str, Any]) -> str:
    stage = stage_of(row)
    name = STAGES.get(stage, str(row["title"]))
    points = f"{amount(row['points'])} of {amount(row['max_points'])}"
    hidden = " <small>· hidden inputs</small>" if row["hidden"] and not stage else ""
    return f'<span class="points">{points}</span><b>{escaped(name)}</b>{hidden}'


def _override(row: Mapping[str, Any]) -> str:
    override = row.get("override")
    if not override:
        return ""
    return (
        f"<div><small>Your teacher changed {amount(override['before'])} to "
        f"{amount(row['points'])}: {escaped(override['reason'])}</small></div>"
    )


def _code(row: Mapping[str, Any], sources: Sources) -> str:
    """The student's lines around the first finding that names one, and what it says."""
    for finding in row["findings"]:
        other = other_line(finding)
        lines = around(sources, finding, other)
        if not lines:
            continue
        file = escaped(finding["file"])
        note = finding["severity"] == "note"
        word = "<b>Noted here:</b>" if note else '<b class="bad">Found here:</b>'
        named = {finding["line"], other}
        told = "".join(
            f'<div class="found"><i>{number}</i><span>{escaped(text)}</span></div>'
            if number in named
            else f"<div><i>{number}</i>{escaped(text)}</div>"
            for number, text in lines
        )
        return (
            f"<h3>Your code <span>· {file}</span></h3>"
            f'<div class="code" role="group" aria-label="{file}">{told}</div>'
            f'<p class="why">{word} {sentence(finding_says(finding))}</p>'
        )
    return ""


def _next(row: Mapping[str, Any], sources: Sources, task: str) -> str:
    """What to try about a row; of a task's last one also how to see whether it helped.

    `task`: "" where another row of it follows.
    """
    texts = quoted(sources, row["findings"])
    advice = tried(row, texts)
    # A finding stands under the code; what is left are the row's own sentences.
    found = {finding_says(each) for each in row["findings"]}
    steps = [each for each in row_says(row, texts)[1:] if each not in found]
    steps = [each for each in steps if not each.startswith("Picture: ")]
    tries = [sentence(each) for each in steps if each != advice]
    tries += [sentence(advice)] if advice else []
    if task:
        tries.append(
            f"Run <code>minitorch course check {escaped(task)}</code>: it runs the "
            "public rows again, and draws what is found."
        )
        tries.append(
            "Hand in again. The same file always gets the same points, so a better "
            "file is worth the try."
        )
    if not tries:
        return ""
    each_step = "".join(f"<li>{step}</li>" for step in tries)
    return f"<h3>What to try next</h3><ol>{each_step}</ol>"


def _cost(item: Item) -> str:
    """Counts of the row that has them, drawn even before it is judged."""
    for row in item.rows:
        bars = cost_bars(row["metrics"])
        if bars:
            judged = "not judged yet" if row["outcome"] == "not_yet" else ""
            note = f"yours beside the solution{', ' + judged if judged else ''}"
            return f"<h3>Cost <span>· {note}</span></h3>{bars}"
    return ""


def _picture(picture: Mapping[str, Any], folder: Path | None) -> str:
    """A picture is put into the page, which may lie elsewhere; HTML into a sandbox."""
    label, file = escaped(picture["label"]), escaped(picture["file"])
    path = None if folder is None else folder / picture["file"]
    if path is None or not path.is_file() or path.stat().st_size > _PICTURE_BYTES:
        return f'<h3>Picture</h3><p><a href="{file}">{label}</a></p>'
    if path.suffix == ".svg":
        data = base64.b64encode(path.read_bytes()).decode()
        shown = f'<img alt="{label}" src="data:image/svg+xml;base64,{data}">'
    elif path.suffix == ".png":
        data = base64.b64encode(path.read_bytes()).decode()
        shown = f'<img alt="{label}" src="data:image/png;base64,{data}">'
    else:
        shown = (
            f'<iframe sandbox="" title="{label}" '
            f'srcdoc="{escaped(path.read_text("utf-8"))}"></iframe>'
        )
    return (
        f"<h3>Picture</h3>{shown}"
        f'<p><small>{label} <a href="{file}">Open the picture</a></small></p>'
    )


def _table(title: str, note: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What is right already, or waits: a line each; "" without rows."""
    lines = []
    for row in rows:
        outcome = OUTCOMES[row["outcome"]]
        silent = row["outcome"] == "passed" and not row["message"]
        told = "" if silent else row_says(row)[0]
        state = mark(outcome.word, outcome.lost, row["outcome"] == "passed")
        points = f"{amount(row['points'])} of {amount(row['max_points'])}"
        lines.append(
            f"<tr><td><b>{escaped(row['task'])} {escaped(row['title'])}</b>"
            f"<div><small>{escaped(told)}</small></div></td>"
            f'<td class="number">{state}</td><td class="number">{points}</td></tr>'
        )
    if not lines:
        return ""
    head = f"{title} <span>· {note}</span>" if note else title
    return f"<section><h2>{head}</h2><table>{''.join(lines)}</table></section>"


def _how(report: Mapping[str, Any]) -> str:
    level = str(report["isolation"])
    final = f"This report is <b>{'final' if report['final'] else 'not final'}</b>."
    if level == "process" and report["final"]:
        final = "Points count when your teacher's grader has judged the others, too."
    example = report["rows"][0]["id"] if report["rows"] else ""
    return (
        "<section><h2>How it was graded</h2>"
        f"<p>Isolation: <b>{escaped(level)}</b>. {escaped(ISOLATION[level])} "
        f"{final}</p>"
        f"<p>Is something wrong? Send your teacher <code>{escaped(_short(report))}"
        f"</code> and the row, for example <code>{escaped(example)}</code>. If points "
        "are changed, the reason stands here and stays when the work is graded again."
        "</p></section>"
    )
