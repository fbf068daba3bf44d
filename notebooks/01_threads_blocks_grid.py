# %% [markdown]
# # Lesson 1: Threads, blocks, the grid
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/01_threads_blocks_grid.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Twenty minutes: how a thread finds out which cell
# is its own.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## The question
#
# A launch starts many threads, and all of them run the same function. How does each of
# them know which number is its own? Course notes answer with a handful of terms:
# thread, local memory, block, index, shared memory, grid, position, lockstep, guard.
# Here every term gets its own picture, and every picture is drawn from a launch that
# really ran.
#
# First, a word about such notes. On paper, a kernel often has an input called `in` and
# an output called `out`. That is fine as a sketch, but Python cannot run it, because
# `in` is one of Python's keywords, as in `for x in data`:

# %%
try:
    compile("def my_func(in, out): ...", "my notes", "exec")
except SyntaxError as error:
    print("SyntaxError:", error)

# %% [markdown]
# So we call the input `a`. This is the kernel of the lesson. It writes ten times each
# number of `a` to `out`. You do not need to understand every line yet. `times` is an
# ordinary function that the kernel calls.


# %%
def times(a, b):
    return a * b


@cuda.jit
def my_func(a, out):
    local = cuda.local.array(2, np.float32)
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    local[0] = a[y, x]
    local[1] = times(local[0], 10)
    out[y, x] = local[1]


def arrays(rows, columns):
    numbers = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    return cuda.to_device(numbers), cuda.to_device(np.zeros_like(numbers))


# %% [markdown]
# A kernel is not called like a function. It must be *launched*, and a launch says how
# many threads there are: `my_func[blocks, threads](a, out)`. The next cell forgets to
# say it.

# %%
a, out = arrays(1, 1)
try:
    my_func(a, out)
except cuda.LaunchError as error:
    print(error)

# %% [markdown]
# ## Thread
#
# A *thread* runs the kernel once, line by line. Here is the smallest launch: one thread
# and one cell. (A *cell* is one element of an array.)

# %%
a, out = arrays(1, 1)
a.copy_to_device(np.full((1, 1), 7, np.float32))
with cuda.inspect(trace=True, debug=True) as run:
    my_func[1, 1](a, out)
viz.grid(run.launches[0])

# %% [markdown]
# ## Local memory
#
# Each thread has its own variables, and it can have small arrays of its own: *local
# memory*. No other thread can see them. The size of a local array is a constant, known
# before the kernel runs; here it is 2. The boxes below the code show the values of our
# thread after line 11. (The boxes `a` and `b` are the parameters of `times`.) Drag the
# slider to see them change.

# %%
viz.step(run.launches[0], step=8)

# %% [markdown]
# ## Block
#
# Threads come in *blocks*. `my_func[1, 4]` launches one block of four threads. The
# picture highlights one thread; click the others. Each has its own `local`, and each
# writes one cell.

# %%
a, out = arrays(1, 4)
with cuda.inspect(trace=True) as run:
    my_func[1, 4](a, out)
viz.grid(run.launches[0], thread=2)

# %% [markdown]
# ## Square and cubic blocks
#
# A block can have two dimensions, such as `(3, 3)`, or three, such as `(2, 2, 2)`.
# Nothing new happens in the hardware: this is only a convenient way to number nine or
# eight threads.

# %%
a, out = arrays(3, 3)
with cuda.inspect(trace=True) as run:
    my_func[1, (3, 3)](a, out)
viz.grid(run.launches[0], thread=(2, 1))

# %% [markdown]
# Next, a cube. The thick lines separate the layers of equal `z`.


# %%
@cuda.jit
def cube(out):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    out[z, y, x] = 100 * x + 10 * y + z


out = cuda.to_device(np.zeros((2, 2, 2), np.int32))
with cuda.inspect(trace=True) as run:
    cube[1, (2, 2, 2)](out)
viz.grid(run.launches[0], thread=(1, 0, 1))

# %% [markdown]
# ## Index in the block
#
# Every thread knows its place in the block: `cuda.threadIdx.x` and `cuda.threadIdx.y`.
# The first one counts from 0 to `blockDim.x - 1`. This kernel only writes the two
# indices, combined into one number: 21 means `x = 2, y = 1`.


# %%
@cuda.jit
def index(out):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    out[y, x] = 10 * cuda.threadIdx.x + cuda.threadIdx.y


out = cuda.to_device(np.zeros((3, 4), np.int32))
with cuda.inspect(trace=True) as run:
    index[1, (4, 3)](out)
viz.grid(run.launches[0], thread=(2, 1))

# %% [markdown]
# Compare the two drawings. NumPy's first index counts rows; CUDA's `x` runs to the
# right, so it counts columns. That is why the kernel says `out[y, x]`: thread (2, 1)
# writes row 1, column 2. Keep this order; lesson 7 shows what the other one costs.
#
# ## Shared memory
#
# Threads of one block can exchange numbers through *shared memory*: a small array that
# belongs to the block. Each thread writes one cell of `tile`, waits for the others, and
# reads a cell that another thread has written. (The call `cuda.syncthreads()` does the
# waiting; it is the subject of lesson 4.)


