"""Tests of what a live picture follows: packed values, formulas alike on both sides."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from minitorch.viz.figure.live import bundle
from minitorch.viz.figure.player import Player, packed
from minitorch.viz.scene.drawing import Drawing
from minitorch.viz.scene.formulas import (
    Formula,
    chosen,
    column,
    find,
    first,
    in_words,
    item,
    largest,
    path_of,
    row,
    same,
    text,
    value_of,
)

STATES = 1000
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def on_a_page(code: str, given: object) -> object:
    """What JavaScript computes from `given`."""
    done = subprocess.run(
        ["node", "-e", code], input=json.dumps(given), capture_output=True, text=True
    )
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


READ = 'const given = JSON.parse(require("fs").readFileSync(0, "utf8"));'


def random_formula(dice: random.Random, depth: int) -> Formula:
    """Numbers at most: every operation but division, whose divisor is no zero."""
    if not depth:
        return dice.choice([row("a"), row("b"), Formula(dice.randrange(-9, 99))])
    one, other = (random_formula(dice, depth - 1) for _ in range(2))
    divisor = dice.choice([2, 7, 31])
    return dice.choice(
        [
            one + other,
            one - other,
            3 - one,
            one * 2.5 + other,
            one // divisor,
            one % divisor,
            chosen(one < other, one, other),
            chosen(same(one, other), 1, other),
            item([5, 6, 7], other // 1 % 3) + find([0, 2, 4], one % 5),
        ]
    )


@needs_node
def test_formulas_have_one_value_in_a_thousand_states():
    dice = random.Random(7)
    cases, wanted = [], []
    for _ in range(STATES):
        number = random_formula(dice, dice.randrange(4))
        words = text("at ", in_words(number // 1), " of ", row("b"))
        state = {"a": dice.randrange(-5, 5000), "b": dice.randrange(300)}
        for formula in (number, words):
            cases.append([formula.spelled, state])
            wanted.append(value_of(formula, state))
    code = (
        f"{bundle('formula')}{READ}console.log(JSON.stringify(given.map("
        "([formula, row]) => m_formula.compiled(formula)({ row }))));"
    )
    assert on_a_page(code, cases) == wanted


def without_halves(value: float) -> float:
    """A tenth and a little: nothing that the two languages round otherwise."""
    return round(value, 1) + 0.01


@needs_node
def test_paths_of_marks_are_one_path_in_a_thousand_states():
    dice = random.Random(8)
    kinds, counts = item(column("kinds"), row("at")), item(column("counts"), row("at"))
    most, across = row("at") + 1, dice.choice([8, 32])
    places = [without_halves(dice.uniform(0, 60)) for _ in range(5)]
    squares = path_of("tiles", kinds, "3", across, *places[:4])
    unit = Formula(7.0137) / largest(most, 4)
    standing = path_of("bars", first(most, counts), unit, *places[:3], 11.6)
    columns = {
        "kinds": ["".join(dice.choices("0123 ", k=96)) for _ in range(STATES)],
        "counts": [dice.choices(range(900), k=32) for _ in range(STATES)],
    }
    states = [{"at": at} for at in range(STATES)]
    wanted = [
        [value_of(each, state, columns) for each in (squares, standing)]
        for state in states
    ]
    code = (
        f"{bundle('formula')}{READ}const [formulas, column, states] = given;"
        "const known = formulas.map(m_formula.compiled);"
        "console.log(JSON.stringify(states.map((row) => "
        "known.map((each) => each({ row, column })))));"
    )
    given = [[squares.spelled, standing.spelled], columns, states]
    assert on_a_page(code, given) == wanted


@needs_node
def test_packed_values_come_out_as_they_were():
    lists = [
        ["a", "b"],
        ["a long text", "another text", "a long text", "a long text"] * 3,
        [f'<b x="{at}">s[{at}]</b>' for at in range(40)] + ["", "<i/>"],
        [1, 2.5, None, True, [1, [2]]] * 4,
    ]
    code = (
        f"{bundle('player')}{READ}console.log(JSON.stringify(given.map("
        "([of, count]) => [...Array(count).keys()].map(m_player.unpacked(of)))));"
    )
    given = [(packed(each), len(each)) for each in lists]
    assert on_a_page(code, given) == lists


def test_values_are_spelled_as_drawings_spell_them():
    view = Drawing()
    view.rect(0, 1 / 3, 2.0, 1)
    assert packed([view, 1 / 3, 2.0]) == [str(view), 0.33, 2]
    assert 'y="0.33" width="2"' in str(view)


def test_an_operation_that_is_not_known_is_refused():
    with pytest.raises(KeyError, match="sqrt"):
        value_of(Formula(["sqrt", 4]), {})


def test_a_player_says_what_follows_what():
    player = Player({"step": 1})
    player.axis("step", 3)
    player.text("name", ["step"], ["zero", "one", "two"])
    player.says(["step"], ["A.", "B.", "C."], "The same.")
    player.key("n", "step", by=1)
    live = player.live((("N", "next"),))
    data = json.loads(live.payload)
    assert live.script == "player"
    assert data["first"] == {"step": 1}
    assert [(each["at"], each["set"], each["by"]) for each in data["tables"]] == [
        ("name", "text", ["step"]),
        ("answer", "says", ["step"]),
        ("detail", "says", []),
    ]
    assert data["keys"] == {"n": {"axis": "step", "by": 1}}
