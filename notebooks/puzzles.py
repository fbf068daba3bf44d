# %% [markdown]
# # Fourteen GPU puzzles
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/puzzles.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Each puzzle asks for one small kernel in Python.
# `puzzles.check` runs it on several inputs. The emulator also finds mistakes that leave
# the values right, names the line of your kernel, and counts what each thread reads and
# writes.
#
# The idea and the order of the puzzles come from Sasha Rush's
# [GPU-Puzzles](https://github.com/srush/GPU-Puzzles); the texts, inputs and checks are
# new.
#
# The first cell installs minitorch-cuda if it is missing. The kernels run on the
# emulator, even if you have a GPU.

# %%
from minitorch_cuda.learn import cuda, puzzles

# %% [markdown]
# Complete the kernels below. `print(puzzles.puzzle(3))` shows a puzzle's text again,
# and `puzzles.puzzle(3).hints` gives hints; each one reveals more than the one before.
#
# Kernels look like Python, but they are compiled. They can use numbers, `if`, `for`,
# `while`, arrays and indices, but no lists or strings. All threads run the same
# function at once.

# %% [markdown]
# ## 1. Map
#
# Write a[i] + 10 to out[i] for every i. There is one block, with exactly one thread for
# each cell; the thread's number is cuda.threadIdx.x.


# %%
@cuda.jit
def add_ten(out, a):
    i = cuda.threadIdx.x
    # One line of yours.


puzzles.check(1, add_ten)


# %% [markdown]
# ## 2. Zip
#
# Write a[i] + b[i] to out[i] for every i. Again, there is one thread for each cell, in
# one block.


# %%
@cuda.jit
def add(out, a, b):
    i = cuda.threadIdx.x
    # One line of yours.


puzzles.check(2, add)


# %% [markdown]
# ## 3. Guard
#
# Write a[i] + 10 to out[i] for every i below size. The block always has eight threads,
# whatever the size is: the threads left over must touch nothing.


# %%
@cuda.jit
def add_ten_guarded(out, a, size):
    i = cuda.threadIdx.x
    # Two lines of yours.


puzzles.check(3, add_ten_guarded)


# %% [markdown]
# ## 4. Map 2D
#
# Write a[i, j] + 10 to out[i, j]; a and out are square, size by size. The block is
# square, too: it is three by three, and may be larger than the matrix.


# %%
@cuda.jit
def add_ten_2d(out, a, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    # Two lines of yours.


puzzles.check(4, add_ten_2d)


# %% [markdown]
# ## 5. Broadcast
#
# Write a[i, 0] + b[0, j] to out[i, j]: a is a column of `size` cells, b is a row of
# `size` cells, and out is square. The block is three by three, and may be larger than
# out.


# %%
@cuda.jit
def add_outer(out, a, b, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    # Two lines of yours.


puzzles.check(5, add_outer)


# %% [markdown]
# ## 6. Blocks
#
# Write a[i] + 10 to out[i] for every i below size. Blocks have four threads each. There
# are as many blocks as needed; the last one may have too many threads.


# %%
@cuda.jit
def add_ten_blocks(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    # Two lines of yours.


puzzles.check(6, add_ten_blocks)


# %% [markdown]
# ## 7. Blocks 2D
#
# Write a[i, j] + 10 to out[i, j]; a and out are size by size. Blocks are three by
# three, and a square of blocks covers the matrix.


# %%
@cuda.jit
def add_ten_blocks_2d(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    # About three lines of yours.


puzzles.check(7, add_ten_blocks_2d)

# %% [markdown]
# ## 8. Shared
#
# Write a[i] + 10 to out[i], using shared memory: every thread stores its cell there,
# waits for the block, and reads it back. (This gains nothing yet.) Blocks have four
# threads; the last one may have too many.

# %%
TPB = 4  # threads per block; the size of a shared array must be a constant


@cuda.jit
def add_ten_shared(out, a, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
    cuda.syncthreads()
    # Two lines of yours.


puzzles.check(8, add_ten_shared)

# %% [markdown]
# ## 9. Pooling
#
# Write to out[i] the sum of a[i] and the two cells before it, if they exist. There is
# one block of eight threads, and size is at most 8. Each thread needs to read global
# memory only once.

# %%
TPB = 8


@cuda.jit
def sum_last_three(out, a, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About eight lines of yours.


puzzles.check(9, sum_last_three)

# %% [markdown]
# ## 10. Dot product
#
# Write to out[0] the sum of all a[i] * b[i]. There is one block of eight threads, and
# size is at most 8. A thread reads global memory twice and writes at most once. It does
# not matter yet how often shared memory is read.

# %%
TPB = 8


@cuda.jit
def dot(out, a, b, size):
    shared = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About nine lines of yours.


puzzles.check(10, dot)

# %% [markdown]
# ## 11. 1D convolution
#
# Write to out[i] the sum over j of a[i + j] * b[j], for every j below b_size for which
# a[i + j] exists. Blocks have eight threads; b_size is at most 4. Every thread reads
# global memory at most twice.

# %%
MAX_CONV = 4
TPB = 8
TPB_MAX_CONV = TPB + MAX_CONV


@cuda.jit
def convolve(out, a, b, a_size, b_size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About seventeen lines of yours.


puzzles.check(11, convolve)

# %% [markdown]
# ## 12. Prefix sum
#
# Write to out[k] the sum of the eight cells of a that belong to block k; the last block
# may have fewer. Blocks have eight threads. Work as a parallel prefix sum does: in
# every round, add half of the remaining numbers to the other half, so that three rounds
# are enough for eight numbers.

# %%
TPB = 8


@cuda.jit
def sum_blocks(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    # About twelve lines of yours.


puzzles.check(12, sum_blocks)

# %% [markdown]
# ## 13. Axis sum
#
# Write to out[row, 0] the sum of row `row` of a. a has `size` columns, at most 8. There
# is one block of eight threads for every row; the row's number is cuda.blockIdx.y.

# %%
TPB = 8


@cuda.jit
def sum_rows(out, a, size):
    cache = cuda.shared.array(TPB, cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    row = cuda.blockIdx.y
    # About twelve lines of yours.


puzzles.check(13, sum_rows)

# %% [markdown]
# ## 14. Matrix multiply
#
# Write the product of the matrices a and b to out; all are size by size. Blocks are
# three by three, and shared memory holds only one tile of that size from each matrix.
# First solve the case of one block, then let the tiles move along the rows of a and
# down the columns of b. For size 8, a thread then reads global memory six times.

# %%
TPB = 3


@cuda.jit
def multiply(out, a, b, size):
    a_shared = cuda.shared.array((TPB, TPB), cuda.float32)
    b_shared = cuda.shared.array((TPB, TPB), cuda.float32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    local_i = cuda.threadIdx.x
    local_j = cuda.threadIdx.y
    # About fourteen lines of yours.


puzzles.check(14, multiply)


# %% [markdown]
# ## What a check says
#
# Right values are not enough. This kernel for puzzle 9 has no barrier: on hardware
# whose warps run in step, it gives the right sums, until one day it does not.


# %%
@cuda.jit
def sum_last_three_unordered(out, a, size):
    shared = cuda.shared.array(8, cuda.float32)
    i = cuda.threadIdx.x
    if i < size:
        shared[i] = a[i]
        total = shared[i]
        if i > 0:
            total += shared[i - 1]
        if i > 1:
            total += shared[i - 2]
        out[i] = total


result = puzzles.check(9, sum_last_three_unordered)
print(result)
assert result.state == "reported" or not cuda.is_emulated()
