# %% [markdown]
# # Lesson 11: Occupancy and roofline
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/11_occupancy_and_roofline.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: how many blocks fit on a card,
# and what limits a kernel.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, timing, viz

# %% [markdown]
# ## Who works while others wait?
#
# A card has a few dozen *multiprocessors*, SMs for short: a T4 has 40. Each block runs
# on one of them from beginning to end. A number from global memory takes hundreds of
# cycles to arrive, so an SM does not hold just one warp, but many, and runs whichever
# is ready. The number of warps it holds, divided by the most it could hold, is called
# *occupancy*.
#
# The kernel below reads one number a thread and writes one. The picture shows the
# order in which one SM would issue its instructions, one in each turn. A warp whose
# number has not arrived waits: it has a low bar. The row *idle* has a bar where no warp
# was ready.
#
# **Guess first:** of all turns, in how many does the SM have nothing to issue if it
# holds only one warp? And if it holds all blocks that fit?


# %%
@cuda.jit
def twice(out, x):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * x[i]


numbers = cuda.to_device(np.ones(1024, np.float32))
doubled = cuda.to_device(np.zeros(1024, np.float32))
with cuda.inspect(trace=True) as run:
    twice[16, 64](doubled, numbers)
viz.warps(run.launches[0], latency=32)

# %% [markdown]
# Choose *one warp on the SM*: for most of the turns there is nothing to do. With one
# block, its second warp fills some of them; with all blocks, the SM never idles. Now
# change how many turns a load takes: the longer the wait, the more warps it takes to
# hide it, and beyond these, more change nothing. (The picture shows order, not time.
# The number of turns is an assumption: on a real card, a load takes hundreds of
# cycles, and an SM issues from four groups of warps at once.)
#
# Which resources does a block use up? Threads, block slots, registers, and shared
# memory. Here is the matrix product of lesson 10, and what it needs on a T4 according
# to the compiler.


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


square = np.ones((64, 64), np.float32)
a, b = cuda.to_device(square), cuda.to_device(square)
c = cuda.to_device(np.zeros_like(square))
with cuda.inspect() as run:
    tiled[(4, 4), (16, 16)](c, a, b)
product = run.launches[0]
print(tiled.resources("t4").table(block=256))

# %%
viz.sms(product, tiled, "t4")

# %% [markdown]
# Four blocks of 256 threads are 1,024 threads, or 32 warps, which is all that an SM of
# a T4 can hold. Threads are the limit (the table counts them in warps); registers and
# shared memory would have room for more. Drag *Registers a thread*: from how many on
# are registers the limit? The blocks above the resources are the occupancy of every
# number of threads.
#
# ## When shared memory is the limit
#
# **Guess first:** the kernel below has blocks of 128 threads with a shared tile of
# 5,120 floats, or 20,480 bytes. An SM of a T4 has 65,536 bytes of shared memory. How
# many of these blocks fit?


# %%
@cuda.jit
def large_tile(out, a):
    tile = cuda.shared.array(5120, np.float32)
    t = cuda.threadIdx.x
    for k in range(t, 5120, 128):
        tile[k] = a[k]
    cuda.syncthreads()
    out[cuda.grid(1)] = tile[t] + tile[5119 - t]


my_blocks = None
course.check("11.1", my_blocks)

# %%
cells = cuda.to_device(np.ones(5120, np.float32))
sums = cuda.to_device(np.zeros(20480, np.float32))
with cuda.inspect() as run:
    large_tile[160, 128](sums, cells)
viz.sms(run.launches[0], large_tile, ("t4", "a100"))

# %% [markdown]
# Few warps are resident on the T4; the other card has more room. Note two more things.
# The 160 blocks do not all fit at once, so they run in *waves*, and the last wave may
# leave most of the card idle. (The picture assumes that all blocks take equally long.
# The emulator counts; it does not measure time.)
#
# More occupancy is not always better: once there are enough warps to hide the waiting,
# additional warps change nothing.
#
# ## What it looks like when it goes wrong
#
# **Before you run it:** the block below has 48 by 48 threads. How many threads is that?

