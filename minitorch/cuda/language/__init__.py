"""Front end of the kernel language: Python functions to CUDA C++ and CPU code.

The way of a function: `source` finds its tree, `typing` types it by a rule for each
kind of node, with what `scope` knows of the function and the tables of `builtins`, into
the form of `typed`; `emit` writes that for a GPU and for the CPU. `scalar_function` and
`kernel` are the doors. Imports go one way: the files here but the doors, then
`builtins`, `typing`, `emit`, the doors.
"""
