"""Holds the graded tests of 1.2 and 1.3."""

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

MAP = ("float64[::1]", "float64[::1]", "int64")


@pytest.mark.task("1.2-double")
def test_double(submission):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_map", fn="operators.double", types=MAP
    )
    a = np.arange(4.0)
    kernel.check(2 * a)[1, 4](poisoned(4), a, 4)


@pytest.mark.task("1.2-map")
@pytest.mark.max_metric(global_sectors="1.1x")
def test_map(submission, rng):
    kernel = submission.kernel(
        "minitorch.cuda_ops", "tensor_map", fn="operators.double", types=MAP
    )
    for n in (1, 33, int(rng.integers(65, 120))):
        a = rng.normal(size=n)
        kernel.same[-(-n // 32), 32](poisoned(n), a, n)


@pytest.mark.task("1.3-scale")
def test_scale(submission, rng):
    kernel = submission.kernel(
        "kernels/scale.cu", "scale", types=("float32[::1]", "float32", "int32")
    )
    x = rng.normal(size=45).astype(np.float32)
    kernel.check(x * np.float32(3))[2, 32](x, 3.0, 45)
