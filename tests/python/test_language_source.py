"""The tests of finding a function's source, and of when it is translated anew."""

from __future__ import annotations

import functools
import linecache
import math
import operator

import pytest

from minitorch import cuda
from minitorch.cuda.language.scalar_function import translate
from minitorch.cuda.language.source import python_location
from minitorch.cuda.language.types import Type

ARGUMENTS = (Type.FLOAT64,)
SCALE = 2.0


def decorated(function):
    return function


@decorated
def twice(x):
    """Doubles."""
    y = x
    return y * SCALE  # ends at relative line 5


def cuda_of(function, *types):
    return translate(function, types or ARGUMENTS).cuda


def test_lines_are_counted_from_the_first_line_of_the_function():
    text = cuda_of(twice)
    assert '#line 4 "/minitorch/py/twice"\n    double y = x;\n    return' in text
    file, line = python_location("/minitorch/py/twice", 5)
    assert file == __file__
    assert "return y * SCALE" in linecache.getline(file, line)


def test_lambdas_of_one_line_are_told_apart():
    functions = [lambda x: x + 1, lambda x: x * 2, lambda x: x - 3]  # fmt: skip
    texts = ["x + 1.0", "x * 2.0", "x - 3.0"]
    for function, text in zip(functions, texts, strict=True):
        assert f"return {text};" in cuda_of(function)


def test_a_lambda_over_several_lines():
    function = functools.partial(
        lambda x: (
            x
            + 1
        )
    ).func  # fmt: skip
    assert "return x + 1.0;" in cuda_of(function)


def test_a_lambda_in_a_lambda():
    def make(k):
        return (lambda y: lambda x: x * y)(k)  # fmt: skip

    assert "return x * 3.0;" in cuda_of(make(3.0))


def test_functions_of_one_factory_differ_by_what_they_capture():
    def scaled(by):
        return lambda x: x * by

    double, triple = scaled(2.0), scaled(3.0)
    assert "x * 2.0" in cuda_of(double)
    assert "x * 3.0" in cuda_of(triple)
    assert "x * 2.0" in cuda_of(double)


def test_a_new_function_of_the_same_code_is_not_translated_again():
    def make():
        return lambda x: x * SCALE

    assert translate(make(), ARGUMENTS) is translate(make(), ARGUMENTS)


def test_a_rebound_global_is_seen(monkeypatch):
    assert "y * 2.0" in cuda_of(twice)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert "y * 5.0" in cuda_of(twice)


def test_a_rebound_called_function_is_seen():
    def plus_one(x):
        return x + 1

    inner = plus_one

    def function(x):
        return inner(x)

    assert "x + 1.0" in cuda_of(function)
    inner = twice
    assert "py_twice" in cuda_of(function)


def test_defaults_are_captured():
    def scaled(x, by=4.0):
        return x * by

    assert "by = 4.0" in cuda_of(scaled)
    scaled.__defaults__ = (7.0,)
    assert "by = 7.0" in cuda_of(scaled)


def test_called_functions_are_written_once_for_each_signature():
    def helper(x):
        return x * x

    def both(x):
        return helper(x) + helper(x + 1) + helper(2)

    text = cuda_of(both)
    assert text.count("__device__ inline double py_helper(double x)") == 1
    assert text.count("__device__ inline long long py_helper_2(long long x)") == 1


def test_keyword_and_default_arguments_of_a_call():
    def mix(a, b=10.0, c=100.0):
        return a + b * c

    assert "py_mix(x, 10.0, 3.0)" in cuda_of(lambda x: mix(x, c=3.0))


def test_names_that_cpp_reserves():
    def f(double, exp, new=1.0):
        return double + math.exp(exp) * new

    text = cuda_of(f, Type.FLOAT64, Type.FLOAT64)
    assert "return double_py_ + exp(exp_py_) * new_py_;" in text


@pytest.mark.parametrize("function", [math.tanh, abs, float])
def test_builtins_are_functions_too(function):
    assert "struct Fn" in cuda_of(function)


def test_operators_are_functions_too():
    assert "x0 + x1" in cuda_of(operator.add, *ARGUMENTS * 2)


def test_a_function_without_source():
    scope = {}
    exec("def f(x):\n    return x", scope)
    with pytest.raises(cuda.CompileError, match=r"the source of .* is not available"):
        translate(scope["f"], ARGUMENTS)


def test_a_file_that_has_changed(tmp_path):
    file = str(tmp_path / "moved.py")
    source = "def f(x):\n    return x\n"
    scope = {}
    exec(compile(source, file, "exec"), scope)
    (tmp_path / "moved.py").write_text("# new first line\n" + source)
    with pytest.raises(
        cuda.CompileError, match=r"has changed since the function was defined"
    ):
        translate(scope["f"], ARGUMENTS)


def test_ambiguous_lambdas_without_positions():
    # python -X no_debug_ranges keeps no columns; equal lambdas are still fine.
    pair = [lambda x: x + 1, lambda x: x + 2]  # fmt: skip
    code = pair[1].__code__
    stripped = code.replace(co_linetable=_without_columns(code))
    same_line = type(pair[1])(stripped, globals())
    with pytest.raises(cuda.CompileError, match=r"is ambiguous"):
        translate(same_line, ARGUMENTS)


def _without_columns(code):
    # Entries of kind 13 name lines only; the first moves to the code's first line.
    units = len(code.co_code) // 2
    table = bytearray()
    while units:
        length = min(units, 8)
        table += bytes([0x80 | (13 << 3) | (length - 1), 0])
        units -= length
    return bytes(table)


def test_an_object_that_is_no_function():
    with pytest.raises(cuda.CompileError, match=r"need a function written with def"):
        translate(functools.partial(pow, 2), ARGUMENTS)
