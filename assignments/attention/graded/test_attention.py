"""Holds the graded tests of 9.3 and 9.4: expected values in double precision."""

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

TILE, DIM, SCALE = 32, 16, np.float32(0.25)
ROWS, ROW = "float32[:, ::1]", "float32[::1]"
ATTENTION = (ROWS, ROW, ROWS, ROWS, ROWS, "float32")
QUERY = (ROWS, ROWS, ROWS, ROW, ROWS, ROWS, ROWS, "float32")
KEY_VALUE = (ROWS, *QUERY)
NEAR = {"rtol": 1e-3, "atol": 1e-5}


def inputs(rng, n, count):
    found = [rng.normal(size=(n, DIM)).astype(np.float32) for _ in range(count)]
    found[0] *= 3
    return found


def ahead(q, k, v):
    """Probabilities, the output and the logarithms of the sums, in float64."""
    logits = np.einsum("id,jd->ij", q.astype(float), k.astype(float)) * float(SCALE)
    top = logits.max(1)
    parts = np.exp(logits - top[:, None])
    p = parts / parts.sum(1)[:, None]
    return p, p @ v, top + np.log(parts.sum(1))


def gradients(q, k, v, grad_out):
    """Of q, k and v, in float64."""
    p, out, _ = ahead(q, k, v)
    along = np.einsum("id,ijd->ij", grad_out, v.astype(float)[None] - out[:, None])
    slope = float(SCALE) * p * along
    return slope @ k, slope.T @ q, p.T @ grad_out


def single(*arrays):
    return [each.astype(np.float32) for each in arrays]


def launched(kernel, expected, n, outputs, given):
    checked = kernel.check(dict(enumerate(single(*expected))), **NEAR)
    empty = [poisoned(each.shape, "float32") for each in expected]
    assert len(empty) == outputs
    checked[-(-n // TILE), TILE](*empty, *given, SCALE)


def attend(kernel, rng, n, highest=None):
    q, k, v = inputs(rng, n, 3)
    if highest is not None:  # one score of this size; e to it may be too large
        key = k[n // 2]
        q[n // 2] = key * (highest / (SCALE * (key @ key)))
    launched(kernel, ahead(q, k, v)[1:], n, 2, (q, k, v))


def query(kernel, rng, n):
    q, k, v, grad_out = inputs(rng, n, 4)
    given = (grad_out, *single(*ahead(q, k, v)[1:]), q, k, v)
    launched(kernel, gradients(q, k, v, grad_out)[:1], n, 1, given)


def key_value(kernel, rng, n):
    q, k, v, grad_out = inputs(rng, n, 4)
    given = (grad_out, *single(*ahead(q, k, v)[1:]), q, k, v)
    launched(kernel, gradients(q, k, v, grad_out)[1:], n, 2, given)


def sizes(rng):
    return (1, TILE - 1, TILE, TILE + 1, int(rng.integers(40, 90)))


@pytest.mark.task("9.3-small")
def test_attention_small(submission, rng):
    kernel = submission.kernel("attention", "attention", types=ATTENTION)
    attend(kernel, rng, 40)


@pytest.mark.task("9.3-attention")
@pytest.mark.max_metric(global_bytes="1.1x", ptx_warp_instructions="8x")
def test_attention(submission, rng):
    kernel = submission.kernel("attention", "attention", types=ATTENTION)
    for n in sizes(rng):
        attend(kernel, rng, n, highest=130)


@pytest.mark.task("9.4-small")
def test_gradients_small(submission, rng):
    grad_q = submission.kernel("attention", "attention_grad_query", types=QUERY)
    grad_kv = submission.kernel(
        "attention", "attention_grad_key_value", types=KEY_VALUE
    )
    query(grad_q, rng, 40)
    key_value(grad_kv, rng, 40)


@pytest.mark.task("9.4-query")
@pytest.mark.max_metric(global_bytes="1.1x", ptx_warp_instructions="8x")
def test_query(submission, rng):
    kernel = submission.kernel("attention", "attention_grad_query", types=QUERY)
    for n in sizes(rng):
        query(kernel, rng, n)


@pytest.mark.task("9.4-key-value")
@pytest.mark.max_metric(global_bytes="1.1x", ptx_warp_instructions="8x")
def test_key_value(submission, rng):
    kernel = submission.kernel("attention", "attention_grad_key_value", types=KEY_VALUE)
    for n in sizes(rng):
        key_value(kernel, rng, n)
