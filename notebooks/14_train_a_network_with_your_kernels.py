# %% [markdown]
# # Lesson 14: Train a network with your kernels
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: kernels
# of your own learn to read handwritten digits.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import (
    course,
    cuda,
    custom_op,
    functional,
    load_digits,
    no_grad,
    np,
    optim,
    tensor,
    viz,
)

# %% [markdown]
# ## The task
#
# 1,797 digits, written by hand and scanned: 8 by 8 pixels each, and the digit that was
# meant. They come with scikit-learn, which Colab has. Four fifths are to learn from,
# the rest is put aside for the end.

# %%
digits = load_digits()
images = digits.train_images.reshape(-1, 64).astype(np.float32)
labels = digits.train_labels
print(images.shape, labels[:10])
for row in (9 * images[0].reshape(8, 8)).astype(int):
    print(" ".join(".123456789"[pixel] for pixel in row))

# %% [markdown]
# ## Two kernels
#
# The network takes 64 pixels, makes of them 32 numbers, and of these 10: one for each
# digit, the larger the more likely. It needs a product of matrices, and `relu`, which
# lets only positive numbers through. You wrote both in earlier lessons. Each thread
# makes one cell of the result.


# %%
@cuda.jit
def matmul_kernel(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        out[row, column] = total


@cuda.jit
def relu_kernel(out, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = max(x[row, column], np.float32(0))


@cuda.jit
def relu_back_kernel(out, d, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = d[row, column] if x[row, column] > 0 else np.float32(0)


def launch(kernel, rows, columns, *arguments):
    out = tensor(np.zeros((rows, columns), np.float32), device="cuda")
    blocks = (columns + 15) // 16, (rows + 15) // 16  # x counts columns: lesson 7
    kernel[blocks, (16, 16)](out, *arguments)
    return out


# %% [markdown]
# ## The way there and the way back
#
# Lesson 12: each step must know its own way back. For `a @ b` with the gradient `d` of
# the result, a gets `d @ b` turned, and b gets a turned `@ d`. That is the same kernel
# again: lesson 13, turning costs nothing, the kernel follows the strides. `custom_op`
# makes one step of the two ways.


# %%
def product(a, b):
    return launch(matmul_kernel, a.shape[0], b.shape[1], a, b)


def product_back(d, a, b):
    return product(d, b.permute(1, 0)), product(a.permute(1, 0), d)


def positive(x):
    return launch(relu_kernel, *x.shape, x)


def positive_back(d, x):
    return launch(relu_back_kernel, *x.shape, d, x)


my_matmul = custom_op(forward=product, backward=product_back, name="my_matmul")
my_relu = custom_op(forward=positive, backward=positive_back, name="my_relu")

# %% [markdown]
# ## The network
#
# **Your guess first:** two matrices, 64 by 32 and 32 by 10, and two biases of 32 and 10
# numbers. How many numbers are to be learned?

# %%
my_count = None
course.check("14.1", my_count)

# %%
random = np.random.default_rng(0)


def learned(values):
    there = tensor(values.astype(np.float32), device="cuda")
    return there.requires_grad_(True)


w1 = learned(random.standard_normal((64, 32)) * np.sqrt(2 / 64))
w2 = learned(random.standard_normal((32, 10)) * np.sqrt(2 / 32))
b1, b2 = learned(np.zeros(32)), learned(np.zeros(10))


def network(x):
    return my_matmul(my_relu(my_matmul(x, w1) + b1), w2) + b2


def loss_of(chosen):
    x = tensor(images[chosen], device="cuda")
    y = tensor(labels[chosen], device="cuda")
    return functional.cross_entropy(network(x), y)


first = loss_of(np.arange(64))
viz.graph(first, {"w1": w1, "b1": b1, "w2": w2, "b2": b2})

# %% [markdown]
# From the inputs down to the loss: your steps stand in the graph beside those that the
# library has. Your kernels will be called on the way back as well.
#
# **Your guess first:** the loss says how surprised the network is by the right answer:
# a loss of log(n) means "about one in n". The network has not learned anything yet. One
# in how many?

# %%
my_surprise = None
course.check("14.2", my_surprise)

# %%
print("loss", round(first.item(), 2), " one in", round(float(np.exp(first.item())), 1))

# %% [markdown]
# About one in ten, or a little worse: it prefers some digits for no reason.
#
# ## Learning
#
# Take 64 digits, go forward, go back, and move each number a little against its
# gradient. Then the next 64. One time through all of them is an *epoch*.


# %%
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


losses = train(optim.SGD([w1, b1, w2, b2], lr=0.2), epochs=20)
viz.loss_curve(losses)
print(f"loss {losses[0]:.2f} at first, {losses[-1]:.2f} at last")

# %% [markdown]
# Now the digits that were put aside. The network has never seen them.


# %%
def share_right():
    x = digits.test_images.reshape(-1, 64).astype(np.float32)
    with no_grad():
        said = network(tensor(x, device="cuda")).numpy().argmax(axis=1)
    return (said == digits.test_labels).mean()


print(f"{share_right():.1%} right")

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** a loop that goes one too far. Thread (0, 0) reads `a[0, 32]` of
# a matrix with 32 columns, and `b[32, 0]` of one with 32 rows. On a GPU both give some
# number, and the network might even learn. Which of the two lies outside of its array?


# %%
@cuda.jit
def one_too_far(out, a, b):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1] + 1):
            total += a[row, k] * b[k, column]
        out[row, column] = total


try:
    with no_grad():
        launch(one_too_far, 64, 10, w1.detach(), w2.detach())
        cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# `b[32, 0]`: it would lie behind the last row. `a[0, 32]` is a cell of `a`, the first
# of its next row: a wrong number, but one that belongs to `a`.
#
# The other usual fault makes no error at all: a way back that is wrong. Compare with
# central differences whenever you write one, as in lesson 12. Here the turned matrices
# are swapped, and the shapes tell.


# %%
def swapped_back(d, a, b):
    return product(a.permute(1, 0), d), product(d, b.permute(1, 0))


swapped = custom_op(forward=product, backward=swapped_back, name="swapped")
try:
    swapped(w1, w2).sum().backward()
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# ## Your turn
#
# The way back of `relu`, from memory.


# %%
@cuda.jit
def relu_back(out, d, x):
    column, row = cuda.grid(2)
    # Two or three lines of yours.


course.check("14.3", relu_back)

# %% [markdown]
# The bias was added by the library's `+`, and its way back is the library's, too. Write
# it: a bias has one number a column, and is added to every row.


# %%
@cuda.jit
def bias_back(out, d):
    column = cuda.grid(1)
    # Five lines of yours.


course.check("14.4", bias_back)

# %% [markdown]
# **What to keep:** a network is steps that know their way back, and each of them may be
# a kernel of yours. Next: `15_gpu_puzzles`.
