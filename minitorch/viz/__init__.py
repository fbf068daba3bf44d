"""All drawing code of minitorch: data in, self-contained HTML out."""

from minitorch.viz.page import Page as Page

__all__ = ["Page"]
