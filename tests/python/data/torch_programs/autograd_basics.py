"""Tensors and gradients from the ground up: by hand, by autograd, by modules."""

import math

import torch


def by_hand():
    """A cubic that follows the sine, with gradients written out."""
    x = torch.linspace(-math.pi, math.pi, 200, dtype=torch.float)
    y = torch.sin(x)
    a, b, c, d = torch.tensor([0.1, -0.2, 0.3, 0.0])
    for _ in range(200):
        slope = 2.0 * (a + b * x + c * x**2 + d * x**3 - y)
        for power, factor in enumerate((a, b, c, d)):
            factor -= 1e-5 * (slope * x**power).sum()
    print(f"by hand: {a.item():.4f} {b.item():.4f} {c.item():.4f} {d.item():.4f}")


def by_autograd():
    x = torch.linspace(-math.pi, math.pi, 200)
    y = torch.sin(x)
    a = torch.tensor(0.1, requires_grad=True)
    b = torch.full((), -0.2, requires_grad=True)
    c = torch.full((), 0.3, requires_grad=True)
    d = torch.zeros((), requires_grad=True)
    for _ in range(200):
        loss = (a + b * x + c * x**2 + d * x**3 - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (a, b, c, d):
                p -= 1e-5 * p.grad
                p.grad = None
    print(f"by autograd: {a.item():.4f} {b.item():.4f} {c.item():.4f} {d.item():.4f}")
    print(f"loss: {loss.item():.3f}")


class HalfCube(torch.autograd.Function):
    """x^3 / 2 with its gradient written by hand."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 1.5 * x**2


class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor(0.5))
        self.b = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.a + self.b * HalfCube.apply(x)

    def string(self):
        return f"y = {self.a.item():.3f} + {self.b.item():.3f} x^3 / 2"


def by_modules():
    x = torch.linspace(-1, 1, 50)
    model = Polynomial3()
    criterion = torch.nn.MSELoss(reduction="sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(50):
        loss = criterion(model(x), 2 * x**3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(model.string(), f"{loss.item():.4f}")
    t = torch.tensor([0.5, -1.0], dtype=torch.double, requires_grad=True)
    print("gradcheck:", torch.autograd.gradcheck(HalfCube.apply, (t,)))


def graph():
    x = torch.ones(5)
    y = torch.zeros(3)
    w = (torch.arange(15).reshape(5, 3) / 10 - 0.7).requires_grad_()
    b = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    z = torch.matmul(x, w) + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    print("grad_fn:", z.grad_fn is not None, loss.requires_grad, loss.is_leaf)
    loss.backward()
    print(w.grad)
    print(b.grad)
    print("detached:", z.detach().requires_grad)
    with torch.no_grad():
        print("no_grad:", (x @ w).requires_grad)
    inp = torch.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).t()
    out.backward(torch.ones_like(out), retain_graph=True)
    first = inp.grad.clone()
    out.backward(torch.ones_like(out), retain_graph=True)
    print("it adds up:", torch.equal(inp.grad, 2 * first))
    inp.grad.zero_()


def vectors():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    while y.data.norm() < 100:
        y = y * 2
    print(y)
    y.backward(torch.tensor([0.1, 1.0, 0.0001]))
    print("x.grad:", x.grad)
    u = torch.tensor([2.0, 3.0], requires_grad=True)
    (grad,) = torch.autograd.grad((u**4).sum(), u, create_graph=True)
    (second,) = torch.autograd.grad(grad.sum(), u)
    print("twice:", grad, second)
    norms = []
    v = (u * 3).requires_grad_()
    v.retain_grad()
    v.register_hook(lambda g: norms.append(g.norm().item()))
    handle = u.register_hook(lambda g: g * 10)
    v.prod().backward()
    handle.remove()
    print("hooks:", u.grad, v.grad, f"{norms[0]:.4f}")


def main():
    torch.manual_seed(9)
    by_hand()
    by_autograd()
    by_modules()
    graph()
    vectors()
    a = torch.rand(3, 3)
    print("random:", a.mean().item(), a.dtype, a.device)
    print("views share:", a.view(9).data_ptr() == a.data_ptr())
    t = torch.ones(2, 3)
    t[:, 1] = 0
    print(t.add_(5), t.numpy().sum(), t.T.shape)


if __name__ == "__main__":
    main()
