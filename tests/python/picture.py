"""Reading a figure back: its SVG as elements, and what every view passes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

MOST_NODES, MOST_BYTES = 2500, 300_000


def elements(figure, tag):
    root = ElementTree.fromstring(figure.svg())
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def words(figure):
    """Return the texts of a picture; a title and the note beside it are two."""
    return [
        part
        for each in elements(figure, "text")
        for part in (
            [span.text.removeprefix(" · ") for span in each]
            if any(span.get("font-size") for span in each)
            else ["".join(each.itertext())]
        )
    ]


def with_fill(figure, fill, tag="rect"):
    return sum(each.get("fill") == fill for each in elements(figure, tag))


def check(figure):
    """What holds for each picture: well-formed, small, self-contained, with words."""
    svg = figure.svg()
    root = ElementTree.fromstring(svg)
    assert len(list(root.iter())) <= MOST_NODES
    assert len(svg.encode()) <= MOST_BYTES
    outside = re.sub(r"http://www\.w3\.org/\d+/svg", "", figure.html())
    assert not re.search(r"https?:", outside)
    assert outside.count("<script") == 2
    assert "@id-" not in svg
    known = {each.get("id") for each in root.iter()}
    used = set(re.findall(r"url\(#([^)]+)\)", svg))
    assert used <= known, used - known
    shown = words(figure)
    assert figure.question in shown
    assert set(figure.text.split()) <= set(" ".join(shown).split())
    assert root.get("aria-label") == figure.alt
    assert len(figure.alt) <= 300
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml", "text/html"}
    assert bundle["text/plain"] == figure.text
    for theme in ("light", "dark"):
        plain = figure.svg(theme)
        assert "var(" not in plain
        ElementTree.fromstring(plain)
    check_place(figure)


def check_place(figure):
    """Every picture's own words start inside it, and no length is negative or NaN."""
    for each in elements(figure, "rect"):
        for name in ("width", "height"):
            assert float(each.get(name, "0")) >= 0, ElementTree.tostring(each)
    for name in ("x", "y"):
        for each in elements(figure, "text"):
            assert -60 <= float(each.get(name, "0")) <= 5000
