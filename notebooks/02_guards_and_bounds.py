# %% [markdown]
# # Lesson 2: Guards and bounds
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/02_guards_and_bounds.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Ten minutes: threads that have no cell, and what
# happens to them.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## More threads than cells
#
# All blocks have the same size. For 10 cells and blocks of 4 threads we need 3 blocks,
# which have 12 threads. For `n` cells and `b` threads per block, `(n + b - 1) // b`
# blocks are enough: this is a division that rounds up.
#
# **Guess first:** how many blocks of 256 threads do 1000 cells need?

# %%
my_blocks = None
course.check("02.1", my_blocks)

# %% [markdown]
# How many threads are then left over?

# %%
my_left_over = None
course.check("02.2", my_left_over)

# %% [markdown]
# ## What the threads left over do
#
# They run the same lines as all the others: nobody tells them that there is nothing to
# do. **Before you run it:** which cell does the first leftover thread touch, and does
# that cell exist?


# %%
@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    x[i] += 1


x = cuda.to_device(np.zeros(10, np.float32))
try:
    add_one[3, 4](x)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# Read the message from left to right: what happened (an out-of-bounds read), which
# element was meant (`x[i]` with its index), how many elements `x` has, on which line,
# and which thread did it (one of block 2). The error appears at `cuda.synchronize()`, not at the launch: a launch only
# *starts* the threads, and the program learns about errors when it waits for them. A
# program can read the same facts:

# %%
with cuda.inspect() as run:
    add_one[3, 4](x)
finding = run.findings[0]
print(finding.kind, finding.thread, finding.block, finding.line)

# %% [markdown]
# On a real GPU this mistake is often silent. Some other array follows `x` in memory,
# and *its* first cells are overwritten. The program continues with wrong numbers, or it
# fails much later, somewhere else.
#
# ## The guard
#
# The thread asks whether it has a cell before it touches one.


# %%
@cuda.jit
def add_one_guarded(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


x = cuda.to_device(np.zeros(10, np.float32))
with cuda.inspect(trace=True) as run:
    add_one_guarded[3, 4](x)
print(x.copy_to_host())
print("findings:", run.findings)

# %% [markdown]
# Thread 3 of block 2 ran as well, but it touched nothing:

# %%
viz.grid(run.launches[0], thread=3, block=2, arrays={"x": x})

# %% [markdown]
# ## One too many
#
# **Before you run it:** the guard below has one more character. Which thread gets
# through?


# %%
@cuda.jit
def one_too_many(x):
    i = cuda.grid(1)
    if i <= x.size:
        x[i] += 1


try:
    one_too_many[3, 4](x)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# The last cell has the number `x.size - 1`. With exactly 12 cells and 12 threads, the
# wrong guard would have done no harm. That is why such mistakes survive for so long:
# always test sizes that do not fit.
#
# ## Several threads for one cell
#
# A guard does not help if the position itself is wrong. Here somebody forgot the block,
# and uses `threadIdx.x` as the cell's index. **Before you run it:** which of the 12
# cells are written, and how often?


# %%
@cuda.jit
def forgot_the_block(out):
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = 100 * cuda.blockIdx.x + i


out = cuda.to_device(np.zeros(12, np.int32))
try:
    forgot_the_block[3, 4](out)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)
print(out.copy_to_host())

# %% [markdown]
# Only four cells are written, each by three threads, one from each block. Nothing
# determines which of the three comes last: on a GPU it may differ from run to run. That
# is a *race*, and the emulator reports it no matter which thread came last today.
# Lesson 6 has more about races.
#
# ## Your turn
#
# Write half of each number to `out`, with a guard.


# %%
@cuda.jit
def half(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("02.3", half)

# %% [markdown]
# Do the same for a matrix. There can be too many threads in either direction:
# `out.shape[0]` is the number of rows, and `out.shape[1]` is the number of columns. The
# first number of `cuda.grid(2)`, x, is the column.


# %%
@cuda.jit
def half_of_a_matrix(out, a):
    column, row = cuda.grid(2)
    # Two lines of yours.


course.check("02.4", half_of_a_matrix)

# %% [markdown]
# **What to take away:** round up the number of blocks, and guard every access. Next:
# `03_map_zip`.
