# %% [markdown]
# # Lesson 5: Reduce
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/05_reduce.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: reduce many numbers to one, with
# threads that share the work.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## Adding in pairs
#
# One thread that adds 64 numbers needs 63 additions, one after the other. Many threads
# can add pairs at the same time: first 32 pairs, then 16, 8, 4, 2, 1. After each
# *round* half as many numbers are left. The last one is the sum.
#
# **Guess first:** how many rounds do 256 numbers take?

# %%
my_rounds = None
course.check("05.1", my_rounds)

# %% [markdown]
# In each round, thread `t` adds the cell `half` positions ahead to its own cell; then
# `half` is halved. Between two rounds there is a barrier. It is outside the `if`,
# because all threads must reach it.


# %%
@cuda.jit
def total(out, a):
    tile = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    half = 4
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = tile[0]


a = cuda.to_device(np.arange(1, 9, dtype=np.float32))
out = cuda.to_device(np.zeros(1, np.float32))
with cuda.inspect(trace=True) as run:
    total[1, 8](out, a)
print(out.copy_to_host(), "findings:", run.findings)

# %% [markdown]
# ## See the rounds
#
# Here is the shared tile at each barrier: first as it was filled, then after each
# round. Follow cell 0. The cells that drop out keep their old values; no thread needs
# them any more.

# %%
trace = run.launches[0].trace
for step in np.flatnonzero(trace.opcode == "bar.sync"):
    print(trace.at(step).shared_as(np.float32))

# %% [markdown]
# **Guess first:** how many of the eight threads work in the third round? The picture
# has the rounds below each other. Press → or drag the slider; the headline counts who
# works and who idles. A click on a cell shows which two values it was made of.

# %%
viz.reduction(run.launches[0])

# %% [markdown]
# After the first round half of the threads have nothing to do, then three quarters, and
# so on. They still wait at every barrier. The tree is fast because it has few rounds,
# not because all threads are busy.

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** the barrier between the rounds is gone. In the second round
# thread 0 reads `tile[2]`. Who wrote it, and in which round?


# %%
@cuda.jit
def no_barrier_between_rounds(out, a):
    tile = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    half = 4
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        half //= 2
    if t == 0:
        out[0] = tile[0]


with cuda.inspect(trace=True) as run:
    no_barrier_between_rounds[1, 8](out, a)
print(run.findings[0])

# %% [markdown]
# Both accesses are on the same line, but in two different rounds of the loop. The
# message can only suggest possible remedies; here, the barrier is the right one.

# %%
viz.race(run.launches[0])

# %% [markdown]
# ## Your turn
#
# Find the *largest* of 16 numbers instead of the sum of 8. What changes in a round, and
# what else changes?


# %%
@cuda.jit
def largest(out, a):
    tile = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    # Nine lines of yours.


course.check("05.2", largest)

# %% [markdown]
# Now use many blocks of 16 threads and any number of cells: each block writes the sum
# of its cells to `out[cuda.blockIdx.x]`. Leftover threads must write something to the
# tile that does not change a sum, and they must still reach every barrier.


# %%
@cuda.jit
def sums_of_blocks(out, a):
    tile = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # A dozen lines of yours.


course.check("05.3", sums_of_blocks)

# %% [markdown]
# **What to take away:** add in pairs, wait at the barrier, and repeat with half as many
# threads. Next: `06_races_and_how_to_see_them`.
