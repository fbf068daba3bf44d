# %% [markdown]
# # Lesson 0: Start
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/00_start.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Five minutes: install the library, look around,
# and run a first kernel.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, cuda, doctor, np, viz

# %% [markdown]
# ## What is there?
#
# The doctor names the version and the device. If something is missing, it tells you in
# one sentence what to do; `doctor.report()` lists everything.

# %%
print(doctor.summary())

# %% [markdown]
# ## A first kernel
#
# How can eight workers fill eight cells without a loop? A *kernel* is a function that
# many *threads* run at the same time. All of them run the same lines. Only one thing
# differs: `cuda.threadIdx.x`, the thread's own number. It is 0 in the first thread, 1
# in the second, and so on.
#
# A kernel returns nothing. It leaves its results in an array.


# %%
@cuda.jit
def tens(out):
    i = cuda.threadIdx.x
    out[i] = 10 * i


# %% [markdown]
# `cuda.to_device` copies an array to the device's memory. `tens[1, 8](...)` *launches*
# the kernel: 1 block of 8 threads. Lesson 1 explains blocks.
#
# **Guess before you run the next cells:** what does thread 5 write to `out[5]`?

# %%
my_guess = None
course.check("00.1", my_guess)

# %%
out = cuda.to_device(np.zeros(8, np.int32))
tens[1, 8](out)
print(out.copy_to_host())

# %% [markdown]
# Eight threads, eight cells, and no loop. `copy_to_host` waits until all threads have
# finished, and then copies the numbers back.
#
# ## See it
#
# `viz.trace` launches the kernel once more and records what every thread does.
# `viz.grid` draws the record: the threads under *Grid*, and the cells that they wrote
# under *out*. One thread and its cell are highlighted, and under *Why this cell?* the
# line that wrote it. Click another thread, or use the keys listed below the picture.

# %%
viz.grid(viz.trace(tens, 1, 8, out), thread=5)

# %% [markdown]
# ## A mistake on purpose
#
# The array has 8 cells, but now we launch 9 threads. **Guess first:** which thread has
# no cell, and what happens to it?

# %%
launch = viz.trace(tens, 1, 9, out)
print(launch.findings[0])

# %% [markdown]
# This is a *finding* of the emulator. It names what went wrong (an out-of-bounds write),
# the index and the size of `out`, the line of the kernel and the thread, and it
# suggests a remedy.
# A GPU might have reported nothing and overwritten some other number. Here is the same
# finding as a picture:

# %%
viz.grid(launch)

# %% [markdown]
# ## Not all of Python works in a kernel
#
# A GPU has no lists that grow. Code that cannot run in a kernel is rejected before any
# thread starts, and the message names the line:


# %%
@cuda.jit
def collect(out):
    out.append(10)


try:
    collect[1, 8](out)
except cuda.CompileError as error:
    print(error)

# %% [markdown]
# ## Your turn
#
# Write `3 * i + 1` to `out[i]`. (You do not need the input `a` yet.) Run the cell as
# often as you like.


# %%
@cuda.jit
def mine(out, a):
    i = cuda.threadIdx.x
    # One line of yours.


course.check("00.2", mine)

# %% [markdown]
# **What to take away:** you write a kernel for one thread, and many threads run it.
# Each thread uses its number to find its own cell.
#
# Next: `01_threads_blocks_grid`, where threads come in blocks.
