# %% [markdown]
# # Lesson 4: Shared memory and barriers
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: threads of a block that work
# together.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## A board for the whole block
#
# So far no thread needed another. Now each thread is to leave its number for a
# neighbour to take. For this a block has *shared memory*: a small array that all
# threads of the block see, and no other block. It is as near to them as the first
# cache, far nearer than the arrays so far, which lie in *global memory*.
#
# Handing over takes two steps: everybody puts down, then everybody takes. Between the
# two stands a *barrier*, `cuda.syncthreads()`: nobody goes on until all threads of the
# block have arrived.


# %%
@cuda.jit
def reverse_blocks(out, a):
    board = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    board[t] = a[i]
    cuda.syncthreads()
    out[i] = board[7 - t]


# %% [markdown]
# **Your guess first:** which cell of the board does thread 2 read?

# %%
my_guess = None
course.check("04.1", my_guess)

# %%
a = cuda.to_device(np.arange(16, dtype=np.float32))
out = cuda.to_device(np.zeros(16, np.float32))
with cuda.inspect(trace=True) as run:
    reverse_blocks[2, 8](out, a)
print(out.copy_to_host())
print("findings:", run.findings)

# %% [markdown]
# Each block of eight was turned round by itself. The size of a shared array must be
# known when the kernel is compiled, which is why it says 8 and not `cuda.blockDim.x`.
#
# ## What is on the board
#
# The trace knows the shared memory at every step. Here it is at the barrier, once for
# each block: two blocks, two boards.

# %%
trace = run.launches[0].trace
for step in np.flatnonzero(trace.opcode == "bar.sync"):
    print("block", trace.block[step], trace.at(step).shared_as(np.float32))

# %% [markdown]
# ## What it looks like when it goes wrong
#
# The same without the barrier, with 64 threads: two *warps* of 32 threads, which a GPU
# may run at different speeds. **Before you run it:** thread 0 reads `board[63]`. Who
# puts a number there?


# %%
@cuda.jit
def no_barrier(out, a):
    board = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    board[t] = a[t]
    out[t] = board[63 - t]


a = cuda.to_device(np.arange(64, dtype=np.float32))
out = cuda.to_device(np.zeros(64, np.float32))
with cuda.inspect(trace=True) as run:
    no_barrier[1, 64](out, a)
print(run.findings[0])

# %%
viz.race(run.launches[0])

# %% [markdown]
# Of all the pairs that meet like this, message and picture show one: thread 31 took
# what thread 32, of the other warp, had not put down yet. Thread 0 and `board[63]` are
# another.
#
# On a GPU this kernel may give right numbers for years. The emulator does not wait for
# bad luck: it asks whether anything *orders* the write before the read, and nothing
# does.
#
# ## A barrier that not all can reach
#
# A barrier waits for *all* threads of the block. **Before you run it:** the barrier
# below stands inside an `if`. What do the other four threads do meanwhile?


# %%
@cuda.jit
def barrier_for_some(out, a):
    board = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    board[t] = a[t]
    if t < 4:
        cuda.syncthreads()
        out[t] = board[7 - t]
    else:
        cuda.syncthreads()
        out[t] = 0


try:
    barrier_for_some[1, 8](out, a)
    cuda.synchronize()
except cuda.KernelError as error:
    print(error)

# %% [markdown]
# These are two barriers, and at each of them four threads wait for the other four. On a
# GPU the program may hang. Put the barrier outside the `if`, where every thread comes
# by.
#
# ## Your turn
#
# Reverse each block of eight, as above, but from memory.


# %%
@cuda.jit
def reverse(out, a):
    board = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Three lines of yours.


course.check("04.2", reverse)

# %% [markdown]
# A round dance: thread `t` adds its own number and that of the next thread in its
# block; next to the last comes the first. Each cell of `a` is to be read once only: the
# result's table tells.


# %%
@cuda.jit
def round_dance(out, a):
    board = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    # Three lines of yours.


course.check("04.3", round_dance)

# %% [markdown]
# **What to keep:** put down, barrier, take; and the barrier is for all. Next:
# `05_reduce`.
