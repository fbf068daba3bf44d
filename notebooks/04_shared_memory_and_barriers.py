# %% [markdown]
# # Lesson 4: Shared memory and barriers
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/04_shared_memory_and_barriers.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: threads of a block that work
# together.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## A tile for the whole block
#
# So far, no thread has needed another one. Now a block of 64 threads is to reverse 64
# numbers: each thread needs a number that another thread has loaded. For this, a block
# has *shared memory*: a small array that all threads of the block can see, and no other
# block can. We call such an array a *tile*. It is as close to the threads as the
# first-level cache; the arrays of earlier lessons are far away, in *global memory*.
#
# The exchange takes two steps: every thread writes its number to the tile, then every
# thread reads another thread's number. Between the two steps there is a *barrier*,
# `cuda.syncthreads()`. No thread passes it before all threads of the block have reached
# it.


# %%
@cuda.jit
def reverse_64(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[63 - t]


# %% [markdown]
# The size of a shared array must be known when the kernel is compiled. That is why the
# code says 64, and not `cuda.blockDim.x`.
#
# **Guess first:** which cell of the tile does thread 2 read?

# %%
my_guess = None
course.check("04.1", my_guess)

# %%
a = cuda.to_device(np.arange(64, dtype=np.float32))
out = cuda.to_device(np.zeros(64, np.float32))
with cuda.inspect(trace=True) as run:
    reverse_64[1, 64](out, a)
print(out.copy_to_host())
print("findings:", run.findings)

# %% [markdown]
# ## The tile fills
#
# `viz.step` shows one moment of the launch: *Threads of the block*, and under *Shared
# memory* the tile. A block of 64 threads consists of two *warps*: groups of 32 threads
# that run together. A GPU may run warps in any order; here warp 0 came first.

# %%
viz.step(run.launches[0], step=4, thread=10)

# %% [markdown]
# Warp 0 has written its half of the tile and has reached the barrier. The dots are
# cells that have not been written yet. **Guess first:** thread 10 wants to read
# `tile[53]`. What must happen before it may?
#
# Press → or drag the slider, and watch. Warp 1 writes the other half while warp 0
# waits; the double line shows the waiting. When warp 1 has reached the barrier as well,
# the barrier opens, and only then does any thread read. Here is such a moment:

# %%
viz.step(run.launches[0], step=9, thread=42)

# %% [markdown]
# Thread 42 belongs to warp 1 and reads a cell that warp 0 has written.
#
# ## A mistake on purpose: no barrier
#
# This is the same kernel without the barrier. **Before you run it:** what does thread
# 10 read now, if warp 0 runs first again?


# %%
@cuda.jit
def no_barrier(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    out[t] = tile[63 - t]


out = cuda.to_device(np.zeros(64, np.float32))
with cuda.inspect(trace=True) as run:
    no_barrier[1, 64](out, a)
print(out.copy_to_host())
viz.step(run.launches[0], step=4, thread=10)

# %% [markdown]
# Warp 0 did not wait. All its threads read cells that warp 1 had not yet written, so
# half of the result is 0. This is the finding:

# %%
print(run.findings[0])

# %% [markdown]
# This is a *race*: two threads use the same cell, at least one of them writes to it,
# and nothing determines which one comes first. The next picture shows both orders, and
# what a barrier changes.

# %%
viz.race(run.launches[0])

# %% [markdown]
# On a GPU this kernel may give the right numbers for years, but only by luck. The
# emulator does not wait for bad luck: it checks whether anything *orders* the write
# before the read, and nothing does.
#
# ## A barrier that not all threads reach
#
# A barrier waits for *all* threads of the block. **Before you run it:** each branch
# below has its own barrier. Four threads wait at the first one. What are they waiting
# for?


# %%
@cuda.jit
def barrier_for_some(out, a):
    tile = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    if t < 4:
        cuda.syncthreads()
        out[t] = tile[7 - t]
    else:
        cuda.syncthreads()
        out[t] = 0


try:
    barrier_for_some[1, 8](out, a)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# These are two different barriers. At each of them, four threads wait for the other
# four, and on a GPU the program may hang. Put the barrier outside the `if`, where every
# thread reaches it.
#
# ## Your turn
#
# Use a tile to reverse each block of eight numbers. There are many blocks, so a thread
# has two numbers: its index `t` in the block and its position `i` in the grid.


# %%
@cuda.jit
def reverse(out, a):
    tile = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Three lines of yours.


course.check("04.2", reverse)

# %% [markdown]
# A ring: thread `t` adds its own number and the number of the next thread in its block.
# After the last thread comes the first one again. Read each cell of `a` only once; the
# table in the answer counts the reads.


# %%
@cuda.jit
def ring(out, a):
    tile = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Three lines of yours.


course.check("04.3", ring)

# %% [markdown]
# **What to take away:** write to the tile, wait at the barrier, read from the tile. All
# threads of the block must reach the same barrier.
#
# Next: `05_reduce`, where a block adds up its numbers.
