"""The tests of overrides: who meets them, how they nest and how they go back."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import _core, cuda, nn, override
from minitorch.tensors import op_calls

from .source_tree import ROOT

KERNELS = ROOT / "cpp" / "kernels"


def swapped(file, *changes):
    """The library's text with each `old` as `new`, which it has once."""
    text = (KERNELS / file).read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def negated(relu, x):
    return -relu(x)


@pytest.fixture
def x():
    return minitorch.tensor([-2.0, 3.0])


def test_whoever_calls_the_op_meets_it(x):
    layers = [
        nn.ReLU(),
        F.relu,
        minitorch.relu,
        nn.functional.relu,
        minitorch.Tensor.relu,
    ]
    with override("relu", negated):
        found = [layer(x).numpy().tolist() for layer in layers]
    assert found == [[0.0, -3.0]] * len(layers)
    assert x.relu().numpy().tolist() == [0.0, 3.0]


def test_operators_keep_the_order_of_their_sides(x):
    with override("sub", lambda sub, a, b: sub(b, a)):
        assert (10 - x).numpy().tolist() == [-12.0, -7.0]
        assert (x - 10).numpy().tolist() == [12.0, 7.0]
        assert (x - minitorch.tensor([1.0, 1.0])).numpy().tolist() == [3.0, -2.0]
    assert (10 - x).numpy().tolist() == [12.0, 7.0]


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("matmul", lambda a: a @ a),
        ("lt", lambda a: a < 1),
        ("maximum", lambda a: F.maximum(a, 1.0)),
        ("sum", lambda a: a.sum(0)),
        ("gather", lambda a: a.gather(0, minitorch.zeros(2, 2).long())),
        ("log_softmax", lambda a: F.log_softmax(a)),
        ("cat", lambda a: F.cat([a, a])),
        ("linear", nn.Linear(2, 3)),
        ("cross_entropy", lambda a: nn.CrossEntropyLoss()(a, F.argmax(a, 1))),
    ],
)
def test_each_way_to_an_op(op, call):
    a = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]])
    seven = minitorch.tensor([7.0])
    with override(op, lambda original, *args: seven):
        assert call(a) is seven
    plain = call(a)
    assert plain is not seven
    with override(op, lambda original, *args: original(*args)):
        np.testing.assert_array_equal(call(a).numpy(), plain.numpy())


def test_forward_gets_all_arguments_in_order():
    got = []

    def seen(conv2d, *args):
        got.append(args[2:])
        return conv2d(*args)

    image, weight = minitorch.ones(1, 1, 3, 3), minitorch.ones(1, 1, 2, 2)
    with override("conv2d", seen):
        F.conv2d(image, weight, padding=1)
    assert got == [(None, 1, 1, 1, 1)]


def test_the_inner_one_runs_first_and_its_original_is_the_outer(x):
    def plus_one(relu, x):
        return relu(x) + 1

    def doubled(relu, x):
        return relu(x) * 2

    with override("relu", plus_one), override("relu", doubled):
        assert x.relu().numpy().tolist() == [2.0, 8.0]
    with override("relu", doubled), override("relu", plus_one):
        assert x.relu().numpy().tolist() == [1.0, 7.0]


def test_inside_it_the_op_is_the_librarys(x):
    with override("relu", lambda original, x: F.relu(x) + 1):
        assert x.relu().numpy().tolist() == [1.0, 4.0]


def test_it_is_of_its_thread(x):
    found = []
    with override("relu", negated):
        other = threading.Thread(target=lambda: found.append(x.relu().numpy()))
        other.start()
        other.join()
    assert found[0].tolist() == [0.0, 3.0]


def test_an_error_inside_closes_it(x):
    def broken(relu, x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), override("relu", broken):
        x.relu()
    assert not op_calls.open_overrides
    assert x.relu().numpy().tolist() == [0.0, 3.0]


# Going back.


def test_its_backward_counts_wherever_it_is_called():
    x = minitorch.tensor([-2.0, 3.0], requires_grad=True)
    seven = override("relu", lambda relu, x: relu(x), lambda g, x: g * 7)
    with seven:
        inside = x.relu()
    inside.sum().backward()
    assert x.grad.numpy().tolist() == [7.0, 7.0]
    x.grad = None
    outside = x.relu()
    with seven:
        outside.sum().backward()
    assert x.grad.numpy().tolist() == [0.0, 1.0]


