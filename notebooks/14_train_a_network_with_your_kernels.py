# %% [markdown]
# # Lesson 14: Train a network with your kernels
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Forty minutes: kernels
# of your own learn to read handwritten digits. Half of the time is for writing them.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

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
# There are 1,797 digits, written by hand and scanned: 8 by 8 pixels each, and a label,
# the digit that was meant. They come with scikit-learn, which Colab has. Four fifths
# are for training. The rest is kept for the test at the end.

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
# The network takes 64 pixels, computes 32 numbers from them, and from these 10 scores,
# one for each digit. It is made of three operators. To learn, each of them needs its
# *forward pass* and its *backward pass* (lesson 12): from `d`, the gradient of its
# output, it computes the gradients of its inputs.
#
# | operator | forward | backward |
# |---|---|---|
# | `relu` | `x` where `x > 0`, else 0 | `d` where `x > 0`, else 0 |
# | `matmul` | `a @ b` | for `a`: `d @ bᵀ`; for `b`: `aᵀ @ d` |
# | bias | `x + bias` | for `bias`: the sum of `d` over all rows |
#
# (`bᵀ` is `b` transposed: its rows are the columns of `b`.)
#
# You write the kernels. `course.check` judges each of them on small inputs, and what is
# right enters the network. For what is missing, the library's own operator stands in.
# So the lesson always runs: write one kernel, run all cells, look at the table at the
# end, and write the next.
#
# Each thread computes one cell of `out`. `cuda.grid(2)` gives the column first, as
# lesson 7 recommends. The number of threads does not fit, so each kernel needs a guard.

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
# The product of two matrices: a sum over `k`. Start with `total = np.float32(0)`, add
# in a loop, and write to `out` once, after the loop.


# %%
@cuda.jit
def matmul(out, a, b):
    column, row = cuda.grid(2)
    # Five lines of yours: a guard, a sum over k in range(a.shape[1]), one write.


judged["14.3"] = course.check("14.3", matmul)
judged["14.3"]

# %% [markdown]
# The two backward products. No matrix has to be transposed in memory: `b` transposed,
# at `[j, k]`, is `b[k, j]`. Only the indices change, and what the loop runs over.
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
# The bias has one number for each column, and is added to every row. So its gradient
# adds up what comes back from all rows. One thread computes one column.


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
# `launch` makes the output, chooses the number of blocks, and counts. Each of the
# functions below asks first whether your kernel is right. `custom_op` joins a forward
# and a backward function to an operator that remembers its step.

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
# (lesson 12). `grad_check` says nothing where both agree.


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
# **Guess first:** two matrices, 64 by 32 and 32 by 10, and two biases of 32 and 10
# numbers. How many numbers does the network learn?

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
# The graph leads from the inputs to the loss. Your operators stand in it beside those
# of the library. In the backward pass, `backward` calls your backward functions in the
# opposite order.
#
# **Guess first:** the loss says how surprised the network is by the right answer: a
# loss of log(n) means "about one in n". The network has not learned anything yet. One
# in how many?

# %%
my_surprise = None
course.check("14.8", my_surprise)

# %%
print("loss", round(first.item(), 2), " one in", round(float(np.exp(first.item())), 1))

# %% [markdown]
# About one in ten, or a little worse: it prefers some digits for no reason.
#
# ## Training
#
# Take 64 digits, go forward, go backward, and move each number a little against its
# gradient. Then take the next 64. Once through all of them is an *epoch*.


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


launches.clear()
losses = train(optim.SGD([w1, b1, w2, b2], lr=0.2), epochs=20)
viz.loss_curve(losses)
print(f"loss {losses[0]:.2f} at first, {losses[-1]:.2f} at last")

# %% [markdown]
# Now the digits that were kept for the test. The network has never seen them.

# %%
x = digits.test_images.reshape(-1, 64).astype(np.float32)
with no_grad():
    scores = network(tensor(x, device="cuda")).numpy()
accuracy = (scores.argmax(axis=1) == digits.test_labels).mean()
print(f"{accuracy:.1%} of the test digits are right")

# %% [markdown]
# And who has computed all this?

# %%
kernels = [relu, relu_back, matmul, matmul_back_a, matmul_back_b, bias_back]
for number, kernel in enumerate(kernels, 1):
    count = launches.get(kernel.__name__, 0)
    who = f"yours, {count:,} launches" if judged[f"14.{number}"] else "the library's"
    print(f"14.{number}  {kernel.__name__:<14} {who}")

# %% [markdown]
# ## A mistake on purpose: one step too far
#
# **Guess before you run it:** this loop takes one step too many. `a` is 3 by 4 and `b`
# is 4 by 5. Which access is the first outside of its array?


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
# next row and go on: a wrong product, and no error. The network might even learn.
#
# ## A mistake on purpose: a wrong backward pass
#
# Here the two backward products are in the wrong order. With square matrices even the
# shapes fit, and nothing fails. Only the comparison with central differences tells.


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
# pass, and each of them may be a kernel of yours. Check a kernel on small inputs, and a
# gradient with central differences, before you train with it.
#
# Next: `15_gpu_puzzles`, fourteen kernels to write.
