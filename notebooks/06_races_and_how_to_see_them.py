# %% [markdown]
# # Lesson 6: Races, and how to see them
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/06_races_and_how_to_see_them.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: how a wrong kernel can give right
# numbers.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## A kernel that is right by luck
#
# There are blocks of 64 threads. Each thread writes a number to the shared tile, and
# the *last* thread adds them all up. All numbers are 1, so each sum should be 64.
#
# **Guess first:** there is no barrier. Will the sums be right?


# %%
@cuda.jit
def sum_by_the_last(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]
    if t == 63:
        total = 0.0
        for k in range(64):
            total += tile[k]
        out[cuda.blockIdx.x] = total


ones = cuda.to_device(np.ones(128, np.float32))
for _ in range(3):
    out = cuda.to_device(np.zeros(2, np.float32))
    with cuda.inspect(trace=True) as run:
        sum_by_the_last[2, 64](out, ones)
    print(out.copy_to_host(), "findings:", len(run.findings))

# %% [markdown]
# Right, three times. You could run it a thousand times, and it would always print 64.
# And yet there is a finding, the same one each time. Here it is as a picture:

# %%
viz.race(run.launches[0])

# %% [markdown]
# The box *Order 1* shows what happened in this run: thread 0 wrote, and later thread 63
# read. *Order 2*, with the red edge, is the other order, which *nothing forbids*:
# thread 63 reads a cell that is not written yet, and the sum is wrong. *With a barrier*
# only one order is left.
#
# Why was this run lucky? The emulator runs the warps of a block in turn, warp 0 before
# warp 1. Thread 63 is in warp 1, so the other threads had already written. A GPU runs
# whichever warp is ready.
#
# ## The same mistake without the luck
#
# **Before you run it:** now the *first* thread adds up the numbers. It is in warp 0.
# Which cells have been written by then?


# %%
@cuda.jit
def sum_by_the_first(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]
    if t == 0:
        total = 0.0
        for k in range(64):
            total += tile[k]
        out[cuda.blockIdx.x] = total


out = cuda.to_device(np.zeros(2, np.float32))
with cuda.inspect(trace=True) as run:
    sum_by_the_first[2, 64](out, ones)
print(out.copy_to_host(), "findings:", len(run.findings))

# %% [markdown]
# It got half of the numbers: warp 1 had not written its own yet. If you test only by
# looking at the result, you see a mistake here and none above. The *race* is the same
# in both.
#
# **A race** means that two threads access the same cell, at least one of them writes to
# it, and nothing orders the two accesses. It is a property of the program, not of a
# run. So the emulator does not wait for wrong numbers: it remembers which threads
# accessed each cell, and checks whether there is a barrier between the accesses.
# Therefore one run is enough.
#
# ## See it step by step
#
# In each step, one warp runs one line. `debug=True` builds the kernel as for a
# debugger, so that the picture can show variables by name; such a build runs more
# instructions than the usual one. The picture starts at the finding. If the slider is
# live, move it, or use the arrow keys.

# %%
with cuda.inspect(trace=True, debug=True) as run:
    sum_by_the_first[2, 64](out, ones)
print("findings:", len(run.findings))
viz.step(run.launches[0])

# %% [markdown]
# Cells with a dot have never been written; thread 0 adds them up, too. The finding
# already appears at `tile[1]`, although thread 1 is in the same warp and has written
# its number: without a barrier, nothing orders even these two threads.
#
# ## The remedy
#
# Write, *barrier*, read, as in lesson 4.


# %%
@cuda.jit
def sum_after_a_barrier(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(64):
            total += tile[k]
        out[cuda.blockIdx.x] = total


out = cuda.to_device(np.zeros(2, np.float32))
with cuda.inspect(trace=True, debug=True) as run:
    sum_after_a_barrier[2, 64](out, ones)
print(out.copy_to_host(), "findings:", run.findings)

# %% [markdown]
# And step by step: warp 0 waits at the barrier until warp 1 has written its numbers,
# too. When thread 0 continues, all cells have a number.

# %%
viz.step(run.launches[0], 7)

# %% [markdown]
# ## Two that write
#
# A barrier does not help when threads of *different blocks* use the same cell: a
# barrier is for one block only. Here all threads of the grid increment the same cell.
#
# **Before you run it:** 128 threads add 1. What will be in `out[0]`?


# %%
@cuda.jit
def count_all(out, a):
    i = cuda.grid(1)
    if a[i] > 0:
        out[0] += 1


out = cuda.to_device(np.zeros(1, np.float32))
with cuda.inspect(trace=True) as run:
    count_all[2, 64](out, ones)
print(out.copy_to_host())
print(run.findings[0])

# %%
viz.race(run.launches[0])

# %% [markdown]
# `out[0] += 1` looks like one step, but it is three: read, add, write. The 32 threads
# of a warp all read the same old number, and each writes that number plus 1. So a whole
# warp adds 1 instead of 32, and the four warps together count to 4.
#
# On a GPU it can get even worse than four, because warps can overlap as well.
#
# **Guess first:** what is the *smallest* number that these 128 threads can leave?

# %%
my_smallest = None
course.check("06.1", my_smallest)

# %% [markdown]
# ## Atomic
#
# An *atomic* operation performs the three steps without letting any other thread in
# between. The order of the threads is still not determined, but for a count it does not
# matter.


# %%
@cuda.jit
def count_one_by_one(out, a):
    i = cuda.grid(1)
    if a[i] > 0:
        cuda.atomic.add(out, 0, 1)


out = cuda.to_device(np.zeros(1, np.float32))
with cuda.inspect() as run:
    count_one_by_one[2, 64](out, ones)
print(out.copy_to_host(), "findings:", run.findings)

# %% [markdown]
# When should you use which remedy? If a thread needs what other threads of its *block*
# have written, use a barrier. If many threads change one cell, use an atomic operation.
# It is often better to give each thread its own cell and to add them up afterwards, as
# in lesson 5, because threads that update one cell atomically wait for each other.
#
# ## Your turn
#
# Count the cells above 0. The number of cells is not a multiple of the block size.


# %%
@cuda.jit
def count(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("06.2", count)

# %% [markdown]
# Two rounds in a shared tile: in each round, every cell becomes the sum of itself and
# the next cell. You need a barrier in *two* places: before other threads overwrite what
# you read, and before you read what other threads write.


# %%
@cuda.jit
def two_rounds(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Eight lines of yours.


course.check("06.3", two_rounds)

# %% [markdown]
# One thing the emulator cannot prove. It starts blocks in order and runs each to its
# end unless it waits for another block, so a path that needs two blocks at the same
# time may never run here; that nothing was found on other paths says nothing about it.
#
# **What to take away:** a race is in the program, not in the run, and a right result
# proves nothing. Next: `07_coalescing`.