def test_a_backward_pass_overrides_nothing():
    x = minitorch.tensor([2.0], requires_grad=True)
    square = minitorch.custom_op(lambda x: x * x, lambda g, x: g * 2 * x)
    with override("mul", lambda mul, a, b: mul(a, b) + 100):
        y = square(x)
        y.backward()
    assert (y.item(), x.grad.item()) == (104.0, 4.0)


def test_backward_gives_the_gradient_of_extra_parameters():
    x = minitorch.tensor([-2.0, 3.0], requires_grad=True)
    slope = minitorch.tensor([0.5], requires_grad=True)

    def forward(relu, x, slope):
        return relu(x) - slope * relu(-x)

    def backward(g, x, slope):
        below = (x < 0) * 1.0
        return g * (1 - below + slope * below), (g * x * below).sum()

    with override("relu", forward, backward, extra_parameters={"slope": slope}):
        minitorch.grad_check(lambda a: a.relu(), minitorch.tensor([-1.5, 2.5]))
        slope.grad = None  # of the check
        y = x.relu()
    y.sum().backward()
    assert x.grad.numpy().tolist() == [0.5, 1.0]
    assert slope.grad.numpy().tolist() == [-2.0]


# Batch norm with a learned blend: lam * bn(x) + (1 - lam) * x.


def blended(batch_norm, x, *rest, lam):
    return lam * batch_norm(x, *rest) + (1 - lam) * x


@pytest.mark.parametrize(
    "device", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
)
@pytest.mark.parametrize("training", [False, True])
def test_a_blended_batch_norm_has_its_gradients(device, training):
    numbers = np.random.default_rng(0).normal(size=(4, 2, 3))
    x = minitorch.tensor(numbers, device=device)
    mean, var = minitorch.zeros(2, device=device), minitorch.ones(2, device=device)

    def call(x, lam):
        with override("batch_norm", blended, extra_parameters={"lam": lam}):
            return F.batch_norm(x, mean, var, training=training)

    lam = minitorch.tensor([0.25], device=device)
    minitorch.grad_check(call, x, lam)
    middle = numbers.mean((0, 2), keepdims=True) if training else 0
    spread = numbers.var((0, 2), keepdims=True) if training else 1
    normal = (numbers - middle) / np.sqrt(spread + 1e-5)
    mean.zero_()
    var.fill_(1)
    np.testing.assert_allclose(
        call(x, lam).numpy(), 0.25 * normal + 0.75 * numbers, rtol=1e-12, atol=1e-12
    )


def test_only_takes_a_predicate_of_name_and_module():
    net = nn.Sequential(nn.ReLU(), nn.Sequential(nn.ReLU()))
    met = []

    def first(name, module):
        met.append((name, type(module).__name__))
        return name == "0"

    with override("relu", negated, only=first):
        assert net(minitorch.tensor([3.0])).item() == 0.0  # relu(-3)
        assert minitorch.tensor([3.0]).relu().item() == 3.0  # in no module
    assert met == [("0", "ReLU"), ("1.0", "ReLU")]


# Other kernels.

NORMALISE = (
    ("Index inner, Scalar epsilon)", "Index inner, Scalar epsilon, const Scalar lam)"),
    (
        "static_cast<Source>(value)",
        "static_cast<Source>(lam * value + (1 - lam) * static_cast<Scalar>(x[at]))",
    ),
)


