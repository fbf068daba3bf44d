# tests/test_operators_mine.py fails 0.2-caught: failed
from hypothesis import given


@given(small_floats)
def test_sigmoid(a):
    assert operators.sigmoid(a) < operators.sigmoid(a + 0.5)  # wrong: 1.0 < 1.0
