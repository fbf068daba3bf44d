# %% [markdown]
# # Lesson 15: GPU puzzles
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: fourteen kernels to write on your
# own.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import cuda, np, puzzles, viz

# %% [markdown]
# ## What a puzzle is
#
# You know maps, guards, shared memory, barriers, reductions and tiles. The *puzzles*
# ask for a kernel each, from adding ten to a product of matrices. The idea and the
# order are Sasha Rush's; texts and checks are our own. A puzzle prints what is asked,
# an example of a launch and a kernel to complete:

# %%
print(puzzles.puzzle(3))

# %% [markdown]
# ## What the judge looks at
#
# `puzzles.check` runs a kernel on several inputs, whose sizes do not fit the blocks,
# and compares all values. On the emulator it is stricter than that. **Before you run
# it:** what is wrong with this answer to puzzle 3, and could you have told by its
# values?


# %%
def one_too_many(out, a, size):
    i = cuda.threadIdx.x
    if i <= size:
        out[i] = a[i] + 10


puzzles.check(3, one_too_many)

# %% [markdown]
# It has read behind the end: of cell 4, of an array with cells 0 to 3. The message
# names the line, the index and the thread. Now without the mistake:


# %%
def guarded(out, a, size):
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + 10


puzzles.check(3, guarded)

# %% [markdown]
# Solved. The table compares what a thread reads and writes with a good solution: a
# kernel may be right and read each number ten times.
#
# ## Right values, and yet not solved
#
# Puzzle 9 wants `out[i] = a[i - 2] + a[i - 1] + a[i]`, with one read of global memory
# for each thread. **Before you run it:** what does this kernel lack?


# %%
@cuda.jit
def hasty(out, a, size):
    tile = cuda.shared.array(8, np.float32)
    i = cuda.threadIdx.x
    if i < size:
        tile[i] = a[i]
        total = tile[i]
        if i > 0:
            total += tile[i - 1]
        if i > 1:
            total += tile[i - 2]
        out[i] = total


result = puzzles.check(9, hasty)
result

# %% [markdown]
# All of its values are right: eight threads of one warp ran in step, by luck. If a
# message is not enough, launch the kernel yourself and look:

# %%
a = cuda.to_device(np.arange(8, dtype=np.float32))
out = cuda.to_device(np.zeros(8, np.float32))
with cuda.inspect(trace=True) as run:
    hasty[1, 8](out, a, 8)
viz.race(run.launches[0])

# %% [markdown]
# The picture says where the barrier belongs. (`cuda.syncwarp()`, in the message, is one
# for the threads of a single warp; `cuda.syncthreads()` does as well.) Mind
# that it may not stand inside the `if` (lesson 4): all threads must come by, also those
# without a cell.
#
# A result can be looked at in Python, too: `result.state`, `result.findings`, and
# `result.cases` with what went in and what came out.

# %%
print(result.state, len(result.findings), len(result.cases))
print(puzzles.puzzle(9).hints[0])

# %% [markdown]
# ## Your turn
#
# Put hasty right.


# %%
@cuda.jit
def pooling(out, a, size):
    tile = cuda.shared.array(8, np.float32)
    i = cuda.threadIdx.x
    # Eight lines of yours.


puzzles.check(9, pooling)

# %% [markdown]
# And the first two, to warm up:


# %%
@cuda.jit
def add_ten(out, a):
    i = cuda.threadIdx.x
    # One line of yours.


puzzles.check(1, add_ten)


# %%
@cuda.jit
def add(out, a, b):
    i = cuda.threadIdx.x
    # One line of yours.


puzzles.check(2, add)

# %% [markdown]
# ## The others
#
# All fourteen, with their texts, wait in [puzzles.ipynb](puzzles.ipynb). If one does
# not come, its lesson may help:
#
# - 1 to 7, maps with guards, in one and two dimensions: lessons 1 to 3;
# - 8, 9 and 11, neighbours and windows in shared memory: lesson 4;
# - 10, 12 and 13, sums: lesson 5, and its barriers: lesson 6;
# - 14, a product of matrices in tiles: lesson 10.
#
# `puzzles.puzzle(11).hints` are hints, one after the other more outspoken.
#
# **What to keep:** right values are the beginning. Then ask what is reported, and what
# it costs.
