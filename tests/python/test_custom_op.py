"""The tests of operators made of a user's own forward and backward."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
from minitorch import autograd, cuda

GELU = """
template <class T>
__global__ void gelu(const T* x, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * normcdf(double(x[i]));
}
template <class T>
__global__ void gelu_back(const T* gradient, const T* x, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double density = 0.3989422804014327 * exp(-0.5 * x[i] * x[i]);
  out[i] = gradient[i] * (normcdf(double(x[i])) + x[i] * density);
}"""


@pytest.fixture(scope="module")
def gelu():
    names = ("gelu<double>", "gelu_back<double>")
    module = cuda.RawModule(code=GELU, name_expressions=names)
    ahead, back = (module.get_function(name) for name in names)

    def forward(x):
        out = minitorch.empty_like(x)
        ahead[-(-x.size // 64), 64](x, out, x.size)
        return out

    def backward(gradient, x):
        out = minitorch.empty_like(x)
        back[-(-x.size // 64), 64](gradient.contiguous(), x, out, x.size)
        return out

    def on_cpu(x):
        found = [v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x.numpy().flat]
        return minitorch.tensor(np.reshape(found, x.shape))

    def back_on_cpu(gradient, x):
        host = x.numpy()
        cdf = np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in host.flat])
        density = np.exp(-0.5 * host**2) / math.sqrt(2 * math.pi)
        slope = cdf.reshape(host.shape) + host * density
        return minitorch.tensor(gradient.numpy() * slope)

    return minitorch.custom_op(
        forward={"cpu": on_cpu, "cuda": forward},
        backward={"cpu": back_on_cpu, "cuda": backward},
        name="gelu",
    )


def square():
    return minitorch.custom_op(
        forward=lambda x: x * x, backward=lambda g, x: 2 * g * x, name="square"
    )


class TestKernels:
    @pytest.mark.cuda
    @pytest.mark.parametrize("device", ["cpu", "cuda"])
    def test_gradient_check(self, gelu, device):
        minitorch.grad_check(gelu, minitorch.randn(5, 7).to(device))

    @pytest.mark.cuda
    @pytest.mark.parametrize("device", ["cpu", "cuda"])
    def test_values(self, gelu, device):
        x = minitorch.tensor([-1.0, 0.0, 2.0]).to(device)
        expected = [v * 0.5 * (1 + math.erf(v / 2**0.5)) for v in (-1.0, 0.0, 2.0)]
        np.testing.assert_allclose(gelu(x).numpy(), expected, rtol=1e-12)

    @pytest.mark.cuda
    def test_gradient_of_a_kernels_gradient_is_an_error(self, gelu):
        x = minitorch.randn(3).to("cuda").requires_grad_()
        with pytest.raises(RuntimeError, match="which is not recorded"):
            autograd.grad(gelu(x).sum(), [x], create_graph=True)

    @pytest.mark.cuda
    def test_backward_recorded_in_part_is_an_error(self):
        """Its dependence on the gradient is recorded, that on x is not."""
        slope = cuda.ElementwiseKernel("float64 x", "float64 y", "y = 2 * x", "slope")
        op = minitorch.custom_op(lambda x: x * x, lambda g, x: g * slope(x))
        x = minitorch.tensor([3.0]).to("cuda").requires_grad_()
        op(x).backward()
        assert x.grad.item() == 6.0
        with pytest.raises(RuntimeError, match="which is not recorded"):
            autograd.grad(op(x), [x], create_graph=True)


class TestForms:
    def test_name_and_repr(self):
        def softplus(x):
            """log(1 + exp(x))"""
            return (1 + x.exp()).log()

        op = minitorch.custom_op(softplus, lambda g, x: g * x.sigmoid())
        assert (op.__name__, op.__doc__) == ("softplus", "log(1 + exp(x))")
        assert repr(op) == "custom_op(softplus)"
        minitorch.grad_check(op, minitorch.randn(3))

    def test_decorator(self):
        @minitorch.custom_op(backward=lambda g, x, k: (g * k, None))
        def scaled(x, k):
            return x * k

        x = minitorch.ones(2, requires_grad=True)
        scaled(x, 3).sum().backward()
        assert x.grad.numpy().tolist() == [3.0, 3.0]

    def test_a_gradient_for_each_tensor_is_enough(self):
        op = minitorch.custom_op(
            lambda a, k, b: a * k + b, lambda g, a, k, b: (g * k, g)
        )
        a, b = (minitorch.ones(2, requires_grad=True) for _ in range(2))
        op(a, 5, b).sum().backward()
        assert a.grad.numpy().tolist() == [5.0, 5.0]
        assert b.grad.numpy().tolist() == [1.0, 1.0]

    def test_forward_gets_tensors_without_history_and_records_nothing(self):
        seen = []

        def forward(x):
            seen.append((x.requires_grad, minitorch.is_grad_enabled()))
            return x + 0

        x = minitorch.ones(2, requires_grad=True)
        minitorch.custom_op(forward, lambda g, x: g)(x * 2)
        assert seen == [(False, False)]

    def test_without_gradients_nothing_is_recorded(self):
        assert not square()(minitorch.ones(2)).requires_grad
        with minitorch.no_grad():
            assert not square()(minitorch.ones(2, requires_grad=True)).requires_grad

    def test_none_is_a_gradient_of_zero(self):
        op = minitorch.custom_op(lambda a, b: a + 0 * b, lambda g, a, b: (g, None))
        a, b = (minitorch.ones(2, requires_grad=True) for _ in range(2))
        op(a, b).sum().backward()
        assert a.grad.numpy().tolist() == [1.0, 1.0]
        assert b.grad is None or not b.grad.numpy().any()


class TestSecondDerivatives:
    def test_square(self):
        x = minitorch.tensor([3.0, -1.0], requires_grad=True)
        (first,) = autograd.grad(square()(x).sum(), [x], create_graph=True)
        (second,) = autograd.grad((first * first).sum(), [x])
        np.testing.assert_allclose(second.numpy(), 8 * x.detach().numpy())


class TestMistakes:
    @pytest.mark.parametrize(
        ("result", "words"),
        [
            (lambda x: 3.0, "forward returned float"),
            (lambda x: None, "forward returned NoneType"),
            (lambda x: (x, x), "one operator for each output"),
            (lambda x: x.numpy(), "forward returned ndarray"),
        ],
    )
    def test_forward_returns_no_tensor(self, result, words):
        with pytest.raises(TypeError, match=words):
            minitorch.custom_op(result, name="f")(minitorch.ones(2))

    @pytest.mark.parametrize(
        ("result", "error", "words"),
        [
            (
                lambda g, x: (g, g),
                ValueError,
                r"\[f\] .* per argument \(1\), but returned 2",
            ),
            (lambda g, x: (), ValueError, "but returned 0"),
            (lambda g, x: 3.0, TypeError, "argument 1 has type float"),
            (
                lambda g, x: g.sum(),
                ValueError,
                r"shape \(1,\), but the argument has \(2,\)",
            ),
            (
                lambda g, x: g.to("float32"),
                ValueError,
                "float32, but the argument has .*float64",
            ),
        ],
    )
    def test_backward_returns_something_else(self, result, error, words):
        op = minitorch.custom_op(lambda x: x * 2, result, name="f")
        with pytest.raises(error, match=words):
            op(minitorch.ones(2, requires_grad=True)).sum().backward()

    def test_gradient_of_what_is_no_tensor(self):
        op = minitorch.custom_op(lambda x, k: x * k, lambda g, x, k: (g, g), name="f")
        with pytest.raises(TypeError, match="argument 2 must be None"):
            op(minitorch.ones(2, requires_grad=True), 2).sum().backward()

    def test_no_backward(self):
        op = minitorch.custom_op(lambda x: x.floor(), name="floor")
        y = op(minitorch.tensor([1.5], requires_grad=True))
        assert y.item() == 1.0
        with pytest.raises(RuntimeError, match=r"\[floor\].*has no backward"):
            y.backward()

    def test_wrong_devices(self):
        with pytest.raises(ValueError, match="device 'gpu'"):
            minitorch.custom_op({"gpu": lambda x: x})
        with pytest.raises(ValueError, match="an empty forward"):
            minitorch.custom_op({})
        op = minitorch.custom_op({"cuda": lambda x: x}, name="f")
        with pytest.raises(ValueError, match=r"on cpu, but its forward is for cuda"):
            op(minitorch.ones(2))
        with pytest.raises(ValueError, match="no device"):
            op(3)

    @pytest.mark.cuda
    def test_a_kernel_is_launched_by_a_function(self):
        kernel = cuda.RawKernel("__global__ void k(float* x) {}", "k")
        with pytest.raises(TypeError, match="function of tensors that launches it"):
            minitorch.custom_op(forward=kernel)
