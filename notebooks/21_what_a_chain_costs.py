# %% [markdown]
# # Lesson 21: What a chain costs
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/21_what_a_chain_costs.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: small steps one after the other
# move far more than they compute, and how to make them one kernel.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can count what each kernel did.

# %%
from minitorch_cuda.learn import course, cuda, fuse, np, profiler, tensor

# %% [markdown]
# ## A bias and a relu
#
# Behind nearly every product of a network there are a bias and a `relu`. Both are
# *elementwise*: each number of the result needs only the numbers at its own place. Here
# y has the shape (64, 8), and b has 8 numbers.

# %%
random = np.random.default_rng(0)


def some(*shape):
    values = random.standard_normal(shape).astype(np.float32)
    return tensor(values, device="cuda")


y, b = some(64, 8), some(8)


def chain(y, b):
    return (y + b).relu()


def sectors_of(call):
    call()
    with profiler.profile(counters=True) as prof:
        call()
    rows = [row for row in prof.key_averages() if row.device_type.name == "CUDA"]
    for row in rows:
        loaded = row.counters["sectors_loaded"]
        stored = row.counters["sectors_stored"]
        print(f"{row.count} x {row.key}: {loaded} sectors loaded, {stored} stored")


sectors_of(lambda: chain(y, b))

# %% [markdown]
# y has 512 numbers of 4 bytes; that is 64 sectors of 32 bytes. The first kernel reads
# them, asks 16 times for the sector of b (once for each of its 16 warps), and writes 64
# sectors. The second one reads these 64 again, and writes 64. That makes 272.
#
# **Guess first:** how many sectors would *one* kernel take, for both steps?

# %%
my_sectors = None
course.check("21.1", my_sectors)

# %% [markdown]
# `fuse` makes one kernel of a function. It calls the function once with stand-ins
# instead of tensors, notes what is done to them, and writes that into a kernel.

# %%
fused = fuse(chain)
sectors_of(lambda: fused(y, b))
print("equal in every bit:", np.array_equal(fused(y, b).numpy(), chain(y, b).numpy()))

# %% [markdown]
# A kernel like this computes next to nothing: its time is that of its bytes (lesson
# 11). So about half of the sectors means about half of the time. `report` compares the
# two for you:

# %%
print(fused.report(y, b))

# %% [markdown]
# ## Longer chains
#
# A chain of five steps, each with one array and one number: x is multiplied, something
# is added, and so on. As five kernels, an array is read five times and written five
# times: ten passes.
#
# **Guess first:** how many of these ten passes remain in one kernel?

# %%
my_passes = None
course.check("21.2", my_passes)


# %%
def five_steps(x):
    x = x * 3
    x = x - 1
    x = x.relu()
    x = x * 0.5
    return x + 2


fused_steps = fuse(five_steps)
sectors_of(lambda: five_steps(y))
sectors_of(lambda: fused_steps(y))

# %% [markdown]
# The longer the chain, the more there is to win: numbers between two steps stay in a
# register of the thread.
#
# ## The way back
#
# A chain has a backward pass as well, and it is a chain again. **Before you run it:**
# how many kernels does the fused one take for it?


# %%
def kernels_back(function):
    x, bias = some(64, 8).requires_grad_(True), some(64, 8).requires_grad_(True)
    result = function(x, bias)
    gradient = some(64, 8)
    result.backward(gradient)
    x.grad, bias.grad = None, None
    result = function(x, bias)
    cuda.synchronize()
    with profiler.profile() as prof:
        result.backward(gradient)
    rows = [row for row in prof.key_averages() if row.device_type.name == "CUDA"]
    return sum(row.count for row in rows)


def gate(x, bias):
    z = x + bias
    return z * z.sigmoid()


print("step by step:", kernels_back(gate), " fused:", kernels_back(fuse(gate)))

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** why can a mean not be a step of such a kernel?


# %%
def centred(x):
    return x - x.mean()


try:
    fuse(centred)(y)
except TypeError as error:
    print(error)

# %% [markdown]
# A mean needs the numbers of *all* places, and the threads of a launch do not wait for
# each other. It has to be a launch of its own, as a product has.
#
# ## Your turn
#
# Write a layer's end in one kernel: z = x · w + b, and then z where it is positive,
# else 0.25 · z. (-z).relu() is what is negative in z, with the sign changed.


# %%
# Write @fuse above it when its values are right.
def leaky(x, w, b):
    # Two lines of yours.
    return None


course.check("21.3", leaky)

# %% [markdown]
# **What to take away:** elementwise steps cost what they move. In one kernel, what is
# between two steps never reaches memory. You have seen a network from its layers down
# to the sectors, and can change any part of it. Next: `22_from_python_to_cuda_cpp`.
