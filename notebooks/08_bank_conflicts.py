# %% [markdown]
# # Lesson 8: Bank conflicts
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/08_bank_conflicts.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: why a row of 33 can be better
# than a row of 32.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## The remedy that brings a new problem
#
# We want to transpose a matrix: rows become columns. If you read rows, you must write
# columns, and lesson 7 showed what columns cost. Shared memory helps: load a *tile* row
# by row, wait, and read it column by column. Then only the tile is read by columns, and
# the tile is close to the threads.


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
print("sectors per load:", rows_of_32.counters["global_load_sectors"] / 32)
print("sectors per store:", rows_of_32.counters["global_store_sectors"] / 32)

# %% [markdown]
# Each of the 32 loads and each of the 32 stores needs four sectors, which is as good as
# it can be. So is everything fine?
#
# ## 32 banks
#
# Shared memory is divided into 32 *banks*. Word 0 (four bytes) lies in bank 0, word 1
# in bank 1, ..., word 31 in bank 31, and word 32 in bank 0 again. In one *pass* each
# bank delivers one word. As long as the 32 threads of a warp want words from different
# banks, or the very same word, one pass is enough. If two threads want different words
# from the same bank, it takes two passes: a *bank conflict*.
#
# **Guess first:** in line 7, `tile[x, y]`, the threads of a warp have the same y, and x
# runs from 0 to 31. How many words lie between one thread's word and the next thread's?
# In which banks are they?

# %%
viz.memory(rows_of_32, line=7)

# %% [markdown]
# *As it ran* shows what happened: the words of a column are 32 apart, so they all lie
# in *one* bank: for lane 5, 5 × 32 = 160, and 160 mod 32 = 0. A bank delivers one word
# in each pass. The instruction takes 32 passes, and 31 of the 32 banks have nothing to
# do.
#
# ## A word that nobody uses
#
# *With 1 padding word a row* is computed, not run: it adds one word to each row of the
# tile. Row 1 then starts in bank 1, row 2 in bank 2, and so on: for lane 5, 5 × 33 =
# 165, and 165 mod 32 = 5. A column is spread over all banks, and the array has 32 rows
# of 33 words. The slider adds more. Let us run it with one. **Before you run it:** how
# many passes will line 7 take now?


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
# 32 more words of memory, or 128 bytes, save 992 passes. (Profilers call a pass a
# *wavefront*; that is why the counter has this name.)
#
# ## What it looks like when it goes wrong
#
# As in lesson 7, nothing is reported: the values are right, and only the counters
# reveal the problem. Padding can also introduce a mistake of its own, if you compute
# indices by hand. **Before you run it:** the tile below is meant to have 32 rows of 33
# words, and the kernel computes the index of each word itself. Are they all inside the
# array?


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
# Row 31 starts at word 31 * 33 = 1023, which is the last of the 1,024 words, so the
# second thread of that row is already past the end. The rows became longer, but the
# array did not. Write `(32, 33)` and use two indices, and this mistake cannot happen.
#
# ## Not every stride is bad
#
# What counts is how many *different words of one bank* a warp wants. Threads that read
# the same word share it, and a stride of 3 words visits all banks in a different order.
#
# **Guess first:** thread `t` reads word `2 * t`. How many passes?

# %%
my_passes = None
course.check("08.1", my_passes)

# %% [markdown]
# ## Your turn
#
# Transpose a matrix of several tiles. Each tile is transposed as above, and the tile of
# block (bx, by) must go where block (by, bx) would be. There must be no bank conflicts,
# and at most four sectors per request.


# %%
@cuda.jit
def transpose(out, a):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    # Six lines of yours.


course.check("08.2", transpose)

# %% [markdown]
# Compute the sum of each row, with one thread for each row. If each thread reads its
# row directly, neighbouring threads access cells that are a whole row apart (lesson 7).
# So let all threads load the matrix row by row, and then add up the rows in shared
# memory, without bank conflicts.


# %%
@cuda.jit
def row_sums(out, a):
    t = cuda.threadIdx.x
    # Eight lines of yours.


course.check("08.3", row_sums)

# %% [markdown]
# **What to take away:** in shared memory, too, what counts is what the threads of a
# warp want *together*. One padding word per row spreads a column over all banks. Next:
# `09_warps_and_divergence`.
