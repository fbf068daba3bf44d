# %% [markdown]
# # Lesson 14: Train a network with your kernels
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/14_train_a_network_with_your_kernels.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Forty minutes: your own kernels learn to read
# handwritten digits. Half of the time is for writing the kernels.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import (
    course,
    cuda,
    custom_op,
    functional,
    grad_check,
    load_digits,
    no_grad,
    np,
    optim,
    tensor,
    viz,
    zeros,
)

# %% [markdown]
# ## The task
#
# There are 1,797 digits, written by hand and scanned. Each has 8 by 8 pixels and a
# label, which is the digit that the writer meant. They come with scikit-learn, which
# Colab has. Four fifths are for training, and the rest is kept for the test at the end.

# %%
digits = load_digits()
images = digits.train_images.reshape(-1, 64).astype(np.float32)
labels = digits.train_labels
print(images.shape, labels[:10])
for row in (9 * images[0].reshape(8, 8)).astype(int):
    print(" ".join(".123456789"[pixel] for pixel in row))

# %% [markdown]
# ## Six kernels
#
# The network takes 64 pixels, computes 32 numbers from them, and then computes 10
# scores, one for each digit. It consists of three kinds of operator. For training, each
# of them needs a *forward pass* and a *backward pass* (lesson 12), which computes the
# gradients of the inputs from `d`, the gradient of the output.
#
# | operator | forward | backward |
# |---|---|---|
# | `relu` | `x` where `x > 0`, else 0 | `d` where `x > 0`, else 0 |
# | `matmul` | `a @ b` | for `a`: `d @ bᵀ`; for `b`: `aᵀ @ d` |
# | bias | `x + bias` | for `bias`: the sum of `d` over all rows |
#
# (`bᵀ` is `b` transposed; its rows are the columns of `b`.)
#
# You write the kernels. `course.check` judges each of them on small inputs, and the
# correct ones become part of the network. If a kernel is missing, the library's own
# operator takes its place. So the lesson always runs: write one kernel, run all cells,
# look at the table at the end, and write the next.
#
# Each thread computes one cell of `out`. The first number of `cuda.grid(2)` is the
# column, as lesson 7 recommends. There may be more threads than cells, so each kernel
# needs a guard.

# %%
judged = {}


@cuda.jit
def relu(out, x):
    column, row = cuda.grid(2)
    # Two lines of yours: the guard, and out[row, column] = ...


judged["14.1"] = course.check("14.1", relu)
judged["14.1"]


# %%
@cuda.jit
def relu_back(out, d, x):
    column, row = cuda.grid(2)
    # Two or three lines of yours.


judged["14.2"] = course.check("14.2", relu_back)
judged["14.2"]

# %% [markdown]
# The product of two matrices is a sum over `k`. Start with `total = np.float32(0)`, add
# in a loop, and write to `out` once, after the loop.


# %%
@cuda.jit
def matmul(out, a, b):
    column, row = cuda.grid(2)
    # Five lines of yours: a guard, a sum over k in range(a.shape[1]), one write.


judged["14.3"] = course.check("14.3", matmul)
judged["14.3"]

# %% [markdown]
# Now the two products of the backward pass. No matrix has to be transposed in memory:
# element `[j, k]` of `b` transposed is `b[k, j]`. Only the indices change, and the
# range of the loop.
#
# The gradient of `a` has the shape of `a`: `out[row, k]` is the sum of
# `d[row, j] * b[k, j]` over all `j`.


# %%
@cuda.jit
def matmul_back_a(out, d, b):
    k, row = cuda.grid(2)
    # Five lines of yours.


judged["14.4"] = course.check("14.4", matmul_back_a)
judged["14.4"]

# %% [markdown]
# The gradient of `b` has the shape of `b`: `out[k, column]` is the sum of
# `a[i, k] * d[i, column]` over all rows `i`.


# %%
@cuda.jit
def matmul_back_b(out, a, d):
    column, k = cuda.grid(2)
    # Five lines of yours.


