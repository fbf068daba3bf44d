"""Owns the house rules that a program can check: size, names, first lines, words."""

from __future__ import annotations

import ast
import re
import statistics
from pathlib import Path

import pytest

from .source_tree import name_of, source_files

CPP = (".h", ".cpp", ".inc")
CUDA = (".cu", ".cuh")
PYTHON = (".py",)
EVERYTHING = CPP + CUDA + PYTHON

# Longest file without a reason. A reason here says why the file is one piece.
LINES = {**dict.fromkeys(CPP + PYTHON, 400), **dict.fromkeys(CUDA, 150)}
