# %% [markdown]
# # Lesson 7: Neighbours move together
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/07_coalescing.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: what the memory transfers when a
# warp reads.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, timing, viz

# %% [markdown]
# ## Memory moves in pieces
#
# The 32 threads of a warp run an instruction together. When the instruction is a load,
# the 32 cells that the threads want are fetched as *one request*. But memory does not
# move single cells: it moves *sectors* of 32 bytes. If a thread touches one cell of a
# sector, all 32 bytes are moved.
#
# So it matters a great deal whether the 32 cells lie side by side. The following two
# kernels double a matrix of 32 by 32. In the first kernel each block of 32 threads
# takes a row; in the second it takes a column.


# %%
@cuda.jit
def along_a_row(out, a):
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    out[row, column] = 2 * a[row, column]


@cuda.jit
def down_a_column(out, a):
    row, column = cuda.threadIdx.x, cuda.blockIdx.x
    out[row, column] = 2 * a[row, column]


# %% [markdown]
# **Guess first:** a row of the matrix is contiguous in memory, and a float has four
# bytes. How many sectors of 32 bytes does a warp need in each of the two kernels? Then
# look at the pictures. (A thread's place in its warp, 0 to 31, is called its *lane*.)

# %%
matrix = np.arange(1024, dtype=np.float32).reshape(32, 32)
a, out = cuda.to_device(matrix), cuda.to_device(np.zeros_like(matrix))
with cuda.inspect(trace=True) as run:
    along_a_row[32, 32](out, a)
    down_a_column[32, 32](out, a)
rows, columns = run.launches
viz.memory(rows, block=3)

# %% [markdown]
# 128 bytes are used, and 128 are moved: four sectors, no waste. This is called
# *coalesced* access: the loads of 32 threads become one transfer. Now the column:

# %%
viz.memory(columns, block=3)

# %% [markdown]
# Each thread's cell lies in a different row, 128 bytes from the previous one, so each
# thread needs its own sector. 32 sectors are moved; in each of them, 4 bytes are used
# and 28 are wasted.
#
# ## Count it
#
# The pictures show one request. The `counters` cover them all.

# %%
for launch in run.launches:
    sectors = launch.counters["global_load_sectors"]
    requests = launch.counters["global_load_requests"]
    print(f"{launch.kernel}: {requests:.0f} requests, {sectors:.0f} sectors loaded,")
    print(f"    {sectors / requests:.0f} sectors per request")

# %% [markdown]
# The result is the same and the number of threads is the same, but the traffic is eight
# times as high. For floats of four bytes, aim at four sectors per request. Profilers
# for real GPUs show the same number, and call it *sectors per request*.
#
# (A GPU also has caches, and may find a sector there that a neighbouring block has
# already fetched. That makes the column access less bad, but never good.)
#
# ## What the clock says
#
# The emulator counts; it has no clock. `timing` runs a kernel on this computer's GPU if
# there is one, such as Colab's T4. Otherwise it estimates how long the card would need
# to move these bytes without its caches. Each line names the machine. **Guess first:**
# for a matrix of 1,024 by 1,024, how many times as long as the row kernel does the
# column kernel take?

# %% tags=["timing"]
large = np.ones((1024, 1024), np.float32)
print(timing(along_a_row, 1024, 1024, np.zeros_like(large), large))
print(timing(down_a_column, 1024, 1024, np.zeros_like(large), large))

# %% [markdown]
# ## In between
#
# A *stride* is the distance from one thread's cell to the next thread's. **Before you
# run it:** what do strides of 1, 2, 4, 8 and 16 floats cost?


# %%
@cuda.jit
def every(out, a, stride):
    i = cuda.grid(1)
    out[i] = a[stride * i]


cells = cuda.to_device(np.arange(512, dtype=np.float32))
few = cuda.to_device(np.zeros(32, np.float32))
for stride in (1, 2, 8, 16):
    with cuda.inspect() as run:
        every[1, 32](few, cells, stride)
    sectors = run.launches[0].counters["global_load_sectors"]
    print(f"stride {stride:2}: {sectors:.0f} sectors for 128 useful bytes")

# %% [markdown]
# With a stride of 8 floats, or 32 bytes, every thread needs its own sector, and it
# cannot get worse. One stride was left out: 4. How many sectors does it need? (Then
# drag *Stride* in a picture above, and *Offset*, too.)

# %%
my_sectors = None
course.check("07.1", my_sectors)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# Nothing is reported, and the values are right. That is why this mistake is so common:
# only the counters, or a clock, reveal it. Here is its most common form, with
# `cuda.grid(2)`. **Before you run it:** which of the two numbers differs between
# neighbouring threads, the first or the second?


# %%
@cuda.jit
def negated(out, a):
    row, column = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = -a[row, column]


with cuda.inspect(trace=True) as run:
    negated[(1, 8), (32, 4)](out, a)
print(np.array_equal(out.copy_to_host(), -matrix), "findings:", run.findings)
viz.memory(run.launches[0])

# %% [markdown]
# The *first* number is x, and the threads of a warp are neighbours in x. Here x counts
# rows, so the cells of neighbouring threads lie a whole row apart. Let x count columns
# instead: `column, row = cuda.grid(2)`.
#
# ## Your turn
#
# The check now prints one more line: what the launch costs, and what would be enough.
# If the values are right but the cost is too high, the answer is *too costly*.


# %%
@cuda.jit
def plus_one(out, a):
    x, y = cuda.grid(2)
    # Two lines of yours.


course.check("07.2", plus_one)

# %% [markdown]
# There are 512 cells, and each thread processes four of them. Should thread 0 take
# cells 0, 1, 2 and 3? Think of what the *warp* wants in its first instruction.


# %%
@cuda.jit
def four_each(out, a):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("07.3", four_each)

# %% [markdown]
# **What to take away:** in the same instruction, neighbouring threads should access
# neighbouring cells. Next: `08_bank_conflicts`.
