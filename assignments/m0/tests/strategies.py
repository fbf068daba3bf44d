"""What hypothesis draws for the tests, and how they compare floats."""

from __future__ import annotations

from hypothesis import Phase, settings
from hypothesis.strategies import floats, integers

# Failing examples are made small, but not explained, which takes longer than the rest.
settings.register_profile(
    "course",
    deadline=None,
    max_examples=60,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
)
settings.load_profile("course")

small_ints = integers(min_value=1, max_value=3)
med_ints = integers(min_value=1, max_value=20)
small_floats = floats(min_value=-100, max_value=100, allow_nan=False)


def assert_close(a: float, b: float) -> None:
    """Fails if two numbers differ by 0.01 or more."""
    __tracebackhide__ = True
    assert abs(a - b) < 1e-2, f"{a} and {b} are not close"
