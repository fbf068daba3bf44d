# %% [markdown]
# # Lesson 9: Warps and divergence
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: 32 threads and one next line.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## 32 threads, one instruction
#
# You write a kernel for one thread. The GPU runs threads in *warps* of 32: threads 0 to
# 31 of a block, 32 to 63, and so on. In each step a warp runs *one* instruction, for
# all its threads that want it. A thread that wants another one is *off* meanwhile, and
# has its turn later. The warp *diverges*.
#
# Two kernels do the same amount of work. In the first, threads of the left and the
# right half of each warp go different ways; in the second, whole warps do.
#
# **Your guess first:** which one takes more instructions, and about how many times as
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
# half is off while the other runs, then the other way round: the warp walks *both*
# ways, one after the other. After that all are together again.

# %%
viz.divergence(wholes)

# %% [markdown]
# Here no thread is ever off: warp 0 does not even look at the second loop. Count it:

# %%
for launch in (halves, wholes):
    counted = launch.counters
    steps = counted["ptx_warp_instructions"]
    print(f"{launch.kernel}: {steps:.0f} instructions of warps,", end=" ")
    print(f"{counted['active_lanes'] / steps:.1f} of 32 threads active,", end=" ")
    print(f"{counted['divergent_branches']:.0f} branches split a warp")

# %% [markdown]
# Not twice as many: only what stands inside the `if` is walked twice.
#
# So an `if` is not bad in itself. It costs where threads of *one warp* part. Where a
# guard such as `if i < n` cuts through a grid, it splits at most one warp of them all.
#
# **Your guess:** a block of 64 threads, and `if t < 40:` with work on both ways. How
# many warps split?

# %%
my_split_warps = None
course.check("09.1", my_split_warps)

# %% [markdown]
# ## Loops of different length
#
# The same holds for loops: a warp goes round until its *last* thread has finished.
# Below, a thread doubles its number until it reaches 1024. The numbers are chosen so
# that thread i goes round i % 32 times. **Before you run it:** on average, how many of
# the 32 threads of a warp are active in the loop?


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
viz.overview(run.launches[0])

# %% [markdown]
# About half. The same work, but sorted, so that threads of a warp have nearly the same
# number of rounds:

# %%
viz.overview(run.launches[1])

# %%
for launch, order in zip(run.launches, ("mixed", "sorted"), strict=True):
    steps = launch.counters["ptx_warp_instructions"]
    print(f"{order}: {steps:.0f} instructions of warps")

# %% [markdown]
# **Your guess:** 31 threads of a warp go round once, and one goes round 100 times. How
# often does the warp?

# %%
my_rounds = None
course.check("09.2", my_rounds)

# %% [markdown]
# ## What a warp can do together
#
# Threads of a warp can hand numbers to each other without a shared tile: a *shuffle*,
# `cuda.shfl_down_sync(-1, x, step)`, gives the `x` of the thread that is `step` further
# on. (-1 means: all 32 take part.) With it a sum needs no shared memory and no barrier.


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
# All 32 take part: that is a promise. **Before you run it:** below, the shuffle stands
# inside an `if`. Who is missing?


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
# On a GPU such a kernel may hang, or give numbers that nobody sent. It is the same rule
# as for a barrier: not inside an `if` that splits those who are to meet.
#
# ## Your turn
#
# The largest number of each warp, by shuffles.


# %%
@cuda.jit
def largest_of_a_warp(out, a):
    i = cuda.grid(1)
    # Seven lines of yours.


course.check("09.3", largest_of_a_warp)

# %% [markdown]
# Uneven work: of a matrix of 128 rows, even rows are to be summed up, odd ones only
# looked at. If thread t takes row t, every warp splits. Who says that it must?


# %%
@cuda.jit
def uneven(out, a):
    t = cuda.threadIdx.x
    # Eight lines of yours.


course.check("09.4", uneven)

# %% [markdown]
# **What to keep:** a warp walks every way that one of its threads walks. Give threads
# of a warp the same way. Next: `10_matmul_naive_to_tiled`.