# %%
try:
    tiled[(1, 1), (48, 48)](c, a, b)
    cuda.synchronize()
except cuda.LaunchError as error:
    print(error)

# %% [markdown]
# A block that is too large for an SM is rejected before anything runs.
#
# ## Two speeds
#
# A card has two speeds: operations per second and bytes per second. A T4 does up to 8.1
# trillion operations on floats per second and moves up to 320 billion bytes. So for
# every byte that it moves, it could do 25 operations. A kernel that does fewer
# operations per byte waits for memory; one that does more waits for arithmetic.
#
# `axpy` computes `2 * x + y`: two operations for 12 bytes, because two numbers are read
# and one is written.
#
# **Guess first:** is it limited by "memory" or by "compute"?


# %%
@cuda.jit
def axpy(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = np.float32(2) * x[i] + y[i]


my_side = None
course.check("11.2", my_side)

# %%
x, y = (
    cuda.to_device(np.ones(4096, np.float32)),
    cuda.to_device(np.ones(4096, np.float32)),
)
out = cuda.to_device(np.zeros(4096, np.float32))
with cuda.inspect() as run:
    axpy[32, 128](out, x, y)
print(run.launches[0].roofline("t4"))
print(product.roofline("t4"))

# %% [markdown]
# Drawn in one picture, the two speeds form the *roofline*. The horizontal axis shows
# operations per byte, and the vertical axis shows operations per second. The slope is
# the limit set by memory, and the flat part is the limit set by arithmetic. A kernel
# can be below the roof, but never above it.

# %%
import matplotlib.pyplot as plt

per_byte = np.array([1 / 16, 8.1e12 / 320e9, 256])
plt.loglog(per_byte, np.minimum(per_byte * 320e9, 8.1e12), color="black")
for launch in (run.launches[0], product):
    does = launch.roofline("t4").intensity
    plt.loglog(does, min(does * 320e9, 8.1e12), "o", label=launch.kernel)
plt.xlabel("operations per byte")
plt.ylabel("operations per second, at most")
_ = plt.legend()

# %% [markdown]
# The dots show how fast each kernel could be *at most*. Only a real card and a clock
# can show how close it really comes: `timing` uses both if this computer has a GPU.
# Without one, it says where the roof is.

# %% tags=["timing"]
million = np.ones(1 << 20, np.float32)
print(timing(axpy, 8192, 128, np.zeros_like(million), million, million))
large = np.ones((512, 512), np.float32)
print(timing(tiled, (32, 32), (16, 16), np.zeros_like(large), large, large))

# %% [markdown]
# With or without a clock, the picture shows what would help. `axpy` is far to the left:
# faster arithmetic would not help it, only fewer bytes would. The matrix product moved
# to the right when it got tiles (lesson 10); larger tiles would move it further.
#
# ## Fewer bytes
#
# Here are three launches in a row: one doubles, one adds, and one replaces negative
# numbers by 0. The first two write arrays that only the next launch reads. In *one*
# kernel these numbers would never leave the thread. **Before you run it:** compared
# with one kernel, how many times as many bytes do the three launches move?


# %%
@cuda.jit
def double(out, x):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 2 * x[i]


@cuda.jit
def add(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit
def cut(out, x):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = max(x[i], 0)


with cuda.inspect() as run:
    double[32, 128](out, x)
    add[32, 128](out, out, y)
    cut[32, 128](out, out)
print(f"three launches: {sum(each.counters.bytes for each in run.launches):,.0f} bytes")
print(f"two reads and a write of each cell: {3 * 4 * 4096:,} bytes")

# %% [markdown]
# The three launches read four arrays and write three, where two reads and one write are
# enough. They move more than twice the bytes, and for a kernel like `axpy`, bytes are
# time.
#
# ## Your turn
#
# Do all three steps in one kernel.


# %%
@cuda.jit
def fused(out, a, b):
    i = cuda.grid(1)
    # Two lines of yours.


course.check("11.3", fused)

# %% [markdown]
# **What to take away:** first find what limits the kernel (room on an SM, bytes or
# operations), then work on that. Next: `12_from_scalar_to_autograd`.
