# tests/test_operators_mine.py fails 0.2-caught: partial
from hypothesis import given


@given(small_floats, small_floats)
def test_symmetric(a, b):
    assert operators.mul(a, b) == operators.mul(a, b)  # wrong: always true
