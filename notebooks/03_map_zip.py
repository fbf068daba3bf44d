# %% [markdown]
# # Lesson 3: Map and zip
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Ten minutes: the kernels in which no thread needs
# another.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## Map: one cell in, one cell out
#
# A *map* does the same to every cell. What it does may be a function of its own: a
# plain Python function that a kernel calls is compiled with it.


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
# No cell of `out` belongs to two threads, and no thread reads what another writes. So
# it does not matter in which order the threads run, and a GPU may run as many of them
# at once as it can.
#
# ## What it looks like when it goes wrong
#
# Now each thread takes its right neighbour's cell, *in the same array*. It looks like a
# map. **Before you run it:** thread 0 reads `x[1]`. Who writes `x[1]`, and when?


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
# number. (A *warp* is a group of threads; lesson 4 tells more.) The remedy is the rule
# of maps: read from one array, write to another.


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
# Map: `a[i]` where it is positive, else 0. Networks call it ReLU.


# %%
@cuda.jit
def relu(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("03.1", relu)

# %% [markdown]
# Zip: `2 * a[i] + b[i]`.


# %%
@cuda.jit
def scaled_sum(out, a, b):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("03.2", scaled_sum)

# %% [markdown]
# A zip of two shapes: `b` is one row, which is added to every row of the matrix `a`.


# %%
@cuda.jit
def add_row(out, a, b):
    row, column = cuda.grid(2)
    # Two lines of yours.


course.check("03.3", add_row)

# %% [markdown]
# **What to keep:** in a map and in a zip every thread writes a cell of its own, and
# reads only what nobody writes. Next: `04_shared_memory_and_barriers`.
