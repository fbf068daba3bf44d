# %% [markdown]
# # Lesson 12: From a number to its gradient
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/12_from_scalar_to_autograd.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: a program that remembers its
# steps can find out how its result depends on its inputs.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

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
# Training a network means changing many numbers a little, so that one number, the
# *loss*, becomes smaller. For this we must know, for each of the many numbers, whether
# the loss grows or shrinks with it, and how fast. This is the *derivative*, or
# *gradient*, of the loss.
#
# Here is a very small program with two inputs.


# %%
def program(x, y):
    return x * y + x


print(program(2.0, 3.0))

# %% [markdown]
# **Guess first:** at x = 2 and y = 3, let x grow by a very small amount. By how many
# times that amount does the result grow?

# %%
my_growth = None
course.check("12.1", my_growth)

# %% [markdown]
# We can simply try: move x a little to both sides, and divide the change of the result
# by the distance. This is a *central difference*.

# %%
little = 1e-6
for name, up, down in (
    ("x", program(2 + little, 3.0), program(2 - little, 3.0)),
    ("y", program(2.0, 3 + little), program(2.0, 3 - little)),
):
    print(name, np.round((up - down) / (2 * little), 6))

# %% [markdown]
# That takes two runs of the program for each input. A network has thousands of inputs,
# and its program is long. There is a better way: *one* backward pass gives the
# gradients for all of them.
#
# ## A number that remembers
#
# A `Scalar` is a number that remembers the step that made it, and the inputs of that
# step. The same program runs with Scalars, without any change. **Before you run it:**
# how many steps are there?

# %%
x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
z = program(x, y)
viz.graph(z)

# %% [markdown]
# Values flow from top to bottom. The gradient flows the other way, from bottom to top.
# It begins with 1 at the result, because the result grows exactly as much as itself.
# Then each step answers only one question about itself: *if the gradient of my output
# is d, what are the gradients of my inputs?*
#
# - `add` passes d to both inputs: when an input grows, the sum grows by the same
#   amount.
# - `mul` passes d times the *other* number to each input.
#
# x gets 3 through `mul` and 1 through `add`. Gradients that arrive along several paths
# are added. `backward` does all this, and stores the gradients in the `derivative` of
# each input.

# %%
z.backward()
print("x:", x.derivative, " y:", y.derivative)

# %% [markdown]
# **Guess first:** `x * x` at x = 4 is 16. What is the gradient of x? Think of how many
# paths lead back to it.

# %%
my_gradient = None
course.check("12.2", my_gradient)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** we run the backward pass of `z` a second time. Up to now,
# `x.derivative` is 4. What is it afterwards?

# %%
z.backward()
print("x:", x.derivative)

# %% [markdown]
# Gradients are *added* to what is already there, because several paths may lead to an
# input. When you train, you must reset them before each step. Forgetting this is the
# most common mistake, and no error message tells you. (`optimiser.zero_grad()` resets
# them for a whole network.)
#
# The second most common mistake is a step whose backward pass is wrong. Here is a step
# of our own, whose author forgot the factor 3. The program runs, and a network would
# learn something, only not well. `derivative_check` compares the backward pass with
# central differences. (`ctx` keeps what a step needs in its backward pass.)


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
# A *tensor* is a whole array of numbers, and a step works on all of them at once.
# Everything else stays the same: a tensor remembers the step that made it, and the
# gradient flows back. The gradient of a tensor has the same shape as the tensor: one
# number for each element.
#
# **Before you run it:** `data` holds 4 rows of 3 numbers and does not have
# `requires_grad`. What will its box look like?

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
# The data gets no gradient, because training does not change it. For tensors,
# `minitorch.grad_check` makes the same comparison with central differences.
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
# The backward pass of a squared distance, `(a - b) * (a - b)`. Many networks use this
# loss: a is the network's output, and b is the right answer.


# %%
def distance_back(a, b, d):
    return None


course.check("12.4", distance_back)

# %% [markdown]
# **What to take away:** each step knows its own backward pass; gradients that arrive
# along several paths are added; check a backward pass with central differences. Next:
# `13_tensors_strides_broadcast`.
