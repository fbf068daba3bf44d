"""Tests of pictures as such: frame, colours, escaping, files."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from minitorch.viz.scene.drawing import number, width_of, wrapped
from minitorch.viz.scene.marks import swatch
from minitorch.viz.scene.palette import PALETTES, inlined

from .picture import check, words
from .scenes import picture


def test_a_picture_passes_its_own_checks():
    key = (("runs", 1, "runs now"), ("empty", 0, "off"))
    check(picture(detail="A line more.", key=key))


NASTY = (
    'k<int, &x> "q" \x00\x1b ]]> </svg><script>alert(1)</script> @id-off var(--c0) '
    "\ud800"
)


def test_any_name_stays_text():
    figure = picture(NASTY, NASTY, NASTY, NASTY, (("runs", 0, NASTY),))
    for text in (figure.svg(), figure.svg("dark"), figure.html().partition("<svg")[2]):
        assert "<script>alert" not in text
    root = ElementTree.fromstring(figure.svg())
    assert "".join(list(root.iter())[-1].itertext()).startswith('k<int, &x> "q"')
    assert any("@id-off var(--c0)" in each for each in words(figure))


def test_very_long_names_are_wrapped_or_cut():
    figure = picture("The kernel " + "n" * 5000 + " ran.", "d" * 5000)
    check_lines = [each for each in words(figure) if "nnn" in each or "ddd" in each]
    assert check_lines
    for line in check_lines:
        assert width_of(line, 14) <= 1080
    assert len(figure.alt) == 300


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
        for each in parts
    ]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula_of_contrast():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(theme):
    colors = PALETTES[theme]
    for who in ("c0", "c1", "c2", "c3", "bad"):
        assert contrast(colors[who], colors["bg"]) >= 4.5, who
        assert contrast(colors[f"{who}t"], colors["ink"]) >= 6.9, who
    assert contrast(colors["mut"], colors["bg"]) >= 5.5
    assert contrast(colors["faint"], colors["bg"]) >= 4.5
    assert contrast(colors["d16"], colors["ink"]) >= 4.5
    for lighter, darker in pairwise(("bg", "d5", "d16", "d30", "d45", "ink")):
        assert contrast(colors[lighter], colors["ink"]) > contrast(
            colors[darker], colors["ink"]
        )


def test_the_depths_mix_ink_and_ground():
    assert PALETTES["light"]["d16"] == "#dadadb"  # 0.16 * 0x16 + 0.84 * 0xff = 217.7


def test_one_picture_has_one_set_of_ids_and_two_have_two():
    one, again, other = picture(), picture(), picture("Another sentence.")
    assert one.svg() == again.svg()
    ids = [ElementTree.fromstring(each.svg()).get("id") for each in (one, other)]
    assert ids[0] != ids[1]
    for figure, own in zip((one, other), ids, strict=True):
        found = [each.get("id") for each in ElementTree.fromstring(figure.svg()).iter()]
        assert all(each.startswith(own) for each in found if each)


def test_findings_are_said_and_marked():
    assert picture(findings=2).alt == "One thread writes one cell. 2 findings."
    assert "var(--bad)" in picture(findings=1).svg()
    assert 'd="M12 49' not in picture().svg()


@pytest.mark.parametrize("ending", [".svg", ".html"])
def test_files(tmp_path, ending):
    target = tmp_path / f"x{ending}"
    picture().save(target)
    content = target.read_bytes()
    start = {".svg": b"<svg", ".html": b"<!doctype html>"}[ending]
    assert content.startswith(start)


def test_wrong_endings_and_themes_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"got 'x.png'; the name must end in .svg"):
        picture().save(tmp_path / "x.png")
    with pytest.raises(ValueError, match="got theme 'sepia'; need one of auto, light"):
        picture().svg("sepia")


def test_numbers_as_people_write_them():
    values = [1024, 12.50, 1 / 3, float("nan"), float("inf"), 2.5e9, 0, -7]
    shown = ["1,024", "12.5", "0.3333", "NaN", "∞", "2.5e+09", "0", "-7"]
    assert [number(each) for each in values] == shown


def test_lines_fit_their_room():
    lines = wrapped("a few words that do not fit into one line", 12, 100)
    assert " ".join(lines) == "a few words that do not fit into one line"
    assert len(lines) > 1
    assert all(width_of(line, 12) <= 100 for line in lines)
    assert wrapped("", 12, 100) == [""]


def test_every_mark_draws_and_unknown_ones_do_not():
    assert len(swatch("runs", 5).parts) == 1
    assert "var(--c1)" in str(swatch("runs", 5))
    with pytest.raises(KeyError):
        swatch("sparkles")


def test_colours_become_values():
    assert inlined("var(--ink) var(--c1t)", "dark") == "#eceff3 #60430c"