judged["14.5"] = course.check("14.5", matmul_back_b)
judged["14.5"]

# %% [markdown]
# The bias has one number for each column, and is added to every row. So its gradient is
# the sum of `d` over all rows. Each thread computes one column.


# %%
@cuda.jit
def bias_back(out, d):
    column = cuda.grid(1)
    # Five lines of yours.


judged["14.6"] = course.check("14.6", bias_back)
judged["14.6"]

# %% [markdown]
# ## From kernels to operators
#
# `launch` creates the output, chooses the number of blocks, and counts the launches.
# Each of the functions below first asks whether your kernel is right. `custom_op` joins
# a forward and a backward function into an operator that remembers its step.

# %%
launches = {}


def launch(kernel, shape, *arguments):
    out = zeros(shape, dtype=arguments[0].dtype, device="cuda")
    blocks = tuple((size + 7) // 8 for size in reversed(shape))
    threads = (8, 8)[: len(shape)]
    kernel[blocks, threads](out, *arguments)
    launches[kernel.__name__] = launches.get(kernel.__name__, 0) + 1
    return out


def relu_forward(x):
    return launch(relu, x.shape, x) if judged["14.1"] else x.relu()


def relu_backward(d, x):
    return launch(relu_back, x.shape, d, x) if judged["14.2"] else d * (x > 0)


def matmul_forward(a, b):
    shape = a.shape[0], b.shape[1]
    return launch(matmul, shape, a, b) if judged["14.3"] else a @ b


def matmul_backward(d, a, b):
    if judged["14.4"]:
        for_a = launch(matmul_back_a, a.shape, d, b)
    else:
        for_a = d @ b.permute(1, 0)
    if judged["14.5"]:
        for_b = launch(matmul_back_b, b.shape, a, d)
    else:
        for_b = a.permute(1, 0) @ d
    return for_a, for_b


def bias_forward(x, bias):
    return x + bias


def bias_backward(d, x, bias):
    if judged["14.6"]:
        return d, launch(bias_back, bias.shape, d)
    return d, d.sum(0).view(*bias.shape)


my_relu = custom_op(forward=relu_forward, backward=relu_backward, name="my_relu")
my_matmul = custom_op(
    forward=matmul_forward, backward=matmul_backward, name="my_matmul"
)
my_bias = custom_op(forward=bias_forward, backward=bias_backward, name="my_bias")

# %% [markdown]
# Before an operator trains anything, compare its gradient with central differences
# (lesson 12). `grad_check` says nothing if they agree.


# %%
random = np.random.default_rng(0)


def some(*shape):
    return tensor(random.standard_normal(shape), device="cuda")


grad_check(my_relu, some(3, 4))
grad_check(my_matmul, some(3, 4), some(4, 2))
grad_check(my_bias, some(3, 4), some(4))
print("The gradients agree.")

# %% [markdown]
# ## The network
#
# **Guess first:** the network has two matrices, 64 by 32 and 32 by 10, and two biases
# of 32 and 10 numbers. How many numbers does it learn?

# %%
my_count = None
course.check("14.7", my_count)


# %%
def learned(values):
    there = tensor(values.astype(np.float32), device="cuda")
    return there.requires_grad_(True)


w1 = learned(random.standard_normal((64, 32)) * np.sqrt(2 / 64))
w2 = learned(random.standard_normal((32, 10)) * np.sqrt(2 / 32))
b1, b2 = learned(np.zeros(32)), learned(np.zeros(10))


def network(x):
    hidden = my_relu(my_bias(my_matmul(x, w1), b1))
    return my_bias(my_matmul(hidden, w2), b2)


def loss_of(chosen):
    x = tensor(images[chosen], device="cuda")
    y = tensor(labels[chosen], device="cuda")
    return functional.cross_entropy(network(x), y)


first = loss_of(np.arange(64))
viz.graph(first, {"w1": w1, "b1": b1, "w2": w2, "b2": b2})

# %% [markdown]
# The graph leads from the inputs to the loss. It contains your operators beside those
# of the library. In the backward pass, `backward` calls your backward functions in the
# opposite order.
#
# **Guess first:** the loss says how surprised the network is by the right answer: a
# loss of log(n) means that it gave the right answer a chance of about one in n. The
# network has not learned anything yet. One in how many?

# %%
my_surprise = None
course.check("14.8", my_surprise)

# %%
print("loss", round(first.item(), 2), " one in", round(float(np.exp(first.item())), 1))

# %% [markdown]
# About one in ten, or a little worse: the network prefers some digits for no reason.
#
# ## Training
#
# Take 64 digits, run the forward pass and the backward pass, and move each number a
# little against its gradient. Then take the next 64. One pass through all digits is
# called an *epoch*.

# %%
import matplotlib.pyplot as plt


def train(optimiser, epochs):
    losses = []
    for _ in range(epochs):
        order = np.random.default_rng(len(losses)).permutation(len(images))
        for start in range(0, len(order) - 63, 64):
            optimiser.zero_grad()
            loss = loss_of(order[start : start + 64])
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return losses


launches.clear()
losses = train(optim.SGD([w1, b1, w2, b2], lr=0.2), epochs=20)
plt.plot(losses)
plt.xlabel("step")
plt.ylabel("loss")
print(f"loss {losses[0]:.2f} at the start, {losses[-1]:.2f} at the end")

# %% [markdown]
# Now use the digits that were kept for the test. The network has never seen them.

# %%
x = digits.test_images.reshape(-1, 64).astype(np.float32)
with no_grad():
    scores = network(tensor(x, device="cuda")).numpy()
accuracy = (scores.argmax(axis=1) == digits.test_labels).mean()
print(f"{accuracy:.1%} of the test digits are right")

# %% [markdown]
# And which kernels computed all this?

# %%
kernels = [relu, relu_back, matmul, matmul_back_a, matmul_back_b, bias_back]
for number, kernel in enumerate(kernels, 1):
    count = launches.get(kernel.__name__, 0)
    who = f"yours, {count:,} launches" if judged[f"14.{number}"] else "the library's"
    print(f"14.{number}  {kernel.__name__:<14} {who}")

# %% [markdown]
# ## A mistake on purpose: one step too far
#
# **Before you run it:** this loop takes one step too many. `a` is 3 by 4 and `b` is 4
# by 5. Which access is the first one outside its array?


# %%
@cuda.jit
def one_too_far(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1] + 1):
            total += a[row, k] * b[k, column]
        out[row, column] = total


