"""Owns drawing: elements, colours, marks, texts, formulas. Must not know figures."""
