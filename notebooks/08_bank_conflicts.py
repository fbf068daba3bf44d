# %% [markdown]
# # Lesson 8: Bank conflicts
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: why a row of 33 can be better
# than a row of 32.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## The remedy that brings a new problem
#
# A matrix is to be transposed: rows become columns. Whoever reads rows must write
# columns, and lesson 7 told what columns cost. Shared memory helps: load a *tile* row
# by row, wait, and take it out column by column. What is walked by columns is then only
# the tile, which is near.


# %%
@cuda.jit
def turn_32(out, a):
    tile = cuda.shared.array((32, 32), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    number = tile[x, y]
    out[y, x] = number


matrix = np.arange(1024, dtype=np.float32).reshape(32, 32)
a, out = cuda.to_device(matrix), cuda.to_device(np.zeros_like(matrix))
with cuda.inspect(trace=True) as run:
    turn_32[1, (32, 32)](out, a)
rows_of_32 = run.launches[0]
print("right:", np.array_equal(out.copy_to_host(), matrix.T))
print("sectors a load:", rows_of_32.counters["global_load_sectors"] / 32)
print("sectors a store:", rows_of_32.counters["global_store_sectors"] / 32)

# %% [markdown]
# Four sectors for each of the 32 loads and of the 32 stores: as good as it can be. So
# is all well?
#
# ## 32 banks
#
# Shared memory is divided into 32 *banks*. Word 0 (four bytes) lies in bank 0, word 1
# in bank 1, ..., word 31 in bank 31, and word 32 in bank 0 again. In one *pass* each
# bank gives one word. As long as the 32 threads of a warp want words of different
# banks, or the very same word, one pass is enough. If two want different words of one
# bank, it takes two passes: a *bank conflict*.
#
# **Your guess first:** in line 7, `tile[x, y]`, the threads of a warp have the same y,
# and x from 0 to 31. How many words are between one thread's and the next one's? In
# which banks do they lie?

# %%
viz.memory(rows_of_32, line=7)

# %% [markdown]
# On the left is what happened: the words of a column are 32 apart, and so they all lie
# in *one* bank, which gives one word in each pass. 32 passes for one instruction; 31 of
# the 32 banks have nothing to do.
#
# ## A word that nobody uses
#
# The right half of the picture is computed, not run: it adds one word to each row of
# the tile. Row 1 then starts in bank 1, row 2 in bank 2, and so on: a column goes
# through all banks. Let us run it. **Before you run it:** how many passes will line 7
# take now?


# %%
@cuda.jit
def turn_33(out, a):
    tile = cuda.shared.array((32, 33), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    number = tile[x, y]
    out[y, x] = number


out = cuda.to_device(np.zeros_like(matrix))
with cuda.inspect(trace=True) as run:
    turn_33[1, (32, 32)](out, a)
rows_of_33 = run.launches[0]
print("right:", np.array_equal(out.copy_to_host(), matrix.T))
viz.memory(rows_of_33, line=7)

# %%
for launch in (rows_of_32, rows_of_33):
    loads = launch.counters["shared_load_requests"]
    passes = launch.counters["shared_load_wavefronts"]
    print(f"{launch.kernel}: {loads:.0f} loads, {passes:.0f} passes,", end=" ")
    print(f"{launch.counters['shared_bank_conflicts']:.0f} too many")

# %% [markdown]
# 32 words of memory, 128 bytes, are paid for 992 passes saved. (Profilers call a pass a
# *wavefront*; that is the counter's name.)
#
# ## What it looks like when it goes wrong
#
# As in lesson 7, nothing is reported: values are right, and only the counters tell. The
# padding itself can go wrong, too, where somebody counts words by hand. **Before you
# run it:** the tile below has 32 rows of 33 words, and the kernel computes their places
# itself. Does the array hold them all?


# %%
@cuda.jit
def turn_by_hand(out, a):
    tile = cuda.shared.array(32 * 32, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y * 33 + x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x * 33 + y]


try:
    turn_by_hand[1, (32, 32)](out, a)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# Row 31 starts at word 31 * 33 = 1023, which is the last one of 1,024: already its
# second thread is past the end. The array was not made larger with the rows. Write
# `(32, 33)` and two indices, and there is nothing to get wrong.
#
# ## Not every stride is bad
#
# What counts is how many *different words of one bank* a warp wants. Threads that read
# the same word share it; a stride of 3 words visits all banks in another order.
#
# **Your guess:** thread `t` reads word `2 * t`. How many passes?

# %%
my_passes = None
course.check("08.1", my_passes)

# %% [markdown]
# ## Your turn
#
# Transpose a matrix of several tiles. The tile itself is transposed as above; and the
# tile of block (bx, by) must go where block (by, bx) would be. No conflicts, four
# sectors a request.


# %%
@cuda.jit
def transpose(out, a):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    # Six lines of yours.


course.check("08.2", transpose)

# %% [markdown]
# Sums of rows, with one thread for each row. If threads read their rows directly, they
# are a row apart from each other: lesson 7. So load the matrix row by row with all
# threads, and sum from shared memory, without conflicts.


# %%
@cuda.jit
def row_sums(out, a):
    t = cuda.threadIdx.x
    # Eight lines of yours.


course.check("08.3", row_sums)

# %% [markdown]
# **What to keep:** in shared memory, too, what the warp wants *together* counts; a
# padding word a row sends a column through all banks. Next: `09_warps_and_divergence`.
