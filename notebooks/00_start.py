# %% [markdown]
# # Lesson 0: Start
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Five minutes: install, look at what there is, run
# a first kernel.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, cuda, doctor, np

# %% [markdown]
# ## What is there?
#
# The doctor lists the device, the compiler and where compiled kernels are kept. Where
# something is missing, it says in one sentence what to do.

# %%
print(doctor.report())

# %% [markdown]
# ## A first kernel
#
# A *kernel* is a function that many *threads* run at the same time. All of them run the
# same lines. The one thing that differs is who they are: `cuda.threadIdx.x` is 0 in the
# first thread, 1 in the second, and so on.
#
# A kernel returns nothing. It leaves its results in an array.


# %%
@cuda.jit
def tens(out):
    i = cuda.threadIdx.x
    out[i] = 10 * i


# %% [markdown]
# `cuda.to_device` makes an array in the device's memory. `tens[1, 8](...)` *launches*
# the kernel: 1 block of 8 threads. What a block is comes in lesson 1.
#
# **Before you run the next cell:** what does thread 5 leave in `out[5]`? Write it down
# here.

# %%
my_guess = None
course.check("00.1", my_guess)

# %%
out = cuda.to_device(np.zeros(8, np.int32))
tens[1, 8](out)
print(out.copy_to_host())

# %% [markdown]
# Eight threads, eight cells, and no loop. `copy_to_host` waited until all threads were
# done and brought the numbers back.
#
# ## What it looks like when it goes wrong
#
# A launch needs to know how many threads there are. The next cell forgets to say so. It
# catches the error only so that the notebook runs on.

# %%
try:
    tens(out)
except cuda.LaunchError as error:
    print(error)

# %% [markdown]
# Not all of Python has a meaning on a GPU. What has none is refused with the line,
# before any thread runs:


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
# Write `3 * i + 1` to `out[i]`. (`a` has as many cells as `out`; you do not need it.)
# Run the cell as often as you like.


# %%
@cuda.jit
def mine(out, a):
    i = cuda.threadIdx.x
    # One line of yours.


course.check("00.2", mine)

# %% [markdown]
# **What to keep:** a kernel is written for one thread, and run by many. Next:
# `01_threads_blocks_grid`.
