# %% [markdown]
# # Lesson 12: From a number to its gradient
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: a program that
# remembers its steps can tell how its result depends on its inputs.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import (
    Scalar,
    ScalarFunction,
    course,
    derivative_check,
    np,
    rand,
    viz,
)

# %% [markdown]
# ## How much does the result grow?
#
# To train a network means: change many numbers a little, so that one number, the
# *loss*, becomes smaller. For that one must know, for each of the many, whether the
# loss grows or shrinks with it, and how fast. This is its *derivative*, or *gradient*.
#
# Here is a very small program with two inputs.


# %%
def program(x, y):
    return x * y + x


print(program(2.0, 3.0))

# %% [markdown]
# **Your guess first:** at x = 2 and y = 3, let x grow by a very small amount. The
# result grows by how many times that amount?

# %%
my_growth = None
course.check("12.1", my_growth)

# %% [markdown]
# One can just try: move x a little to both sides and divide by the way. This is a
# *central difference*.

# %%
little = 1e-6
for name, up, down in (
    ("x", program(2 + little, 3.0), program(2 - little, 3.0)),
    ("y", program(2.0, 3 + little), program(2.0, 3 - little)),
):
    print(name, np.round((up - down) / (2 * little), 6))

# %% [markdown]
# That takes two runs of the program for each input. A network has thousands of inputs,
# and its program is long. There is a way that takes *one* run back, for all of them.
#
# ## A number that remembers
#
# A `Scalar` is a number that remembers the step that made it, and from what. The same
# program runs with Scalars as it is. **Before you run it:** how many steps are there?

# %%
x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
z = program(x, y)
viz.graph(z)

# %% [markdown]
# Values go from left to right. The gradient goes the other way, from right to left. It
# begins at the result with 1: if the result grows by a little, it grows by that. Then
# each step asks only about itself: *if my output's gradient is d, what is that of my
# inputs?*
#
# - `add` hands d on to both: what is added grows the sum by as much.
# - `mul` hands d times the *other* number to each.
#
# x gets 3 by way of `mul` and 1 by way of `add`. What comes by several ways is added.
# `backward` does all this, and leaves the gradient in `derivative` of the inputs.

# %%
z.backward()
print("x:", x.derivative, " y:", y.derivative)

# %% [markdown]
# **Your guess first:** `x * x` at x = 4 is 16. What is the gradient of x? Think of how
# many ways lead back to it.

# %%
my_gradient = None
course.check("12.2", my_gradient)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** we go back through the graph of `z` a second time. Until now
# `x.derivative` is 4. What is it then?

# %%
z.backward()
print("x:", x.derivative)

# %% [markdown]
# Gradients are *added* to what is there, since several ways may lead to an input. Who
# trains must set them back before each round; to forget it is the most usual mistake,
# and no error tells you. (`optimiser.zero_grad()` does it for a whole network.)
#
# The second usual mistake is a step whose backward pass is wrong. Here is a step of our
# own, whose author forgot the factor 3. The program runs, and the network would learn
# something, only not well. `derivative_check` compares with central differences. (`ctx`
# keeps what a step needs in its backward pass.)


# %%
class Cube(ScalarFunction):
    @staticmethod
    def forward(ctx, number):
        ctx.save_for_backward(number)
        return number * number * number

    @staticmethod
    def backward(ctx, d):
        (number,) = ctx.saved_values
        return number * number * d


try:
    derivative_check(Cube.apply, Scalar(2.0))
except AssertionError as error:
    print(error)

# %% [markdown]
# `backward` said 4 (ACTUAL), central differences say 12 (DESIRED): a factor of 3.
#
# ## From one number to many
#
# A *tensor* is a whole array of numbers, and a step is done to all of them at once. All
# else stays: it remembers the step that made it, and the gradient goes back. The
# gradient of a tensor has the same shape as the tensor: a number for each number.
#
# **Before you run it:** `data` holds 4 rows of 3 numbers and no `requires_grad`. What
# will its box look like?

# %%
data = rand(4, 3)
weights = rand(3, 2, requires_grad=True)
bias = rand(2, requires_grad=True)
loss = ((data @ weights + bias).relu() ** 2).sum()
loss.backward()
print("weights", weights.shape, " gradient", weights.grad.shape)

# %%
viz.graph(loss, {"weights": weights, "bias": bias})

# %% [markdown]
# Data gets no gradient, because nobody wants to change it. For tensors there is
# `minitorch.grad_check`, which compares with central differences as well.
#
# ## Your turn
#
# The backward pass of `a * b`: from the two numbers and the gradient `d` of their
# product, return the gradients of a and of b.


# %%
def product_back(a, b, d):
    return None


course.check("12.3", product_back)

# %% [markdown]
# The backward pass of a squared distance, `(a - b) * (a - b)`. This is the loss of many
# a network: a is what it says, b is what is right.


# %%
def distance_back(a, b, d):
    return None


course.check("12.4", distance_back)

# %% [markdown]
# **What to keep:** each step knows its own backward pass; gradients by several ways are
# added; check a backward pass with central differences. Next:
# `13_tensors_strides_broadcast`.
