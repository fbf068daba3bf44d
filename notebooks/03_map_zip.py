# %% [markdown]
# # Lesson 3: Map and zip
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/03_map_zip.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Ten minutes: kernels in which no thread depends on
# another.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## Map: one cell in, one cell out
#
# A *map* applies the same operation to every cell. The operation can be a separate
# function: a plain Python function that a kernel calls is compiled with the kernel.


# %%
def fahrenheit(celsius):
    return celsius * 9 / 5 + 32


@cuda.jit
def convert(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = fahrenheit(a[i])


a = cuda.to_device(np.array([-40.0, 0.0, 37.0, 100.0, 20.0]))
out = cuda.to_device(np.zeros(5))
convert[2, 4](out, a)
print(out.copy_to_host())

# %% [markdown]
# ## Zip: two cells in, one cell out
#
# A *zip* goes through two arrays side by side. **Before you run it:** which cells does
# thread 1 of block 1 read, and which does it write?


# %%
@cuda.jit
def add(out, a, b):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


b = cuda.to_device(np.arange(8.0))
c = cuda.to_device(np.full(8, 100.0))
out = cuda.to_device(np.zeros(8))
with cuda.inspect(trace=True) as run:
    add[2, 4](out, b, c)
viz.grid(run.launches[0], thread=1, block=1, arrays={"out": out, "a": b, "b": c})

# %% [markdown]
# No two threads write the same cell of `out`, and no thread reads what another one
# writes. So the order in which the threads run does not matter, and a GPU may run as
# many of them at once as it can.
#
# ## What it looks like when it goes wrong
#
# Now each thread reads its right neighbour's cell, *in the same array*. This looks like
# a map. **Before you run it:** thread 0 reads `x[1]`. Who writes `x[1]`, and when?


# %%
@cuda.jit
def shift_in_place(x):
    i = cuda.grid(1)
    if i + 1 < x.size:
        x[i] = x[i + 1]


x = cuda.to_device(np.arange(8.0))
with cuda.inspect(trace=True) as run:
    shift_in_place[2, 4](x)
print(run.findings[0])

# %%
viz.race(run.launches[0])

# %% [markdown]
# The picture shows both orders: if thread 1 writes first, thread 0 gets the wrong
# number. (A *warp* is a group of threads; lesson 4 explains more.) The remedy is the
# rule for maps: read from one array, and write to another.


# %%
@cuda.jit
def shift(out, x):
    i = cuda.grid(1)
    if i + 1 < x.size:
        out[i] = x[i + 1]


x = cuda.to_device(np.arange(8.0))
out = cuda.to_device(np.zeros(8))
with cuda.inspect() as run:
    shift[2, 4](out, x)
print(out.copy_to_host(), "findings:", run.findings)

# %% [markdown]
# ## Your turn
#
# Map: write `a[i]` where it is positive, and 0 elsewhere. In neural networks this is
# called ReLU.


# %%
@cuda.jit
def relu(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("03.1", relu)

# %% [markdown]
# Zip: write `2 * a[i] + b[i]`.


# %%
@cuda.jit
def scaled_sum(out, a, b):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("03.2", scaled_sum)

# %% [markdown]
# A zip with two different shapes: `b` is one row, and it is added to every row of the
# matrix `a`.


# %%
@cuda.jit
def add_row(out, a, b):
    column, row = cuda.grid(2)
    # Two lines of yours.


course.check("03.3", add_row)

# %% [markdown]
# **What to take away:** in a map or a zip, every thread writes its own cell, and reads
# only cells that no thread writes. Next: `04_shared_memory_and_barriers`.
