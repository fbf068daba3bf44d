# %% [markdown]
# # Lesson 15: GPU puzzles
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/15_gpu_puzzles.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: how to work on fourteen kernels
# that you write on your own.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import cuda, np, puzzles, viz

# %% [markdown]
# ## What a puzzle is
#
# You know maps, guards, shared memory, barriers, reductions and tiles. Each *puzzle*
# asks for one kernel, from adding ten to a matrix product. The idea and the order are
# Sasha Rush's; the texts and checks are our own. A puzzle prints its task, an example
# launch and a kernel to complete:

# %%
print(puzzles.puzzle(3))

# %% [markdown]
# ## What the judge looks at
#
# `puzzles.check` runs a kernel on several inputs, including sizes that do not fit the
# blocks, and compares all values. On the emulator it checks even more. **Before you run
# it:** what is wrong with this answer to puzzle 3, and would its values reveal the
# mistake?


# %%
def one_too_many(out, a, size):
    i = cuda.threadIdx.x
    if i <= size:
        out[i] = a[i] + 10


puzzles.check(3, one_too_many)

# %% [markdown]
# It read past the end: it read cell 4 of an array with cells 0 to 3. The message names
# the line, the index and the thread. Now without the mistake:


# %%
def guarded(out, a, size):
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + 10


puzzles.check(3, guarded)

# %% [markdown]
# Solved. The table compares the reads and writes of a thread with those of a good
# solution: a kernel may be right and still read each number ten times.
#
# ## Right values, and yet not solved
#
# Puzzle 9 asks for `out[i] = a[i - 2] + a[i - 1] + a[i]`, with one read of global
# memory for each thread. **Before you run it:** what is missing in this kernel?


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
# All of its values are right, but only by luck: the eight threads are in one warp and
# ran in step. If a message is not enough, launch the kernel yourself and look:

# %%
a = cuda.to_device(np.arange(8, dtype=np.float32))
out = cuda.to_device(np.zeros(8, np.float32))
with cuda.inspect(trace=True) as run:
    hasty[1, 8](out, a, 8)
viz.race(run.launches[0])

# %% [markdown]
# The picture shows where the barrier belongs. (The message mentions `cuda.syncwarp()`,
# a barrier for the threads of a single warp; `cuda.syncthreads()` works as well.) Note
# that the barrier must not be inside the `if` (lesson 4): all threads must reach it,
# including those without a cell.
#
# You can also examine a result in Python: `result.state`, `result.findings`, and
# `result.cases`, which holds the inputs and outputs.

# %%
print(result.state, len(result.findings), len(result.cases))
print(puzzles.puzzle(9).hints[0])

# %% [markdown]
# ## Your turn
#
# Correct `hasty`.


# %%
@cuda.jit
def pooling(out, a, size):
    tile = cuda.shared.array(8, np.float32)
    i = cuda.threadIdx.x
    # Eight lines of yours.


puzzles.check(9, pooling)

# %% [markdown]
# Then try the first two, to warm up:


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
# All fourteen, with their texts, are in [puzzles.ipynb](puzzles.ipynb). If you get
# stuck, the matching lesson may help:
#
# - 1 to 7, maps with guards, in one and two dimensions: lessons 1 to 3;
# - 8, 9 and 11, neighbours and windows in shared memory: lesson 4;
# - 10, 12 and 13, sums: lesson 5, and its barriers: lesson 6;
# - 14, a tiled matrix product: lesson 10.
#
# `puzzles.puzzle(11).hints` gives hints; each one reveals more than the one before.
#
# **What to take away:** right values are only the beginning. Then ask what the checks
# report, and what the kernel costs. Next: `16_who_computes_a_neuron`.
