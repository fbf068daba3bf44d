"""Drawing: elements, colours, marks, texts, formulas."""
