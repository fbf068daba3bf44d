"""The tests of fused functions: the same bits in one launch each way."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import cuda, fuse, override

ROW = np.random.default_rng(0).normal(size=(5, 8))


def tensor(numbers, dtype="float32", device="cuda"):
    made = minitorch.tensor(np.asarray(numbers, dtype), device=device)
    return made.to(dtype)


def pair(dtype="float32", requires_grad=False):
    a = np.abs(ROW) + 0.25
    a.flat[:4] = (0.5, 1.5, 2.0, 1.0)
    b = np.roll(a, 3) * 0.75
    return [tensor(each, dtype).requires_grad_(requires_grad) for each in (a, b)]


def bits(result):
    numbers = result.detach().numpy()
    return numbers.view(f"i{numbers.itemsize}").ravel().tolist()


ONE = """abs ceil cos erf exp floor log neg reciprocal relu round rsqrt sigmoid sign
silu sin sqrt tanh gelu"""

TWO = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: 2 - (a - b),
    "mul": lambda a, b: a * b * 0.1,
    "div": lambda a, b: 1 / (a / b),
    "floor_divide": lambda a, b: a // b + a * 0,
    "remainder": lambda a, b: a % b,
    "pow": lambda a, b: a**b + a**3 + 2**b,
    "square": lambda a, b: (a - b) ** 2,
    "maximum": lambda a, b: F.maximum(a, b) + a.maximum(1.0),
    "minimum": lambda a, b: F.minimum(a, b) * F.minimum(b, 0.75),
    "where": lambda a, b: F.where(a > b, a * a, b),
    "clamp": lambda a, b: a.clamp(0.5, 1.5) + F.clamp(b, 0.3) + F.clamp(b, max=0.5),
    "compare": lambda a, b: (a >= b) * a + (a == 1) * b + (b < 0.5),
    "used often": lambda a, b: (a + b) * a + (a + b).exp() * a - a,
    "products and sums": lambda a, b: a * b + a * 0.1 - b * b * a,
    "method then sum": lambda a, b: F.silu(a) + F.gelu(b) * F.tanh(a).sigmoid(),
}


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", [*ONE.split(), *TWO])
def test_results_and_gradients_are_the_ops_own_bit_for_bit(name, dtype):
    # The op's result goes on, so that nothing may be joined with what follows.
    function = TWO.get(name) or (lambda a, b: getattr(F, name)(a * b) * b + a)
    found = []
    for call in (function, fuse(function)):
        a, b = pair(dtype, requires_grad=True)
        result = call(a, b)
        result.backward(tensor(np.roll(ROW, 1), dtype))
        found.append([bits(each) for each in (result, a.grad, b.grad)])
    assert found[0] == found[1]


LIMITS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e30, 1e-30, 50.0, -900.0, np.inf, np.nan]


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a**b,
        lambda a, b: a**0 + a**0.5 + b**-1.0,
        lambda a, b: 0**a + 2**b + (-2) ** a,
        lambda a, b: a / b,
        lambda a, b: F.maximum(a, b) + F.minimum(a, 0.5),
        lambda a, b: a.clamp(0.5, 2.0) + F.clamp(b, max=0.0),
        lambda a, b: F.silu(a) + F.gelu(b),
    ],
    ids=["powers", "numbers", "bases", "quotient", "chosen", "clamp", "activations"],
)
def test_at_limits_gradients_are_the_ops_own_too(function, dtype):
    rows = np.meshgrid(LIMITS, LIMITS)
    found = []
    for call in (function, fuse(function)):
        a, b = (tensor(each, dtype).requires_grad_() for each in rows)
        result = call(a, b)
        result.backward(tensor(np.ones((12, 12)), dtype))
        found.append([each.detach().numpy() for each in (result, a.grad, b.grad)])
    for ours, fused in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, fused)


@pytest.mark.cuda
def test_the_report_counts_launches_and_sectors():
    y, b = tensor(np.ones((64, 8))), tensor(np.ones(8))
    report = fuse(lambda y, b: (y + b).relu()).report(y, b)
    (forward,) = report.parts
    assert forward.launches == (2, 1)
    # y 64 and b 16 read, 64 written; then 64 read and 64 written.
    assert forward.sectors == (272, 144)
    assert "launches 2 -> 1  sectors 272 -> 144" in str(report)


@pytest.mark.cuda
def test_the_report_has_the_gradient_where_one_is_asked_for():
    y = tensor(np.ones((64, 8))).requires_grad_()
    report = fuse(lambda y: (y * 2).relu()).report(y)
    assert [part.name for part in report.parts] == ["forward", "backward"]
    before, after = report.parts[1].launches
    assert before > after == 1
    assert y.grad is None


@pytest.mark.cuda
@pytest.mark.parametrize("shapes", [((4, 3), (3,)), ((4, 1), (1, 3)), ((2, 4, 3), ())])
def test_broadcast_arguments_get_gradients_of_their_shapes(shapes):
    random = np.random.default_rng(1)
    numbers = [random.normal(size=shape) for shape in shapes]

    def function(a, b):
        return (a + b) * b

    found = []
    for call in (function, fuse(function)):
        values = [tensor(each, "float64").requires_grad_() for each in numbers]
        result = call(*values)
        result.sum().backward()
        found.append([result.detach(), *(each.grad for each in values)])
    for one, other in zip(*found, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12)


@pytest.mark.cuda
def test_views_and_empty_tensors():
    a = tensor(ROW, "float64")
    double = fuse(lambda a: a * 2)
    np.testing.assert_array_equal(double(a.permute(1, 0)).numpy(), ROW.T * 2)
    assert double(tensor(np.zeros((0, 3)))).shape == (0, 3)
    assert double(tensor(3.0)).item() == 6.0


@pytest.mark.cuda
def test_the_gradients_are_right_and_have_gradients():
    a, b = pair("float64")
    fused = fuse(lambda a, b: (a * b).sigmoid() * a + b.log())
    minitorch.grad_check(fused, a, b)
    x = tensor([0.5, 2.0], "float64").requires_grad_()
    y = fuse(lambda x, same: x * same * x)(x, x)  # x³
    (first,) = minitorch.autograd.grad(y.sum(), [x], create_graph=True)
    first.sum().backward()
    np.testing.assert_allclose(first.detach().numpy(), 3 * x.detach().numpy() ** 2)
    np.testing.assert_allclose(x.grad.numpy(), 6 * x.detach().numpy())


@pytest.mark.cuda
def test_an_argument_that_is_not_used_is_left_out():
    a, b = tensor([1.0, 2.0]), tensor(np.ones((3, 1))).requires_grad_()
    result = fuse(lambda a, b: a * 2)(a, b)
    assert (result.shape, result.requires_grad) == ((2,), False)


def test_on_cpu_the_function_runs():
    calls = []

    @fuse
    def double(a):
        """Twice."""
        calls.append(type(a).__name__)
        return a * 2

    assert double(minitorch.tensor([1.0])).item() == 2.0
    assert calls == ["Value", "Tensor"]
    assert (double.__name__, double.__doc__) == ("double", "Twice.")


@pytest.mark.cuda
def test_numbers_are_part_of_the_kernel():
    scaled = fuse(lambda a, by, twice: a * by * (2 if twice else 1))
    a = tensor([1.0, 2.0])
    assert scaled(a, 3, True).numpy().tolist() == [6.0, 12.0]
    assert scaled(a, 0.5, False).numpy().tolist() == [0.5, 1.0]
    odd = fuse(lambda a, by: a * by)
    assert np.isposinf(odd(a, float("inf")).numpy()).all()
    assert not np.signbit(odd(a, 0.0).numpy()).any()
    assert np.signbit(odd(a, -0.0).numpy()).all()


@pytest.mark.cuda
def test_parameters_and_layers_are_taken():
    weight = minitorch.nn.Parameter(tensor([2.0]))
    activation = minitorch.nn.ReLU()
    fused = fuse(lambda a, w: activation(a * w))
    result = fused(tensor([-1.0, 3.0]), weight)
    result.sum().backward()
    assert result.detach().numpy().tolist() == [0.0, 6.0]
    assert weight.grad.numpy().tolist() == [3.0]


@pytest.mark.cuda
def test_a_module_is_a_function_too():
    net = minitorch.nn.Sequential(minitorch.nn.ReLU(), minitorch.nn.Sigmoid())
    a = tensor(ROW)
    assert bits(fuse(net)(a)) == bits(net(a))
    assert bits(fuse(lambda a: a)(a)) == bits(a)


@pytest.mark.cuda
def test_an_override_of_its_ops_is_met():
    double = fuse(lambda a: a.relu() ** 2)
    x = tensor([-1.0, 3.0])
    with override("relu", lambda relu, x: -relu(x) - 1):
        assert double(x).numpy().tolist() == [1.0, 16.0]
    with override("pow", lambda pow, x, n: x):
        assert double(x).numpy().tolist() == [0.0, 3.0]
    with override("exp", lambda exp, x: x), cuda.inspect(library=True) as run:
        assert double(x).numpy().tolist() == [0.0, 9.0]
    assert len(run.launches) == 1


# Mistakes.

OUTSIDE = minitorch.tensor([1.0])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda a: F.softmax(a), "softmax"),
        (lambda a: a.sum(), r"\.sum of a tensor"),
        (lambda a: a @ a, "@ of a tensor"),
        (lambda a: a[0], "indexing of a tensor"),
        (lambda a: a * a.shape[0], r"\.shape of a tensor"),
        (lambda a: a if a > 0 else -a, "a branch on a tensor's value"),
        (lambda a: a * float(a), r"float\(\) of a tensor"),
        (lambda a: a + len(a), r"len\(\) of a tensor"),
        (lambda a: a + sum(a), "a loop over a tensor"),
        (lambda a: a + OUTSIDE, "add of a tensor that is not an argument"),
        (lambda a: OUTSIDE * a, "mul of a tensor that is not an argument"),
        (lambda a: a + "1", "add with an operand of type str"),
        (lambda a: a + np.ones(2), "add with an operand of type ndarray"),
        (lambda a: F.gelu(a, "tanh"), "gelu with approximate other"),
        (lambda a: F.cat([a, a]), "cat"),
        (lambda a: F.clamp(a), "clamp without limits"),
        (lambda a: a.clamp(0, a), "clamp with a tensor as a limit"),
        (lambda a: a.numpy(), r"\.numpy of a tensor"),
    ],
)
def test_another_op_is_an_error_with_its_line(function, what):
    line = function.__code__.co_firstlineno
    with pytest.raises(
        TypeError, match=rf"\[fuse\] cannot fuse {what}.* test_fuse.py:{line}"
    ):
        fuse(function)(minitorch.tensor([1.0]))


def test_an_in_place_op_is_an_error():
    def change(a):
        a += 1
        return a

    with pytest.raises(TypeError, match="add in place, which changes a tensor"):
        fuse(change)(minitorch.tensor([1.0]))


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        ((1.0, 2.0), TypeError, "got no tensor"),
        (
            (OUTSIDE, OUTSIDE.long()),
            TypeError,
            "got tensors of float64, int64; all must",
        ),
        ((OUTSIDE.bfloat16(), 1), TypeError, "got tensors of bfloat16; all .*one of"),
        ((OUTSIDE, [1]), TypeError, "hashable values"),
    ],
)
def test_arguments_must_fit(args, kind, message):
    with pytest.raises(kind, match=message):
        fuse(lambda a, b: a + b)(*args)


@pytest.mark.cuda
def test_tensors_must_go_together():
    add = fuse(lambda a, b: a + b)
    with pytest.raises(
        ValueError, match=r"shapes \(2,\) and \(3,\) cannot be broadcast"
    ):
        add(tensor([1.0, 2.0]), tensor([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="got tensors on cpu and cuda; all must"):
        add(tensor([1.0]), tensor([1.0], device="cpu"))


@pytest.mark.parametrize("result", [None, 3.0, (1, 2)])
def test_the_result_is_one_tensor(result):
    with pytest.raises(TypeError, match=f"fused returned {type(result).__name__}"):
        fuse(lambda a: result)(OUTSIDE)


def test_fuse_needs_a_function():
    with pytest.raises(TypeError, match="got 3; need a function"):
        fuse(3)


def test_an_error_of_the_function_is_its_own():
    with pytest.raises(ZeroDivisionError):
        fuse(lambda a: a * (1 // 0))(OUTSIDE)
    assert OUTSIDE.relu().item() == 1.0
