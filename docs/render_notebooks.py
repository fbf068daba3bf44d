"""Copies of the notebooks with their outputs, for readers who run nothing.

    python docs/render_notebooks.py

writes one into build/rendered for each notebook that ran (run_notebooks.py). Pictures
are PNG: GitHub and nbviewer run no script and often drop or spoil SVG.
"""

from __future__ import annotations

import base64
import io
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import resvg_py
from PIL import Image
from project_urls import RENDERED_LINE
from run_notebooks import NOTEBOOKS, ROOT

from minitorch.viz.scene.palette import inlined

ZOOM = 1.5  # pixels for one of the drawing
# The widest face that figures name, from matplotlib: the same on every machine.
_FONTS = [
    f"{matplotlib.get_data_path()}/fonts/ttf/DejaVu{face}.ttf"
    for face in ("Sans", "Sans-Bold", "SansMono", "SansMono-Bold")
]
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_README = """\
# The lessons with their outputs

Made by `make rendered` from the notebooks in `notebooks/` of the branch `main`; open
`00_start.ipynb` first.
"""


def render(book: Any) -> str:
    """Return the text of a notebook that ran, with still pictures and no script.

    Raises:
        ValueError: A code cell has not run, or failed.
    """
    for number, cell in enumerate(book.cells, 1):
        cell.source = RENDERED_LINE.sub("", cell.source)
        if cell.cell_type != "code":
            continue
        if cell.source.strip() and cell.execution_count is None:
            raise ValueError(f"cell {number} has not run")
        if any(output.output_type == "error" for output in cell.outputs):
            raise ValueError(f"cell {number} failed")
        cell.outputs = [still(output) for output in cell.outputs]
    return nbformat.writes(book) + "\n"


def still(output: Any) -> Any:
    """Return an output as text, with a PNG where it has a picture."""
    if "data" not in output:
        output.text = without_paths(output.text)
        return output
    data = {"text/plain": without_paths(output.data["text/plain"])}
    if "image/svg+xml" in output.data:
        picture = png(output.data["image/svg+xml"])
        data["image/png"] = base64.b64encode(picture).decode()
        width = round(Image.open(io.BytesIO(picture)).width / ZOOM)
        words = {"alt": data["text/plain"], "width": width}
        output.metadata = {"image/png": words}
    elif "image/png" in output.data:
        data["image/png"] = output.data["image/png"]
    output.data = data
    return output


def png(svg: str) -> bytes:
    """Return a figure's SVG as a PNG of at most 256 colours, in the light theme."""
    pixels = resvg_py.svg_to_bytes(
        svg_string=inlined(_STYLE.sub("", svg), "light"),
        zoom=ZOOM,
        skip_system_fonts=True,
        font_files=_FONTS,
    )
    file = io.BytesIO()
    few = {"method": Image.Quantize.FASTOCTREE, "dither": Image.Dither.NONE}
    image = Image.open(io.BytesIO(pixels)).convert("RGB").quantize(256, **few)
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def without_paths(text: str) -> str:
    """Return a text without the folders of this machine."""
    text = text.replace(f"{ROOT}/", "minitorch-cuda/")
    return text.replace(f"{Path.home()}/", "~/")


def main(ran: Path, target: Path, sources: Path = NOTEBOOKS) -> int:
    """Write the copies that are older than their outputs; give the exit status.

    Args:
        ran: Folder of the notebooks with their outputs.
        target: Folder of the copies.
        sources: Folder of the notebooks, which says which there are.
    """
    names = sorted(path.name for path in sources.glob("*.ipynb"))
    target.mkdir(parents=True, exist_ok=True)
    (target / "README.md").write_text(_README, "utf-8")
    for old in target.glob("*.ipynb"):
        if old.name not in names:
            old.unlink()
    made = 0
    for name in names:
        source, copy = ran / name, target / name
        if not source.exists():
            print(f"{name} has not run; run python docs/run_notebooks.py first")
            return 1
        changed = max(path.stat().st_mtime for path in (source, Path(__file__)))
        if copy.exists() and copy.stat().st_mtime >= changed:
            continue
        try:
            copy.write_text(render(nbformat.read(source, as_version=4)), "utf-8")
        except ValueError as error:
            print(f"{source}: {error}; run python docs/run_notebooks.py first")
            return 1
        made += 1
    print(f"{made} notebooks rendered, {len(names) - made} kept: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(ROOT / "build" / "notebooks", ROOT / "build" / "rendered"))
