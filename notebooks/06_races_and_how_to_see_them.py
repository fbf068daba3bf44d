# %% [markdown]
# # Lesson 6: Races, and how to see them
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: right numbers from a wrong
# kernel.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## A kernel that is right by luck
#
# Blocks of 64 threads: each thread writes a number into the shared tile, and the *last*
# thread adds them all up. All numbers are 1, so each sum should be 64.
#
# **Your guess first:** there is no barrier. Will the sums be right?


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
# Right, three times. You could run it a thousand times, and each of them would print
# 64. And yet there is a finding, each time the same. Here is what it says, as a
# picture:

# %%
viz.race(run.launches[0])

# %% [markdown]
# Read the picture from left to right. The left box, with the thick edge, is what
# happened in this run: thread 0 wrote, later thread 63 read. The middle box shows the
# other order, which *nothing forbids*: thread 63 reads a cell that is not written yet.
# The right box is the program with a barrier: one order is left.
#
# Why was this run lucky? The emulator takes the warps of a block in turn, warp 0 before
# warp 1. Thread 63 is in warp 1, so the others had been there before it. A GPU takes
# whichever warp is ready.
#
# ## The same mistake without the luck
#
# **Before you run it:** now the *first* thread adds up. It is in warp 0. Which cells
# are written when it does?


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
# Half of the numbers: warp 1 had not put down its own yet. Who tests by looking at the
# result sees a mistake here and none above. The *race* is the same in both.
#
# **A race** is: two threads touch one cell, at least one of them writes, and nothing
# orders the two. It is a property of the program, not of a run. The emulator looks for
# it in that way: it keeps who touched each cell, and asks whether a barrier stands
# between. Therefore one run is enough.
#
# ## See it step by step
#
# One step is one warp that runs one line. `debug=True` builds the kernel as for a
# debugger, so that the picture knows variables by their names; such a build runs more
# instructions than the usual one. The picture starts at the finding; where the slider
# is live, move it, or use the arrow keys.

# %%
with cuda.inspect(trace=True, debug=True) as run:
    sum_by_the_first[2, 64](out, ones)
print("findings:", len(run.findings))
viz.step(run.launches[0])

# %% [markdown]
# Cells with a dot have never been written; thread 0 adds them up, too. The finding is
# already there at `tile[1]`, though thread 1 is in the same warp and its number has
# come: without a barrier nothing orders even these two.
#
# ## The remedy
#
# Put down, *barrier*, take: lesson 4 had it.


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
# And in steps: warp 0 waits at the barrier until warp 1 has put down its numbers, too.
# When thread 0 goes on, all cells have a number.

# %%
viz.step(run.launches[0], 7)

# %% [markdown]
# ## Two that write
#
# No barrier helps where threads of *different blocks* meet: a barrier is for one block.
# Here all threads of the grid count on one cell.
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
# `out[0] += 1` looks like one step and is three: read, add, write. The 32 threads of a
# warp read the same old number, and each writes it plus 1. So a whole warp adds 1
# instead of 32, and four warps came to 4.
#
# On a GPU four is not the end of it, since warps can overlap as well.
#
# **Your guess:** what is the *smallest* number that these 128 threads can leave?

# %%
my_smallest = None
course.check("06.1", my_smallest)

# %% [markdown]
# ## Atomic
#
# An *atomic* operation does the three steps without letting anybody between. In which
# order the threads come is still open, but for a count it does not matter.


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
# Which remedy when? If a thread needs what others of its *block* have written: a
# barrier. If threads change one cell: an atomic operation, or better, a cell of its own
# for each thread and a sum afterwards, as in lesson 5, since threads at one atomic cell
# wait for each other.
#
# ## Your turn
#
# Count the cells above 0. The number of cells does not fit the blocks.


# %%
@cuda.jit
def count(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("06.2", count)

# %% [markdown]
# Two rounds in a shared tile: in each, a cell becomes itself plus the next one. A
# barrier is needed in *two* places: before others may write what you read, and before
# you may read what others write.


# %%
@cuda.jit
def two_rounds(out, a):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Eight lines of yours.


course.check("06.3", two_rounds)

# %% [markdown]
# **What to keep:** a race is in the program, not in the run; a right result proves
# nothing. Next: `07_coalescing`.