a, b, out = (cuda.to_device(np.ones(s, np.float32)) for s in ((3, 4), (4, 5), (3, 5)))
wrong = viz.trace(one_too_far, 1, (8, 8), out, a, b)
print(wrong.findings[0])
viz.grid(wrong)

# %% [markdown]
# `k` reaches 4, but `a` has columns 0 to 3. A GPU would read the first number of the
# next row and continue: the product would be wrong, without any error. The network
# might even learn.
#
# ## A mistake on purpose: a wrong backward pass
#
# Here the two products of the backward pass are in the wrong order. With square
# matrices even the shapes fit, and nothing fails. Only the comparison with central
# differences reveals the mistake.


# %%
def swapped_backward(d, a, b):
    return a.permute(1, 0) @ d, d @ b.permute(1, 0)


def product(a, b):
    return a @ b


swapped = custom_op(forward=product, backward=swapped_backward, name="swapped")
try:
    grad_check(swapped, some(3, 3), some(3, 3))
except AssertionError as error:
    print(error)

# %% [markdown]
# **What to take away:** a network is a chain of operators that know their backward
# passes, and you can write the kernels of each of them yourself. Check a kernel on
# small inputs, and a gradient with central differences, before you train with it.
#
# Next: `15_gpu_puzzles`, fourteen kernels to write.
