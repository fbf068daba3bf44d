"""How Sphinx turns the assembled pages into the site.

`docs/build_site.py` assembles them and calls Sphinx; `make docs` calls that.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# Examples and signatures are the same on every machine.
os.environ.setdefault("MINITORCH_CUDA", "emulator")
sys.path.insert(0, str(Path(__file__).parent))

project = "minitorch-cuda"
copyright = "the minitorch-cuda developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["plain_docstrings"]
nitpicky = True

# Pages are Markdown that GitHub shows as well; notebooks come with their outputs.
myst_heading_anchors = 3
myst_links_external_new_tab = False
# README is included by index.md; rendered has notebooks to download.
exclude_patterns = ["README.md", "rendered"]
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}  # would be scripts from a network
nb_merge_streams = True

# Types stand in signatures as they are written, without links: most are plain names.
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
# Functions of PyTorch's face have other parameters than the sources that they wrap.
autodoc_preserve_defaults = False
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Kernel"]
nitpick_ignore_regex = [("py:.*", ".*")]
# Each dialect has a class that signatures call Tensor: a name, not a link.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "minitorch-cuda"
# The grounds of the pictures, so that these have no visible edge.
html_theme_options = {
    "light_css_variables": {"color-code-background": "#f5f6f8"},
    "dark_css_variables": {
        "color-background-primary": "#111417",
        "color-code-background": "#1a1e23",
    },
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("figures.js", {"defer": "defer"})]
html_copy_source = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def _give_captions_a_level(
    app: Any, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Captions of the navigation are headings; readers aloud ask of which level."""
    heading = 'role="heading"'
    found = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = found.replace(
        heading, f'{heading} aria-level="2"'
    )


def setup(app: Any) -> None:
    """Sphinx calls this; the theme's own part comes before."""
    app.connect("html-page-context", _give_captions_a_level, priority=900)