@pytest.fixture
def channels():
    numbers = np.random.default_rng(0).normal(size=(2, 3, 4))
    x = minitorch.tensor(numbers, device="cuda")
    return (
        x,
        minitorch.zeros(3, device="cuda"),
        minitorch.full((3,), 4.0, device="cuda"),
    )


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_a_kernel_takes_an_array_more(channels, dtype):
    x, mean, var = (each.to(dtype) for each in channels)
    each = ("(lam * value + (1 - lam) *", "(lam[group] * value + (1 - lam[group]) *")
    declared = ("const Scalar lam)", "const Source* lam)")
    text = swapped("normalise.cu", *NORMALISE).replace(*declared).replace(*each)
    text = text.replace("lam[group]", "static_cast<Scalar>(lam[group])")
    lam = minitorch.tensor([0.0, 0.5, 1.0], device="cuda").to(dtype)
    with override(
        "batch_norm", kernels={"normalise.cu": text}, extra_parameters={"lam": lam}
    ):
        found = F.batch_norm(x, mean, var).numpy()
    blend = np.array([0.0, 0.5, 1.0])[:, None]
    numbers = x.numpy().astype(float)
    expected = blend * numbers / np.sqrt(4 + 1e-5) + (1 - blend) * numbers
    np.testing.assert_allclose(
        found, expected, rtol=1e-2 if dtype == "float16" else 1e-6
    )


@pytest.mark.cuda
def test_gradients_take_the_kernels_under_which_they_were_recorded():
    text = swapped("conv2d_grad_weight.cu", ("dw[cell] = ", "dw[cell] = 2 * "))
    image = minitorch.ones(1, 1, 3, 3, device="cuda")
    weight = minitorch.ones(1, 1, 2, 2, device="cuda").requires_grad_()
    own = override("conv2d", kernels={"conv2d_grad_weight.cu": text})
    with own:
        inside = nn.functional.conv2d(image, weight)
    outside = F.conv2d(image, weight)
    inside.sum().backward()
    assert weight.grad.numpy().ravel().tolist() == [8.0] * 4
    weight.grad = None
    with own:
        outside.sum().backward()
    assert weight.grad.numpy().ravel().tolist() == [4.0] * 4


@pytest.mark.cuda
def test_an_inspection_shows_the_text_that_ran():
    if not cuda.is_emulated():
        pytest.skip("needs the emulator")
    x = minitorch.tensor([-1.0, 2.0], device="cuda")
    with (
        cuda.inspect(library=True) as run,
        override("relu", kernels={"map.cu": lambda text: text + "// mine\n"}),
    ):
        x.relu()
    (launch,) = run.launches
    assert launch.kernel == "map"
    assert "// mine" in str(launch.source)


@pytest.mark.cuda
def test_methods_and_operators_take_other_kernels():
    x = minitorch.tensor([1.0, 2.0], device="cuda")
    text = swapped("zip.cu", ("Fn()(left, right)", "Fn()(left, right) + 100"))
    with override("add", kernels={"zip.cu": text}):
        assert (x + x).numpy().tolist() == [102.0, 104.0]
        assert (x * x).numpy().tolist() == [1.0, 4.0]
    assert (x + x).numpy().tolist() == [2.0, 4.0]


@pytest.mark.cuda
def test_nested_kernels_of_two_files_hold_together():
    a = minitorch.tensor([1.0, 2.0], device="cuda")
    zipped = swapped("zip.cu", ("Fn()(left, right)", "Fn()(left, right) + 100"))
    mapped = swapped("map.cu", ("Fn()(in", "10 * Fn()(in"))

    def both(add, a, b):
        return add(a, b).relu()

    with (
        override("add", kernels={"zip.cu": zipped}),
        override("add", both, kernels={"map.cu": mapped}),
    ):
        assert (a + a).numpy().tolist() == [1020.0, 1040.0]


@pytest.mark.cuda
def test_a_backward_gives_what_a_kernel_cannot(channels):
    x, mean, var = channels
    lam = minitorch.tensor([0.25], device="cuda", requires_grad=True)
    text = swapped("normalise.cu", *NORMALISE).replace("Scalar lam", "Scalar* lam")
    text = text.replace("(lam * value + (1 - lam)", "(lam[0] * value + (1 - lam[0])")

    def backward(g, x, mean, var, *rest_and_lam, lam):
        normal = x / (4 + 1e-5) ** 0.5
        of_x = g * (lam / (4 + 1e-5) ** 0.5 + 1 - lam)
        return of_x, None, None, None, None, None, None, None, (g * (normal - x)).sum()

    with override(
        "batch_norm",
        backward=backward,
        kernels={"normalise.cu": text},
        extra_parameters={"lam": lam},
    ):
        minitorch.grad_check(lambda x: F.batch_norm(x, mean, var), x)
        lam.grad = None  # of the check
        F.batch_norm(x, mean, var).sum().backward()
    numbers = x.numpy()
    expected = (numbers / np.sqrt(4 + 1e-5) - numbers).sum()
    np.testing.assert_allclose(lam.grad.numpy(), [expected], rtol=1e-9)


