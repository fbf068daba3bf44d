# %% [markdown]
# # Lesson 9: Warps and divergence
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/09_warps_and_divergence.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: what happens when 32 threads do
# not all run the same line.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## 32 threads, one instruction
#
# You write a kernel for one thread. The GPU runs threads in *warps* of 32: threads 0 to
# 31 of a block, 32 to 63, and so on. In each step a warp runs *one* instruction, for
# all of its threads that want it. A thread that wants a different one is inactive
# (*off*) meanwhile, and has its turn later. The warp *diverges*.
#
# The two kernels below do the same amount of work. In the first, the two halves of each
# warp take different branches; in the second, whole warps do.
#
# **Guess first:** which kernel takes more instructions, and about how many times as
# many?


# %%
@cuda.jit
def half_a_warp(out, a):
    i = cuda.grid(1)
    x = a[i]
    if i % 32 < 16:
        for _ in range(8):
            x = x * x + a[i]
    else:
        for _ in range(8):
            x = x * a[i] - x
    out[i] = x


@cuda.jit
def a_whole_warp(out, a):
    i = cuda.grid(1)
    x = a[i]
    if i < 32:
        for _ in range(8):
            x = x * x + a[i]
    else:
        for _ in range(8):
            x = x * a[i] - x
    out[i] = x


a = cuda.to_device(np.linspace(0, 1, 64, dtype=np.float32))
out = cuda.to_device(np.zeros(64, np.float32))
with cuda.inspect(trace=True) as run:
    half_a_warp[1, 64](out, a)
    a_whole_warp[1, 64](out, a)
halves, wholes = run.launches
viz.divergence(halves)

# %% [markdown]
# Time runs to the right; the rows are the 32 threads of one warp. After the `if`, one
# half is inactive while the other runs, and then the other way round: the warp runs
# *both* branches, one after the other. After that, all threads run together again.

# %%
viz.divergence(wholes)

# %% [markdown]
# Here no thread is ever inactive: warp 0 does not even enter the second loop. Let us
# count:

# %%
for launch in (halves, wholes):
    counted = launch.counters
    steps = counted["ptx_warp_instructions"]
    print(f"{launch.kernel}: {steps:.0f} warp instructions,", end=" ")
    print(f"{counted['active_lanes'] / steps:.1f} of 32 threads active,", end=" ")
    print(f"{counted['divergent_branches']:.0f} branches split a warp")

# %% [markdown]
# It is not twice as many: only the code inside the `if` costs twice as much.
#
# So an `if` is not bad in itself. It costs time where it separates threads of *one
# warp*. A guard such as `if i < n` splits at most one warp of the whole grid.
#
# **Guess first:** a block of 64 threads runs `if t < 40:`, with work in both branches.
# How many warps diverge?

# %%
my_split_warps = None
course.check("09.1", my_split_warps)

# %% [markdown]
# ## Loops of different length
#
# The same is true for loops: a warp repeats a loop until its *last* thread has
# finished. Below, a thread doubles its number until it reaches 1024. The numbers are
# chosen so that thread i repeats the loop i % 32 times. **Before you run it:** on
# average, how many of the 32 threads of a warp are active in the loop?


# %%
@cuda.jit
def double_often(out, a):
    i = cuda.grid(1)
    x = a[i]
    rounds = 0
    while x < 1024:
        x += x
        rounds += 1
    out[i] = rounds


wanted = np.arange(256) % 32
mixed = (1024 / 2.0**wanted).astype(np.float32)
counts = cuda.to_device(np.zeros(256, np.int32))
with cuda.inspect(trace=True) as run:
    double_often[2, 128](counts, cuda.to_device(mixed))
    double_often[2, 128](counts, cuda.to_device(np.sort(mixed)))
viz.divergence(run.launches[0])

# %% [markdown]
# About half: the warp goes on until thread 31 has had its 31 rounds, and those that have
# finished wait. Here is the same work, but sorted, so that the threads of a warp have
# nearly the same number of rounds:

# %%
viz.divergence(run.launches[1])

# %%
for launch, order in zip(run.launches, ("mixed", "sorted"), strict=True):
    steps = launch.counters["ptx_warp_instructions"]
    print(f"{order}: {steps:.0f} warp instructions")

# %% [markdown]
# **Guess first:** 31 threads of a warp run a loop once, and one thread runs it 100
# times. How many times does the warp run it?

# %%
my_rounds = None
course.check("09.2", my_rounds)

# %% [markdown]
# ## What a warp can do together
#
# Threads of a warp can exchange numbers without a shared tile: a *shuffle*,
# `cuda.shfl_down_sync(-1, x, step)`, returns the `x` of the thread `step` positions
# ahead. (The mask -1 means that all 32 threads take part.) With shuffles, a sum needs
# no shared memory and no barrier.


# %%
@cuda.jit
def sum_of_a_warp(out, a):
    i = cuda.grid(1)
    x = a[i]
    step = 16
    while step > 0:
        x += cuda.shfl_down_sync(-1, x, step)
        step //= 2
    if i % 32 == 0:
        out[i // 32] = x


ones = cuda.to_device(np.ones(64, np.float32))
two = cuda.to_device(np.zeros(2, np.float32))
with cuda.inspect() as run:
    sum_of_a_warp[1, 64](two, ones)
print(two.copy_to_host(), "findings:", run.findings)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# The mask -1 is a promise that all 32 threads take part. **Before you run it:** below,
# the shuffle is inside an `if`. Which threads are missing?


# %%
@cuda.jit
def sum_of_some(out, a):
    i = cuda.grid(1)
    x = a[i]
    if i % 32 < 20:
        x += cuda.shfl_down_sync(-1, x, 16)
        out[i] = x


try:
    sum_of_some[1, 32](out, ones)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# On a GPU such a kernel may hang, or give numbers that no thread sent. The rule is the
# same as for a barrier: never put it inside an `if` that separates the threads that
# take part.
#
# ## Your turn
#
# Find the largest number of each warp, using shuffles.


# %%
@cuda.jit
def largest_of_a_warp(out, a):
    i = cuda.grid(1)
    # Seven lines of yours.


course.check("09.3", largest_of_a_warp)

# %% [markdown]
# Uneven work: in a matrix of 128 rows, even rows must be added up, but odd rows are
# only looked at. If thread t takes row t, every warp diverges. But must thread t take
# row t?


# %%
@cuda.jit
def uneven(out, a):
    t = cuda.threadIdx.x
    # Eight lines of yours.


course.check("09.4", uneven)

# %% [markdown]
# **What to take away:** a warp takes every path that any of its threads takes. Let the
# threads of a warp take the same path. Next: `10_matmul_naive_to_tiled`.
