# %% [markdown]
# # Lesson 10: A product of matrices, from naive to tiled
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/10_matmul_naive_to_tiled.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: load once, use sixteen times.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, timing, viz

# %% [markdown]
# ## One thread, one cell
#
# In the product `c = a @ b`, cell `c[row, column]` is the dot product of a row of `a`
# and a column of `b`. A kernel with one thread for each cell of `c` is easy to write.
# Here x counts columns, so that neighbouring threads take neighbouring cells (lesson
# 7).


# %%
@cuda.jit
def naive(c, a, b):
    column, row = cuda.grid(2)
    total = np.float32(0)
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, column]
    c[row, column] = total


generator = np.random.default_rng(0)
matrix_a = generator.random((32, 32), dtype=np.float32)
matrix_b = generator.random((32, 32), dtype=np.float32)
a, b = cuda.to_device(matrix_a), cuda.to_device(matrix_b)
c = cuda.to_device(np.zeros_like(matrix_a))
with cuda.inspect(trace=True) as run:
    naive[(2, 2), (16, 16)](c, a, b)
by_cells = run.launches[0]
print("right:", np.allclose(c.copy_to_host(), matrix_a @ matrix_b))

# %% [markdown]
# **Guess first:** the matrices are 32 by 32. How many threads read cell `a[3, 5]`?

# %%
my_readers = None
course.check("10.1", my_readers)

# %%
viz.grid(by_cells, thread=(3, 2), block=(1, 0))

# %% [markdown]
# The picture follows one thread: it makes 64 reads for one cell of the result. Drag the
# slider: under *Why this cell?* the line is lit that reads the two cells with a ring,
# along the row of `a` and down the column of `b`. And the thread is not alone: the line
# below the answer says how often the whole grid reads each cell.
# All of these reads go to slow global memory, for numbers that a neighbour has just
# read.
#
# ## Share what you load
#
# A block of 16 by 16 threads computes a tile of 16 by 16 cells of `c`. For this it
# needs 16 whole rows of `a` and 16 whole columns of `b`. Here that is 4 KB; with rows
# of 1,024 numbers it is 128 KB, more than the 48 KB of shared memory that a block gets.
# A piece always fits: a tile of `a` and a tile of `b`, 2 KB. So the block works in
# rounds:
#
# - each thread loads *one* cell of each tile; barrier;
# - each thread adds up 16 products, all from shared memory; barrier;
# - the block moves on to the next two tiles.
#
# **Guess first:** how often is each cell of `a` loaded from global memory now?

# %%
my_loads = None
course.check("10.2", my_loads)


# %%
@cuda.jit
def tiled(c, a, b):
    tile_a = cuda.shared.array((16, 16), np.float32)
    tile_b = cuda.shared.array((16, 16), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 16):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, column] = total


c = cuda.to_device(np.zeros_like(matrix_a))
with cuda.inspect(trace=True) as run:
    tiled[(2, 2), (16, 16)](c, a, b)
by_tiles = run.launches[0]
print("right:", np.allclose(c.copy_to_host(), matrix_a @ matrix_b))
viz.grid(by_tiles, thread=(3, 2), block=(1, 0))

# %% [markdown]
# The same thread now reads four cells of global memory instead of 64. Its neighbours
# have loaded everything else that it needs. Here is the block of this thread, round by
# round: what it needs of `a` and `b` is outlined, and each warp loads the rows in its
# colour.

# %%
viz.tiles(by_tiles, block=(1, 0))

# %% [markdown]
# ## What did it change, and at what price?

# %%
viz.compare(by_cells, by_tiles, "t4")

# %% [markdown]
# Both kernels do the same arithmetic. The second one moves far fewer bytes, and pays
# for this with shared memory, with passes through the banks, and with barriers. With
# tiles of 32 it would load only half as much; the next lesson explains what limits the
# tile size.
#
# Is it also faster? `timing` measures on this computer's GPU, if there is one.
# Otherwise it estimates how long the card would need to move these bytes without its
# caches. Real caches help the first kernel more, because they keep some of the cells
# that neighbouring threads load again. **Guess first:** for matrices of 512 by 512, how
# many times as fast is the second kernel?

# %% tags=["timing"]
large = np.ones((512, 512), np.float32)
for kernel in (naive, tiled):
    print(timing(kernel, (32, 32), (16, 16), np.zeros_like(large), large, large))

# %% [markdown]
# ## See the rounds
#
# In each step, one warp runs one line; `debug=True` keeps the names of variables. Look
# at the two tiles under *Shared memory*, and at the warps that wait: on the time axis, a double
# line is a warp at a barrier. If the slider is live, press Shift and an arrow key to go
# to the next barrier.

# %%
with cuda.inspect(trace=True, debug=True) as run:
    tiled[(2, 2), (16, 16)](c, a, b)
viz.step(run.launches[0], 300)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# There are two barriers in the loop. The purpose of the first is clear: no thread may
# read a cell that is not loaded yet. **Before you run it:** the second one is missing
# below. What can a fast warp do to a slow one?


# %%
@cuda.jit
def one_barrier(c, a, b):
    tile_a = cuda.shared.array((16, 16), np.float32)
    tile_b = cuda.shared.array((16, 16), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 16):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
    c[row, column] = total


c = cuda.to_device(np.zeros_like(matrix_a))
with cuda.inspect(trace=True) as run:
    one_barrier[(2, 2), (16, 16)](c, a, b)
print("right:", np.allclose(c.copy_to_host(), matrix_a @ matrix_b))
for finding in run.findings:
    print(f"{finding.kind}, line {finding.line}: {str(finding).split(';')[0]}")

# %%
viz.step(run.launches[0])

# %% [markdown]
# There are races although the loop has a barrier: line 13 of *this* round races with
# lines 9 and 10 of the *next* one. Look at the time axis. Warp 7 reached the barrier
# last and continues first: it adds up its products, starts the next round, and loads
# the next tiles before the other warps have read the old ones. Therefore the result is
# wrong here. On another day, in another order, it may be right (lesson 6).
#
# ## Your turn
#
# Write it from memory, for matrices whose sides are a multiple of 16. The check counts
# the sectors that are loaded.


# %%
@cuda.jit
def my_tiled(out, a, b):
    column, row = cuda.grid(2)
    # A dozen lines of yours.


course.check("10.3", my_tiled)

# %% [markdown]
# If the sides are *not* a multiple of 16, threads at the edge write 0 to the tile, and
# still reach every barrier: that is [puzzle 14](puzzles.ipynb).
#
# **What to take away:** data that many threads of a block need is loaded once, by one
# of them, and shared. Next: `11_occupancy_and_roofline`.