@pytest.mark.cuda
def test_a_text_that_does_not_compile_leaves_the_librarys(channels):
    x, mean, var = channels
    text = swapped("normalise.cu", ("static_cast<Source>(value)", "valu"))
    with (
        pytest.raises(cuda.CompileError, match=r"normalise.cu\(33\).*valu"),
        override("batch_norm", kernels={"normalise.cu": text}),
    ):
        F.batch_norm(x, mean, var)
    assert F.batch_norm(x, mean, var).numpy().shape == (2, 3, 4)


# Mistakes.


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("conv",), ValueError, r"got op 'conv'; need one of .*conv2d"),
        ((F.relu,), TypeError, r"need a name"),
        (("relu",), ValueError, r"neither forward nor kernels for 'relu'"),
        (("relu", 3), TypeError, r"got forward=3; need a function"),
        (("relu", negated, 3), TypeError, r"got backward=3; need a function"),
    ],
)
def test_mistakes_in_what_it_is_given(arguments, kind, message):
    with pytest.raises(kind, match=message):
        override(*arguments)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"only": 3}, TypeError, "got only=3; need a name pattern"),
        ({"kernels": "text"}, TypeError, "got kernels='text'; need a dict"),
        ({"kernels": {"map.cu": 3}}, TypeError, "source of map.cu is of type int"),
        (
            {"kernels": {"map.cu": lambda text: None}},
            TypeError,
            "source of map.cu is of type NoneType",
        ),
        (
            {"kernels": {"relu.cu": lambda text: text}},
            ValueError,
            "got file 'relu.cu'; need one of .*map.cu",
        ),
        ({"kernels": {"relu.cu": ""}}, ValueError, "'relu.cu'; need one of .*map.cu"),
        ({"kernels": {"map.cu": ""}}, ValueError, "with the kernels none; need extern"),
        (
            {"kernels": {"map.cu": 'extern "C" __global__ void map(float* out) {}'}},
            ValueError,
            "with the parameters out; need those of the library, out, in, shape",
        ),
        (
            {"kernels": {"map.cu": lambda text: text.replace("Shape shape", "int n")}},
            ValueError,
            "parameter 3 'int n'; need 'Shape shape', as the library's",
        ),
        (
            {"extra_parameters": {"lam": 1}},
            ValueError,
            r"extra_parameters \['lam'\]; .* forward \(it has relu, x",
        ),
        ({"extra_parameters": [1]}, TypeError, "need a dict with string keys"),
    ],
)
def test_mistakes_in_its_options(options, kind, message):
    with pytest.raises(kind, match=message):
        override("relu", negated, **options)


def test_a_kernel_says_which_extra_parameters_it_lacks():
    text = swapped("normalise.cu", *NORMALISE)
    with pytest.raises(ValueError, match=r"parameter 'lam' after those .* has mu"):
        override(
            "batch_norm", kernels={"normalise.cu": text}, extra_parameters={"mu": 1}
        )
    own = swapped("normalise.cu")
    with pytest.raises(
        ValueError, match=r"nothing uses extra_parameters \['lam'\]; need .* a kernel"
    ):
        override(
            "batch_norm", kernels={"normalise.cu": own}, extra_parameters={"lam": 1}
        )


def test_forward_says_what_it_needs():
    with pytest.raises(ValueError, match="needs lam, but extra_parameters has none"):
        override("batch_norm", blended)


@pytest.mark.parametrize(
    ("forward", "kind", "message"),
    [
        (lambda relu, x: None, TypeError, "forward of 'relu' returned None"),
        (lambda relu, x: 3, TypeError, "forward of 'relu' returned int"),
        (lambda relu: 3, TypeError, "positional argument"),
    ],
)
def test_a_forward_gives_a_tensor(x, forward, kind, message):
    with pytest.raises(kind, match=message), override("relu", forward):
        x.relu()


