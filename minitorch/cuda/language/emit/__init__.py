"""Owns the targets of the typed form: CUDA C++, and the CPU's flat program.

`cuda` writes whole texts by the rules of `expressions` and `statements`, which `writer`
has in tables; `flat` lowers functions of numbers. Infers nothing.
"""