# %%
@cuda.jit
def reverse(a, out):
    tile = cuda.shared.array(4, np.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[3 - t]


a = cuda.to_device(np.arange(8, dtype=np.float32))
out = cuda.to_device(np.zeros(8, np.float32))
with cuda.inspect(trace=True) as run:
    reverse[2, 4](a, out)
print(out.copy_to_host())
viz.step(run.launches[0], block=1, thread=0)

# %% [markdown]
# There are two blocks, and each has its own `tile`. The picture shows the tile of block
# 1, with the numbers 4 to 7. Block 0 cannot see it. Drag the slider to the end: thread
# 0 reads what thread 3 has written.
#
# ## Grid
#
# All blocks of a launch together form the *grid*. They all have the same shape. We
# launch `index` once more, now with three blocks.
#
# **Guess first:** how many threads does this launch start?

# %%
threadsperblock = (4, 3)
blockspergrid = (1, 3)

my_threads = None
course.check("01.1", my_threads)

# %%
out = cuda.to_device(np.zeros((9, 4), np.int32))
with cuda.inspect(trace=True) as run:
    index[blockspergrid, threadsperblock](out)
viz.grid(run.launches[0], thread=(2, 1), block=(0, 2))

# %% [markdown]
# Each colour is a block. The numbers in `out` repeat, because `threadIdx` starts again
# at 0 in each block. So `threadIdx` cannot be all that a thread knows.
#
# ## Global position
#
# A thread also knows the index of its block, `blockIdx`, and the size of a block,
# `blockDim`. Together they give a position that no other thread has. Count the threads
# of all earlier blocks, then add the thread's index in its own block:
#
#     x = blockIdx.x * blockDim.x + threadIdx.x
#
# **Guess first:** in one dimension, with blocks of 8 threads, what is the position of
# thread 3 of block 2?

# %%
my_position = None
course.check("01.2", my_position)

# %% [markdown]
# Kernels need this so often that there is a short form: `i = cuda.grid(1)`, and `x, y =
# cuda.grid(2)` for two dimensions. Under *Where the thread is in the grid*, the
# picture shows the sum for the highlighted thread.

# %%
a, out = arrays(9, 4)
with cuda.inspect(trace=True) as run:
    my_func[blockspergrid, threadsperblock](a, out)
viz.grid(run.launches[0], thread=(2, 1), block=(0, 2))

# %% [markdown]
# ## Lockstep
#
# You wrote one function, and threads go through it together, but not a whole block at
# once: the hardware takes up to 32 threads of a block, a *warp*, and runs the same line
# for all of them at the same time. In the picture, each row is a thread of block 0, and
# time runs to the right. There is no gap: all 12 threads are always on the same line.

# %%
viz.divergence(run.launches[0])

# %% [markdown]
# ## Guard
#
# 36 threads fit an array of 9 rows and 4 columns exactly. Most arrays do not fit so
# well. Let us take 8 rows and 3 columns, with the same launch.
#
# **Guess first:** how many of the 36 threads have no cell?

# %%
my_idle_threads = None
course.check("01.3", my_idle_threads)

# %% [markdown]
# These threads start anyway, and run the same lines as all the others. **Before you run
# it:** which thread of block (0, 0) is in trouble, and on which line?

# %%
a, out = arrays(8, 3)
with cuda.inspect(trace=True) as run:
    my_func[blockspergrid, threadsperblock](a, out)
print(run.findings[0])

# %% [markdown]
# Read the finding from left to right: what happened (an out-of-bounds read), the
# element as the kernel wrote it, the value of each index, and the shape of the array;
# then the line, the thread and its block. The last sentence suggests a remedy. The
# picture shows the cell that does not exist:

# %%
viz.grid(run.launches[0])

# %% [markdown]
# The emulator checks every access. A GPU does not: it often reads whatever is stored
# there, and the program continues with wrong numbers. So the kernel must first ask
# whether the thread has a cell. This `if` is the *guard*.


# %%
@cuda.jit
def guarded(a, out):
    local = cuda.local.array(2, np.float32)
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        local[0] = a[y, x]
        local[1] = times(local[0], 10)
        out[y, x] = local[1]


with cuda.inspect(trace=True) as run:
    guarded[blockspergrid, threadsperblock](a, out)
print("findings:", run.findings)
viz.grid(run.launches[0], thread=(3, 1), block=(0, 2))

# %% [markdown]
# No finding. Thread (3, 1) of block (0, 2) touches no cell, and every cell of `out` has
# its number. What about lockstep? Here is block (0, 2):

# %%
viz.divergence(run.launches[0], block=(0, 2))

# %% [markdown]
# The hatched threads do not pass the guard. They are inactive (*off*) until the others
# have finished. That costs a little time, but it is safe.
#
# ## Your turn
#
# Write `a[i] * a[i]` to `out[i]`, with many blocks. There are exactly as many threads
# as cells.


# %%
@cuda.jit
def square(out, a):
    i = 0  # Replace 0 by the thread's global position.
    # One more line of yours.


course.check("01.4", square)

# %% [markdown]
# Write `10 * row + column` to every cell of a matrix, without `cuda.grid`: use
# `blockIdx`, `blockDim` and `threadIdx`, with `x` for the column and `y` for the row.
# Again there are exactly as many threads as cells.


# %%
@cuda.jit
def place_without_grid(out, a):
    row = 0
    column = 0
    # One more line of yours.


course.check("01.5", place_without_grid)

# %% [markdown]
# **What to take away:** `threadIdx` is the position in the block. Block index times
# block size plus `threadIdx` is the position in the grid. A guard keeps threads without
# a cell away from memory.
#
# Next: `02_guards_and_bounds`, where sizes never fit.