def test_a_block_ends_on_its_thread(x):
    own = override("relu", negated)
    with own:
        caught = []

        def end():
            try:
                own.__exit__(None, None, None)
            except RuntimeError as error:
                caught.append(str(error))

        other = threading.Thread(target=end)
        other.start()
        other.join()
        assert "on a thread where it is not active" in caught[0]
        assert x.relu().numpy().tolist() == [0.0, -3.0]
    assert x.relu().numpy().tolist() == [0.0, 3.0]


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("0.5", TypeError, "got str for 'lam'; need a number"),
        (lambda module: module.lam, ValueError, "called outside of any module"),
    ],
)
def test_mistakes_in_the_value_of_an_extra_parameter(x, value, kind, message):
    own = override("relu", lambda relu, x, lam: x, extra_parameters={"lam": value})
    with pytest.raises(kind, match=message), own:
        x.relu()


def test_a_module_without_the_parameter_is_named(x):
    own = override(
        "relu", lambda relu, x, lam: x, extra_parameters={"lam": lambda m: m.lam}
    )
    net = nn.Sequential(nn.ReLU())
    with (
        pytest.raises(
            AttributeError, match=r"module '0' \(ReLU\) has no value for 'lam'"
        ),
        own,
    ):
        net(x)


def test_a_pattern_that_meets_no_module_is_an_error(x):
    net = nn.Sequential(nn.ReLU())
    with (
        pytest.raises(
            ValueError, match=r"no module matches only='layer1'; .* called in '0'"
        ),
        override("relu", negated, only="layer1"),
    ):
        net(x)


def test_kernels_are_for_cuda(x):
    own = override("relu", kernels={"map.cu": swapped("map.cu")})
    with (
        pytest.raises(ValueError, match="'relu' got tensors on cpu, but kernels="),
        own,
    ):
        x.relu()


@pytest.mark.cuda
def test_a_kernels_parameter_must_fit_its_type(channels):
    x, mean, var = channels
    text = swapped("normalise.cu", *NORMALISE)
    lam = minitorch.tensor([0.5], device="cuda")
    kinds = [
        (text, lam, TypeError, "got a tensor for 'lam' .* need a number"),
        (text.replace("Scalar lam", "Scalar* lam"), 0.5, TypeError, "need a tensor"),
        (text.replace("Scalar lam", "Shape lam"), 0.5, TypeError, "of type Shape"),
        (text.replace("Scalar lam", "int lam"), 0.5, TypeError, "need a whole number"),
        (
            text.replace("Scalar lam", "int* lam"),
            lam,
            ValueError,
            "float64 on cuda; need one of int32",
        ),
        (
            text.replace("Scalar lam", "Scalar* lam"),
            lam.cpu(),
            ValueError,
            "on cpu; need one of float64 on cuda",
        ),
    ]
    for wrong, value, kind, message in kinds:
        own = override(
            "batch_norm",
            kernels={"normalise.cu": wrong},
            extra_parameters={"lam": value},
        )
        with pytest.raises(kind, match=message), own:
            F.batch_norm(x, mean, var)


@pytest.mark.cuda
def test_a_kernel_does_not_lose_a_gradient_silently(channels):
    x, mean, var = channels
    text = swapped("normalise.cu", *NORMALISE).replace("Scalar lam", "Scalar* lam")
    lam = minitorch.tensor([0.5], device="cuda", requires_grad=True)
    own = override(
        "batch_norm", kernels={"normalise.cu": text}, extra_parameters={"lam": lam}
    )
    with pytest.raises(RuntimeError, match="'lam' requires a gradient"), own:
        F.batch_norm(x, mean, var)


def test_every_name_is_a_function_of_ours_or_a_method():
    for name in op_calls.names():
        assert hasattr(F, name) or name in _core.overridable()


def test_a_backward_sees_no_lists(x):
    own = override("cat", lambda cat, *args: cat(*args), lambda g, *args: g)
    with pytest.raises(TypeError, match="'cat' takes a list of tensors"), own:
        F.cat([x, x])
