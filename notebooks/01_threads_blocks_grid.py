# %% [markdown]
# # Lesson 1: Threads, blocks, the grid
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Ten minutes: how a thread finds out which cell is
# its own.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## Who am I?
#
# Threads come in *blocks*, all of the same size. All blocks of a launch together are
# the *grid*. `kernel[3, 4]` is a grid of 3 blocks with 4 threads each: 12 threads.
#
# A thread knows three numbers: its place inside its block (`threadIdx`), the place of
# its block (`blockIdx`), and how many threads a block has (`blockDim`). This kernel
# writes them down.


# %%
@cuda.jit
def who(block, thread, cell):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    block[i] = cuda.blockIdx.x
    thread[i] = cuda.threadIdx.x
    cell[i] = i


block, thread, cell = (cuda.to_device(np.zeros(12, np.int32)) for _ in range(3))
who[3, 4](block, thread, cell)
print("blockIdx.x ", block.copy_to_host())
print("threadIdx.x", thread.copy_to_host())
print("cell       ", cell.copy_to_host())

# %% [markdown]
# `threadIdx.x` begins anew in each block. To get a number that no other thread has,
# count the threads of all earlier blocks, then add the place in the own block:
#
#     i = blockIdx.x * blockDim.x + threadIdx.x
#
# This is needed so often that there is a short form: `i = cuda.grid(1)`.
#
# **Your guess first:** blocks have 8 threads. Which cell belongs to thread 3 of block
# 2?

# %%
my_guess = None
course.check("01.1", my_guess)

# %% [markdown]
# ## See it
#
# `cuda.inspect(trace=True)` records every step of a launch, and `viz.grid` draws one
# thread and the cells that it touches. Change `thread` and `block`, and run it again.
# (*Warps*, which its table also has, come in lesson 4.)

# %%
with cuda.inspect(trace=True) as run:
    who[3, 4](block, thread, cell)

arrays = {"block": block, "thread": thread, "cell": cell}
viz.grid(run.launches[0], thread=2, block=1, arrays=arrays)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# Suppose we forget the block, and take `threadIdx.x` for the cell. There are 12 cells.
# **Before you run it:** which cells are written, and how often?


# %%
@cuda.jit
def forgot_the_block(out):
    i = cuda.threadIdx.x
    out[i] = 100 * cuda.blockIdx.x + i


out = cuda.to_device(np.zeros(12, np.int32))
try:
    forgot_the_block[3, 4](out)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)
print(out.copy_to_host())

# %% [markdown]
# Only four cells are written, each by three threads, one in each block. Which of the
# three comes last is not settled: on a GPU it may differ from run to run. That is a
# *race*; the emulator finds it whichever thread came last today. The error appears at
# `cuda.synchronize()`, not at the launch: a launch only *starts* the threads, and the
# program hears of them when it waits.
#
# ## Two numbers
#
# A matrix has rows and columns, and so can a grid. `kernel[(2, 1), (2, 3)]` is a grid
# of 2 blocks in x and 1 in y, of 2 by 3 threads each. `cuda.grid(2)` gives both
# numbers, x first.


# %%
@cuda.jit
def place(out):
    row, column = cuda.grid(2)
    out[row, column] = 10 * row + column


table = cuda.to_device(np.zeros((4, 3), np.int32))
with cuda.inspect(trace=True) as run:
    place[(2, 1), (2, 3)](table)
print(table.copy_to_host())

# %%
viz.grid(run.launches[0], thread=(1, 2), block=(1, 0), arrays={"table": table})

# %% [markdown]
# ## Your turn
#
# Square: write `a[i] * a[i]` to `out[i]`, with many blocks.


# %%
@cuda.jit
def square(out, a):
    i = 0  # Say here who the thread is.
    # One more line of yours.


course.check("01.2", square)

# %% [markdown]
# Write `10 * row + column` to every cell of a matrix, as above, but without
# `cuda.grid`: use `blockIdx`, `blockDim` and `threadIdx`, of `x` for the row and of `y`
# for the column.


# %%
@cuda.jit
def place_without_grid(out, a):
    row = 0
    column = 0
    # One more line of yours.


course.check("01.3", place_without_grid)

# %% [markdown]
# **What to keep:** `threadIdx` is the place in the block, `cuda.grid` the place in the
# grid. Next: `02_guards_and_bounds`.
