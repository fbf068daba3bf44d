"""The tests of the eight dtypes: storage, rounding, promotion, NumPy's rules."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np
import pytest

import minitorch

from .tensors import DEVICES, need

NAMED = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"]
ALL = [*NAMED, "bfloat16"]
WHOLE = ["int32", "int64", "uint8"]


def sample(dtype):
    return np.array([[0, 1, 2], [3, 200, 7]]).astype(dtype)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ALL)
def test_every_dtype_is_stored_and_comes_back(dtype, device):
    need(device)
    values = [[0, 1, 1], [1, 0, 1]] if dtype == "bool" else [[0, 1, 2], [3, 200, 7]]
    t = minitorch.tensor(values, dtype=dtype, device=device)
    assert t.dtype == dtype
    assert t.device == device
    assert t.numpy().tolist() == values
    assert t.permute(1, 0).contiguous().numpy().T.tolist() == values
    assert t[1, 2].__class__ in (int, float, bool)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("source", NAMED)
@pytest.mark.parametrize("target", NAMED)
def test_casts_agree_with_numpy(source, target, device):
    need(device)
    x = sample(source)
    got = minitorch.tensor(x, device=device).to(target).numpy()
    assert got.dtype == target
    np.testing.assert_array_equal(got, x.astype(target))


@pytest.mark.parametrize("device", DEVICES)
def test_every_float16_is_widened_exactly(device):
    need(device)
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    got = minitorch.tensor(x, device=device).to("float32").numpy()
    np.testing.assert_array_equal(
        got.view(np.uint32)[~np.isnan(x)],
        x.astype(np.float32).view(np.uint32)[~np.isnan(x)],
    )
    assert np.isnan(got[np.isnan(x)]).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_round_to_float16_as_in_numpy(source, device):
    need(device)
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    exact = halves[np.isfinite(halves)].astype(source)
    between = (exact[:-1] + exact[1:]) / 2  # ties, where neighbours are neighbours
    near = np.nextafter(between, np.dtype(source).type(np.inf))
    x = np.concatenate([exact, between, near, [65519.99, 65520, 1e30, -1e30, np.inf]])
    x = x.astype(source)
    got = minitorch.tensor(x, device=device).to("float16").numpy()
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16)
    np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16))
    assert np.isnan(minitorch.tensor([np.nan], device=device).to("float16").numpy())


def nearest_bfloat16(value):
    """Of the two neighbours with 8 significant bits the nearer, or the even one."""
    if value == 0:
        return value
    exponent = max(np.frexp(value)[1] - 8, -133)
    unit = Fraction(2) ** int(exponent)
    return float(round(Fraction(value) / unit) * unit)  # round() takes ties to even


@pytest.mark.parametrize("device", DEVICES)
def test_floats_round_to_bfloat16_once(device):
    need(device)
    generator = np.random.default_rng(3)
    x = generator.standard_normal(500) * 2.0 ** generator.integers(-136, 120, 500)
    ties = 1 + (2 * np.arange(50) + 1) / 256
    hard = np.concatenate([ties, ties + 2.0**-40, ties - 2.0**-40, [0.0, -0.0]])
    x = np.concatenate([x, hard, -hard])
    got = minitorch.tensor(x, device=device).to("bfloat16").to("float64").numpy()
    assert got.tolist() == [nearest_bfloat16(value) for value in x]
    special = minitorch.tensor([np.nan, np.inf, -np.inf, 3.4e38], device=device)
    got = special.to("bfloat16").to("float64").numpy()
    np.testing.assert_array_equal(got, [np.nan, np.inf, -np.inf, np.inf])


def test_numpy_gets_bfloat16_in_a_type_that_holds_it():
    t = minitorch.tensor([1.5, -2.0, 1 / 3], dtype="bfloat16")
    array = t.numpy()
    try:
        import ml_dtypes
    except ImportError:
        assert array.dtype == np.float32
    else:
        assert array.dtype == ml_dtypes.bfloat16
        assert minitorch.tensor(array).dtype == "bfloat16"
    assert array.astype(float).tolist() == [1.5, -2.0, 0.333984375]
    assert repr(t).endswith("dtype=bfloat16)")


@pytest.mark.parametrize("device", DEVICES)
def test_every_pair_promotes_as_in_numpy(device):
    need(device)
    for left in NAMED:
        for right in NAMED:
            a = minitorch.ones(2, dtype=left, device=device)
            b = minitorch.ones(2, dtype=right, device=device)
            assert (a + b).numpy().dtype == np.result_type(left, right), (left, right)


@pytest.mark.parametrize("dtype", NAMED)
@pytest.mark.parametrize("number", [True, 2, 2.5])
@pytest.mark.parametrize("device", DEVICES)
def test_python_numbers_are_weak(dtype, number, device):
    need(device)
    x = sample(dtype)
    t = minitorch.tensor(x, device=device)
    for ours, expected in [(t * number, x * number), (number + t, number + x)]:
        assert ours.numpy().dtype == expected.dtype
        np.testing.assert_array_equal(ours.numpy(), expected)


INTEGER = ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "truediv"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("name", INTEGER)
def test_integers_compute_as_in_numpy(name, dtype, device):
    need(device)
    info = np.iinfo(dtype)
    values = [info.min, info.min + 1, 0, 1, 2, 3, 7, info.max - 1, info.max]
    if info.min < 0:
        values += [-1, -2, -7]
    a, b = np.meshgrid(np.array(values, dtype), np.array(values, dtype))
    fn = getattr(operator, name)
    got = fn(minitorch.tensor(a, device=device), minitorch.tensor(b, device=device))
    with np.errstate(all="ignore"):
        expected = fn(a, b)
    assert got.numpy().dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_integer_powers_stay_integers(device):
    need(device)
    x = np.array([0, 1, -2, 3], dtype="int32")
    t = minitorch.tensor(x, device=device)
    for exponent in (0, 1, 2, 5):
        got = t**exponent
        assert got.dtype == "int32"
        assert got.numpy().tolist() == (x**exponent).tolist()
    with pytest.raises(ValueError, match=r"\[pow\] got exponent -1 among int32; need"):
        t**-1
    assert abs((t.to("float64") ** -1).numpy()[3] - 1 / 3) < 1e-15


@pytest.mark.parametrize("device", DEVICES)
def test_truth_values_compute_as_in_numpy(device):
    need(device)
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    a, b = minitorch.tensor(x, device=device), minitorch.tensor(y, device=device)
    for fn in (operator.add, operator.mul, operator.and_, operator.or_, operator.xor):
        assert fn(a, b).dtype == "bool"
        assert fn(a, b).numpy().tolist() == fn(x, y).tolist()
    assert a.maximum(b).numpy().tolist() == (x | y).tolist()
    assert a.sum().numpy().tolist() == [2]
    assert a.sum().dtype == "int64"
    with pytest.raises(TypeError, match=r"\[sub\] got bool; need a number"):
        a - b
    with pytest.raises(TypeError, match=r"\[neg\] got bool; need a number"):
        a.neg()


def test_integers_too_large_for_the_dtype_are_refused():
    with pytest.raises(ValueError, match=r"\[add\] a tensor of uint8 cannot hold 300"):
        minitorch.zeros(2, dtype="uint8") + 300
    with pytest.raises(
        ValueError, match=r"\[mul\] a tensor of int64 cannot hold 1e\+20"
    ):
        minitorch.zeros(2, dtype="int64") * 10**20
    assert (minitorch.tensor(np.array([2**53])) + (2**53 + 1)).item() == 2**54 + 1
    # A comparison needs no room for the number.
    assert minitorch.tensor([1, 2], dtype="uint8").lt(300).numpy().all()
    with pytest.raises(TypeError, match=r"\[bitwise_and\] got float64; need integers"):
        minitorch.zeros(2) & 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_compute_in_float32_and_round_once(dtype, device):
    need(device)
    generator = np.random.default_rng(5)
    a = minitorch.tensor(generator.standard_normal((4, 5)), dtype=dtype, device=device)
    b = minitorch.tensor(generator.standard_normal((5, 3)), dtype=dtype, device=device)
    wide = a.to("float32").numpy(), b.to("float32").numpy()
    pairs = [
        (a @ b, wide[0] @ wide[1]),
        (a.exp(), np.exp(wide[0])),
        (a * a + 1, None),
        (a.sum(1), wide[0].sum(1, keepdims=True)),
        (a.amax(0), wide[0].max(0)),
    ]
    for got, reference in pairs:
        assert got.dtype == dtype
        if reference is None:
            continue
        exact = minitorch.tensor(reference).to(dtype).to("float32").numpy()
        ulp = 2.0 ** (-10 if dtype == "float16" else -7)
        np.testing.assert_allclose(got.to("float32").numpy(), exact, rtol=ulp)
    # 2048 + 1 + 1 … is 2048 in float16 steps, but not in a sum that rounds once.
    ones = minitorch.ones(4096, dtype=dtype, device=device)
    assert ones.sum().item() == 4096
    leaf = minitorch.tensor([1.5, -2.0], dtype=dtype, device=device, requires_grad=True)
    (leaf * leaf).sum().backward()
    assert leaf.grad.dtype == dtype
    assert leaf.grad.numpy().astype(float).tolist() == [3.0, -4.0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ALL)
def test_constructors_take_dtype_and_device(dtype, device):
    need(device)
    to = {"dtype": dtype, "device": device}
    made = [
        minitorch.zeros(2, **to),
        minitorch.ones(2, **to),
        minitorch.full((2,), 1, **to),
        minitorch.empty(2, **to),
        minitorch.arange(2, **to),
        minitorch.linspace(0, 1, 2, **to),
        minitorch.eye(2, **to),
        minitorch.randint(0, 2, (2,), **to),
        minitorch.tensor([0, 1], **to),
    ]
    made += [
        like(made[0])
        for like in (
            minitorch.zeros_like,
            minitorch.ones_like,
            minitorch.empty_like,
            lambda t: minitorch.full_like(t, 1),
        )
    ]
    if made[0].dtype.is_floating_point:
        made += [minitorch.rand(2, **to), minitorch.randn(2, **to)]
        made += [minitorch.rand_like(made[0]), minitorch.randn_like(made[0])]
    for t in made:
        assert (t.dtype, t.device, t.shape[0]) == (dtype, device, 2)


def test_ranges_say_what_they_cannot_make():
    for call, error, message in [
        (
            lambda: minitorch.arange(0, 1, 0),
            ValueError,
            r"\[arange\] step must not be 0",
        ),
        (lambda: minitorch.arange(0, np.inf), ValueError, r"\[arange\] got stop inf"),
        (lambda: minitorch.arange("a", 2), TypeError, r"\[arange\] got start 'a'"),
        (
            lambda: minitorch.randint(3, 3),
            ValueError,
            r"\[randint\] got low 3 and high 3",
        ),
        (lambda: minitorch.linspace(0, 1, -1), ValueError, "need sizes of 0 or more"),
        (lambda: minitorch.eye(-1), ValueError, "need sizes of 0 or more"),
        (
            lambda: minitorch.zeros([1] * 33),
            ValueError,
            r"got 33 dimensions; need at most",
        ),
    ]:
        with pytest.raises(error, match=message):
            call()
    np.testing.assert_array_equal(minitorch.linspace(0, 1, 11).numpy()[[0, -1]], [0, 1])
    assert minitorch.linspace(3, 9, 1).numpy().tolist() == [3]
    assert minitorch.eye(2, 3).numpy().tolist() == np.eye(2, 3).tolist()
