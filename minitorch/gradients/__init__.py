"""Gradients written or checked in Python: functions, custom operators, history."""
