"""Holds the public tests of 9.4: the kernels, and the operator made of them."""

import attention
import numpy as np
import pytest
import rows

from minitorch_cuda import cuda


def launched(kernel, outputs, n, given):
    __tracebackhide__ = True
    found = [cuda.device_array((n, attention.DIM), np.float32) for _ in range(outputs)]
    blocks = -(-n // attention.TILE)
    inputs = [cuda.to_device(np.ascontiguousarray(each, np.float32)) for each in given]
    with cuda.inspect() as run:
        kernel[blocks, attention.TILE](*found, *inputs, rows.SCALE)
    run.raise_findings()
    return [each.copy_to_host() for each in found]


@pytest.mark.task9_4
@pytest.mark.parametrize("n", [1, 32, 33, 40])
def test_kernels(n):
    q, k, v, grad_out = rows.rows(n, 4)
    p, out, total = rows.attention(q, k, v)
    change = p * (grad_out @ v.T - (grad_out * out).sum(1, keepdims=True)) * rows.SCALE
    given = (grad_out, out, total, q, k, v)
    near = {"rtol": 1e-3, "atol": 1e-5}
    (grad_q,) = launched(attention.attention_grad_query, 1, n, given)
    np.testing.assert_allclose(grad_q, change @ k, **near)
    grad_k, grad_v = launched(attention.attention_grad_key_value, 2, n, given)
    np.testing.assert_allclose(grad_k, change.T @ q, **near)
    np.testing.assert_allclose(grad_v, p.T @ grad_out, **near)


@pytest.mark.task9_4
def test_operator():
    from attention_op import attention as operator

    import minitorch_cuda as minitorch

    q, k, v, weights = rows.rows(9, 4)
    inputs = [
        minitorch.tensor(each, device="cuda", requires_grad=True) for each in (q, k, v)
    ]
    (operator(*inputs) * minitorch.tensor(weights, device="cuda")).sum().backward()

    def total(q, k, v):
        return (rows.attention(q, k, v)[1] * weights).sum()

    arrays = [each.astype(np.float64) for each in (q, k, v)]
    for at, each in enumerate(inputs):
        moved = [array.copy() for array in arrays]
        moved[at][2, 3] += 1e-6
        change = (total(*moved) - total(*arrays)) / 1e-6
        assert abs(each.grad.numpy()[2, 3] - change) < 1e-3
