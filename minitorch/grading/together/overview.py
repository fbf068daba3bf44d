"""Owns the teacher's page of a class: the median, each row's outcomes, who to look at.

Must not know workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from ..report.advice import OUTCOMES
from ..report.pages.frame import escaped, page
from ..report.words import amount, sentence
from .overrides import Override
from .scores import Numbers, Result, counts, numbers_of

_KEY = {"right": "right", "lost": "not right yet", "open": "not judged"}


def overview_page(results: Sequence[Result], lost: Sequence[Override] = ()) -> str:
    """index.html of a results folder.

    Args:
        results: of a class, with overrides in place.
        lost: overrides that speak of no submission.
    """
    numbers = numbers_of(results)
    name = results[0].report["assignment"] if results else "this assignment"
    parts = [_row_table(numbers), _scores(results, numbers), _attention(results, lost)]
    parts.append(_submissions(results))
    return page(
        f"How did the class do in {name}?",
        _answer(numbers),
        "Scores are in scores.csv. The class may see board.html, but not this page.",
        [part for part in parts if part],
        {mark: says for mark, says in _KEY.items() if f'"{mark}"' in parts[0]},
    )


def _answer(numbers: Numbers) -> str:
    count = f"{numbers.count} submission{'s' * (numbers.count != 1)}"
    if numbers.median is None:
        return f"{count}, none with a score that counts."
    hardest = max(numbers.rows, key=lambda row: _lost(numbers.rows[row]), default="")
    answer = (
        f"{count}; the median is {amount(numbers.median)} of "
        f"{amount(numbers.max_score)} points."
    )
    if hardest and _lost(numbers.rows[hardest]):
        lost = _lost(numbers.rows[hardest])
        answer += f" The row {hardest} is not right yet in {lost} of them."
    return answer


def _lost(outcomes: Counter[str]) -> int:
    return sum(count for word, count in outcomes.items() if OUTCOMES[word].lost)


def _kinds(outcomes: Mapping[str, int]) -> dict[str, int]:
    kinds = dict.fromkeys(("right", "lost", "open"), 0)
    for word, count in outcomes.items():
        right = "right" if word == "passed" else "open"
        kinds["lost" if OUTCOMES[word].lost else right] += count
    return kinds


def _row_table(numbers: Numbers) -> str:
    lines = []
    for row, outcomes in numbers.rows.items():
        whole = max(1, sum(outcomes.values()))
        bar = "".join(
            f'<span class="{kind}" style="width:{100 * count / whole:.2f}%"></span>'
            for kind, count in _kinds(outcomes).items()
            if count
        )
        said = ", ".join(
            f"{count} {word.replace('_', ' ')}"
            for word, count in outcomes.most_common()
        )
        lines.append(
            f"<tr><td><code>{escaped(row)}</code></td>"
            f'<td style="width:40%"><div class="bar" role="img" '
            f'aria-label="{escaped(said)}">{bar}</div></td>'
            f"<td>{escaped(said)}</td></tr>"
        )
    table = f"<table><tr><th>row</th><th></th><th>outcomes</th></tr>{''.join(lines)}"
    return f"<section><h2>Rows</h2>{table}</table></section>"


def _scores(results: Sequence[Result], numbers: Numbers) -> str:
    """How many reached which tenth of the points; "" without a score that counts."""
    scored = [each for each in results if counts(each)]
    if not scored:
        return ""
    most = numbers.max_score or 1
    tenths = Counter(min(9, int(10 * each.report["score"] / most)) for each in scored)
    highest = max(tenths.values(), default=1)
    lines = []
    for tenth in range(10):
        count = tenths[tenth]
        low, high = most * tenth / 10, most * (tenth + 1) / 10
        width = 100 * count / highest
        lines.append(
            f'<tr><td class="number">{amount(low)} to {amount(high)}</td>'
            f'<td style="width:60%"><div class="bar">'
            f'<span class="right" style="width:{width:.1f}%"></span></div></td>'
            f'<td class="number">{count}</td></tr>'
        )
    return (
        "<section><h2>Scores</h2><table><tr><th>points</th><th></th>"
        "<th>submissions</th>"
        f"</tr>{''.join(lines)}</table></section>"
    )


def _attention(results: Sequence[Result], lost: Sequence[Override]) -> str:
    """What a person should look at."""
    said = []
    for each in results:
        who = f"{_link(each)}: "
        if not each.report["final"]:
            said.append(f"{who}not final. {escaped(each.report['message'])}")
        if not each.report["gradable"]:
            errors = " ".join(map(sentence, each.report["format_errors"]))
            said.append(f"{who}not gradable. {escaped(errors)}")
        said += [
            f"{who}<code>{escaped(row['id'])}</code> was changed from "
            f"{amount(row['override']['before'])} to {amount(row['points'])}: "
            f"{escaped(sentence(row['override']['reason']))}"
            for row in each.report["rows"]
            if "override" in row
        ]
    said += [
        f"The override of <code>{escaped(each.row)}</code> for "
        f"<code>{escaped(each.submission)}</code> speaks of no submission here."
        for each in lost
    ]
    if not said:
        return ""
    lines = "".join(f"<li>{each}</li>" for each in said)
    return f"<section><h2>To look at</h2><ul>{lines}</ul></section>"


def _link(result: Result) -> str:
    address = quote(result.page)
    name = f"{result.name} ({result.short})"
    return f'<a href="{escaped(address)}">{escaped(name)}</a>'


def _submissions(results: Sequence[Result]) -> str:
    """All submissions: by name or by score, all or those that are not final.

    Without a script: both orders are numbers of each line, and style sheets choose.
    """
    names = sorted(results, key=lambda each: each.name.casefold())
    scores = sorted(names, key=lambda each: (counts(each), each.report["score"]))
    ranks = {id(each): rank for rank, each in enumerate(scores)}
    lines = []
    for number, each in enumerate(names):
        final = each.report["final"]
        done = final and each.report["gradable"]
        state = "not final" if not final else "" if done else "not gradable"
        score = amount(each.report["score"]) if counts(each) else "no score"
        order = f"--name:{number};--score:{ranks[id(each)]}"
        kind = ' class="done"' if done else ""
        lines.append(
            f'<li{kind} style="{order}"><span>{_link(each)}</span><span>{state}</span>'
            f'<span class="number">{score} of {amount(each.report["max_score"])}</span>'
            "</li>"
        )
    choices = (
        '<input type="radio" name="order" id="by-name" checked>'
        '<label for="by-name"> by name </label>'
        '<input type="radio" name="order" id="by-score">'
        '<label for="by-score"> lowest score first </label>'
        '<input type="checkbox" id="to-do">'
        '<label for="to-do"> only what is not final or not gradable</label>'
    )
    return (
        f"<section><h2>Submissions</h2>{choices}"
        f'<ul class="list">{"".join(lines)}</ul></section>'
    )
