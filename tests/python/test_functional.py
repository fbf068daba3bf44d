"""The checks of normalisation, dropout, embedding and attention against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, check_second_gradients, need, numbers, slopes

LIMIT = {"float64": 1e-11, "float32": 3e-4}


def compare_gradients(
    function,
    reference,
    arrays,
    device,
):
    """Output and gradients of `function` against NumPy and its differences."""
    leaves = [minitorch.tensor(a, device=device, requires_grad=True) for a in arrays]
    out = function(*leaves)
    np.testing.assert_allclose(out.numpy(), reference(*arrays), rtol=1e-11, atol=1e-12)
    g = numbers(out.shape, 77, "float64")
    out.backward(minitorch.tensor(g, device=device))
    got = [leaf.grad.numpy() for leaf in leaves]
    for number, index, slope in slopes(lambda *a: (reference(*a) * g).sum(), arrays):
        assert got[number][index] == pytest.approx(slope, rel=1e-6, abs=1e-7)


def normal_form(x, axes, eps):
    off = x - x.mean(axes, keepdims=True)
    return off / np.sqrt((off * off).mean(axes, keepdims=True) + eps)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("sizes", [(5,), (3, 5)])
def test_layer_norm(sizes, device):
    need(device)
    arrays = [numbers((2, 3, 5), 1, "float64"), numbers(sizes, 2, "float64")]
    arrays.append(numbers(sizes, 3, "float64"))
    axes = tuple(range(3 - len(sizes), 3))
    compare_gradients(
        lambda x, w, b: F.layer_norm(x, sizes, w, b, eps=0.1),
        lambda x, w, b: normal_form(x, axes, 0.1) * w + b,
        arrays,
        device,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(6, 2), (3, 2, 4), (2, 2, 3, 2)])
def test_batch_norm_in_training(shape, device):
    need(device)
    arrays = [numbers(shape, 1, "float64")]
    arrays += [numbers((2,), seed, "float64") for seed in (2, 3)]
    axes = (0, *range(2, len(shape)))
    along = (1, 2, *(1,) * (len(shape) - 2))
    mean, var = (minitorch.tensor(v, device=device) for v in ([1.0, 2.0], [3.0, 4.0]))
    compare_gradients(
        lambda x, w, b: F.batch_norm(x, mean, var, w, b, True, 0.25, 0.1),
        lambda x, w, b: normal_form(x, axes, 0.1) * w.reshape(along) + b.reshape(along),
        arrays,
        device,
    )
    x = arrays[0]
    np.testing.assert_allclose(mean.numpy(), [0.75, 1.5] + 0.25 * x.mean(axes))
    np.testing.assert_allclose(
        var.numpy(), [2.25, 3.0] + 0.25 * x.var(axes, ddof=1), rtol=1e-12
    )


@pytest.mark.parametrize("device", DEVICES)
def test_batch_norm_in_evaluation(device):
    need(device)
    mean, var = np.array([1.0, -2.0]), np.array([0.5, 4.0])
    given = [minitorch.tensor(v, device=device) for v in (mean, var)]
    arrays = [numbers((3, 2, 4), 1, "float64")]
    arrays += [numbers((2,), seed, "float64") for seed in (2, 3)]
    column = (2, 1)
    compare_gradients(
        lambda x, w, b: F.batch_norm(x, *given, w, b, eps=0.5),
        lambda x, w, b: (
            (x - mean.reshape(column))
            / np.sqrt(var.reshape(column) + 0.5)
            * w.reshape(column)
            + b.reshape(column)
        ),
        arrays,
        device,
    )
    assert given[0].numpy().tolist() == mean.tolist()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_means_do_not_drown_the_variance(dtype, device):
    need(device)
    x = (numbers((40, 3, 50), 1, "float64") + 500).astype(dtype)
    got = F.layer_norm(minitorch.tensor(x, device=device), 50).numpy()
    expected = normal_form(x.astype("float64"), (2,), 1e-5)
    np.testing.assert_allclose(got, expected, atol=LIMIT[dtype])


def test_gradients_of_gradients_of_norms():
    arrays = [numbers((3, 4), 1, "float64"), numbers((4,), 2, "float64")]
    check_second_gradients(lambda x, w: F.layer_norm(x, 4, w, eps=0.3), arrays)


def test_norms_that_do_not_fit_are_named():
    x = minitorch.zeros(2, 3)
    with pytest.raises(
        ValueError, match=r"\[layer_norm\] got input \(2, 3\).*end with \(4,\)"
    ):
        F.layer_norm(x, 4)
    with pytest.raises(ValueError, match=r"\[layer_norm\].*\[\(2,\)\]"):
        F.layer_norm(x, 3, minitorch.zeros(2))
    with pytest.raises(ValueError, match=r"\[batch_norm\] .*; input \(1, 3\) has 1"):
        F.batch_norm(minitorch.zeros(1, 3), None, None, training=True)
    with pytest.raises(
        ValueError, match=r"\[batch_norm\] .*running_mean and running_var are needed"
    ):
        F.batch_norm(x, None, None)
    with pytest.raises(ValueError, match=r"\[batch_norm\].*need \(n, channels"):
        F.batch_norm(x, minitorch.zeros(2), minitorch.zeros(2))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_dropout_leaves_out_by_the_random_stream(dtype, device):
    """The kept cells are those whose number of `rand` is not below the rate."""
    need(device)
    x = numbers((7, 33), 1, dtype)
    minitorch.manual_seed(5)
    minitorch.rand(3)
    drawn = minitorch.rand(7, 33).numpy()
    minitorch.manual_seed(5)
    minitorch.rand(3)
    leaf = minitorch.tensor(x, device=device, requires_grad=True)
    out = F.dropout(leaf, 0.3)
    kept = drawn >= 0.3
    expected = np.where(kept, x * np.dtype(dtype).type(1 / 0.7), 0)
    assert 0.5 < kept.mean() < 0.9
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), kept / 0.7, rtol=1e-6)
    assert minitorch.rand(1).item() != minitorch.rand(1).item()


def test_dropout_at_its_ends():
    x = minitorch.ones(5)
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.9, training=False) is x
    assert F.dropout(x, 1.0).numpy().tolist() == [0] * 5
    for p in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"\[dropout\] got probability"):
            F.dropout(x, p)


@pytest.mark.parametrize("device", DEVICES)
def test_embedding_looks_rows_up_and_adds_gradients(device):
    need(device)
    table = numbers((5, 3), 1, "float64")
    at = np.array([[4, 0], [2, 4], [4, 1]])
    leaf = minitorch.tensor(table, device=device, requires_grad=True)
    indices = minitorch.tensor(at, device=device)
    out = F.embedding(indices, leaf)
    np.testing.assert_array_equal(out.numpy(), table[at])
    g = numbers(out.shape, 2, "float64")
    for skipped in (None, 4, -3):
        leaf.grad = None
        again = F.embedding(indices, leaf, padding_idx=skipped)
        again.backward(minitorch.tensor(g, device=device))
        expected = np.zeros_like(table)
        for place in np.ndindex(at.shape):
            if skipped is None or at[place] != skipped % 5:
                expected[at[place]] += g[place]
        np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-14)


def test_embedding_names_bad_indices():
    table = minitorch.zeros(3, 2)
    with pytest.raises(
        IndexError, match=r"\[embedding\] got index 3 at position 1; need 0 to 2"
    ):
        F.embedding(minitorch.tensor([0, 3], dtype="int64"), table)
    with pytest.raises(IndexError, match="got index -1 at position 0"):
        F.embedding(minitorch.tensor([-1], dtype="int32"), table)
    with pytest.raises(TypeError, match=r"\[embedding\] got float64; need integers"):
        F.embedding(minitorch.tensor([0.0]), table)
    with pytest.raises(ValueError, match=r"got padding_idx 3; need -3 to 2"):
        F.embedding(minitorch.tensor([0], dtype="int64"), table, 3)
    with pytest.raises(ValueError, match=r"got a table of shape \(3,\)"):
        F.embedding(minitorch.tensor([0], dtype="int64"), minitorch.zeros(3))
    assert F.embedding(minitorch.zeros(0, dtype="int64"), table).shape == (0, 2)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(q, k, v, added=0.0):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + added
    return softmax(scores) @ v


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("mask", ["none", "causal", "boolean", "numbers"])
def test_attention(mask, device):
    need(device)
    arrays = [numbers((2, 3, 4), 1, "float64"), numbers((2, 5, 4), 2, "float64")]
    arrays.append(numbers((2, 5, 2), 3, "float64"))
    options = {}
    added = np.zeros((3, 5))
    if mask == "causal":
        options["is_causal"] = True
        added[np.triu_indices(3, 1, 5)] = -np.inf
    elif mask == "boolean":
        keep = numbers((3, 5), 4, "float64") > -1
        keep[:, 0] = True
        options["attn_mask"] = minitorch.tensor(keep, device=device)
        added[~keep] = -np.inf
    elif mask == "numbers":
        added = numbers((2, 3, 5), 4, "float64")
        options["attn_mask"] = minitorch.tensor(added, device=device)
    compare_gradients(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options),
        lambda q, k, v: attention(q, k, v, added),
        arrays,
        device,
    )


def test_attention_options_and_errors():
    q, k, v = (minitorch.tensor(numbers((2, 4), s, "float64")) for s in (1, 2, 3))
    got = F.scaled_dot_product_attention(q, k, v, scale=2.0).numpy()
    expected = softmax(2 * q.numpy() @ k.numpy().T) @ v.numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert not F.scaled_dot_product_attention(q, k, v, dropout_p=1.0).numpy().any()
    with pytest.raises(ValueError, match="mask and is_causal cannot be combined"):
        F.scaled_dot_product_attention(q, k, v, minitorch.zeros(2, 2), is_causal=True)
    with pytest.raises(
        ValueError, match=r"\[attention\] got query \(2, 4\), key \(2, 3\)"
    ):
        F.scaled_dot_product_attention(q, k[:, :3], v)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("device", DEVICES)
def test_16_bit_floats_are_float32_rounded_once(dtype, device):
    """Each op on 16-bit values gives float32's result, rounded; so do its gradients."""
    need(device)
    w = numbers((2, 2, 3, 3), 2, "float32")
    operations = [
        lambda x: F.conv2d(x, kernel.to(x.dtype), padding=1),
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.layer_norm(x, 4),
        lambda x: F.embedding(
            minitorch.tensor([1, 1], device=device).to("int64"), x[0, 0]
        ),
    ]
    kernel = minitorch.tensor(w, device=device).to(dtype).to("float32")
    start = minitorch.tensor(numbers((2, 2, 4, 4), 1, "float32"), device=device)
    start = start.to(dtype)
    for operation in operations:
        short = start.detach().requires_grad_()
        long = start.to("float32").detach().requires_grad_()
        got, expected = operation(short), operation(long)
        assert got.dtype == dtype
        same(got, expected.to(dtype))
        got.backward(minitorch.ones(got.shape, dtype=dtype, device=device))
        expected.backward(minitorch.ones(got.shape, dtype="float32", device=device))
        assert short.grad is not None
        assert long.grad is not None
        same(short.grad, long.grad.to(dtype))


def same(a, b):
    pair = [t.to("float32").cpu().numpy() for t in (a, b)]
    np.testing.assert_allclose(pair[0], pair[1], rtol=1e-6, atol=1e-7)
