# %% [markdown]
# # Lesson 18: Launching ahead
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/18_launching_ahead.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: how layer 2 can be launched
# before layer 1 is done, and where a program waits without having asked for it.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU. The emulator has real queues, as a GPU has.

# %%
from minitorch_cuda.learn import course, cuda, ones, profiler, tensor, viz

# %% [markdown]
# ## A launch is not a run
#
# A network runs layer by layer: layer 2 needs the numbers that layer 1 computes. But
# the program does not stop at layer 1 until they are there. `x @ w` puts a kernel into
# a queue and returns at once. The device takes kernels from the queue when it gets to
# them.
#
# To see this, we hold the queue. A *stream* is a queue of its own. The first thing in
# it below is a Python function that does not return until we allow it, so nothing
# behind it can run.
#
# **Guess first:** two layers are launched into the held stream: a product and a `relu`,
# then another product. How many of these three launches return before the first of
# them has run?

# %%
my_launches = None
course.check("18.1", my_launches)

# %%
import threading


def some(*shape):
    return ones(*shape, dtype="float32", device="cuda")


x, w1, w2 = some(4, 8), some(8, 8), some(8, 2)
(x @ w1).relu() @ w2  # the first call compiles the kernels
cuda.synchronize()

may_go_on = threading.Event()
stream = cuda.Stream()
stream.add_callback(lambda *_: may_go_on.wait())
with cuda.stream(stream):
    hidden = (x @ w1).relu()
    y = hidden @ w2
    print("three launches have returned; the stream is done:", stream.query())
    print("the shape of y is known:", y.shape)
may_go_on.set()
stream.synchronize()
print("now the stream is done:", stream.query(), " y[0, 0] =", y[0, 0])

# %% [markdown]
# All three. A launch needs no numbers, only *addresses* and shapes. Memory for `hidden`
# is set aside when its kernel is put into the queue, so layer 2 can be told where its
# input will be. The numbers come later, but in time: a stream runs its work in order,
# so layer 1 is done when layer 2 begins.
#
# ## With and without `synchronize`
#
# Here are ten forward passes of four layers, twice. The second time,
# `cuda.synchronize()` waits for the device after each pass. To make a small program
# show what a large one does, the queue has room for 16 launches only. (A driver's queue
# has room for about 1,000.)
#
# **Before you run it:** in which of the two does launching take longer?

# %%
weights = [some(128, 128) for _ in range(4)]


def forward(x):
    for w in weights:
        x = (x @ w).relu()
    return x


batch = some(64, 128)
forward(batch)
cuda.synchronize()


def ten_passes(synchronize):
    with profiler.profile() as prof:
        for _ in range(10):
            forward(batch)
            if synchronize:
                cuda.synchronize()
    return prof


before = cuda.queue_limit(16)
without = ten_passes(synchronize=False)
beside = ten_passes(synchronize=True)
cuda.queue_limit(before)
viz.timeline(without, beside, names=["without synchronize", "with synchronize"])

# %% [markdown]
# In each half, the upper row is the program and the lower row is the device; between
# them is the number of launches in the queue. Without `synchronize`, the queue fills
# up. Then launching has to wait until older launches are done: it becomes *as slow as
# computing*. With `synchronize`, every launch finds an empty queue and looks
# fast. The time has not gone: it is spent in `synchronize()`.

# %%
print(without.waits())
print(beside.waits())

# %% [markdown]
# So neither is "the cost of launching". If you time a step, wait for the device once,
# at its end.
#
# ## Waits that nobody asked for
#
# There is no `synchronize` below. **Guess first:** how many times does this loop wait
# for the device?

# %%
my_waits = None
course.check("18.2", my_waits)


# %%
def train():
    for _ in range(10):
        loss = forward(batch).mean()
        if loss > 0:
            text = f"loss {loss.item():.1f}"


with profiler.profile() as prof:
    train()
print(prof.waits())

# %% [markdown]
# Twice in each round. Python cannot decide on an `if` without the number, and cannot
# print it either. `waits()` names the lines. These are the usual ones:
#
# - `item()`, `float(t)`, `print(t)`, `t.numpy()`, `t[3]`: a number is needed here,
# - `if t > 0`, `assert t.all()`: a decision is needed here,
# - a copy from or to ordinary memory of this computer.
#
# While the program waits, it launches nothing, so the queue runs empty and the device
# has nothing to do until the next launch.
#
# ## A mistake on purpose: a wait in a loop
#
# `sync_debug_mode("error")` forbids such waits. **Before you run it:** which line of
# `train` will it name?

# %%
try:
    with cuda.sync_debug_mode("error"):
        train()
except RuntimeError as error:
    print(error)

# %% [markdown]
# The error came *before* the wait. The mode `"warn"` warns and goes on, so that you see
# all such lines at once.
#
# ## Your turn
#
# Compute the mean loss of many batches without a single wait. `x[i]` is a batch, a
# tensor of rows; its loss is the mean of `(x[i] @ w - y[i])` squared. Return a tensor
# of one element. Here is a version that waits:


# %%
def mean_loss_that_waits(x, w, y):
    total = 0.0
    for i in range(x.shape[0]):
        error = x[i] @ w - y[i]
        total += (error * error).mean().item()
    return tensor([total / x.shape[0]])


judged = course.check("18.3", mean_loss_that_waits)
judged


# %%
def mean_loss(x, w, y):
    # Five lines of yours.
    return None


course.check("18.3", mean_loss)

# %% [markdown]
# A gradient that is too long is often shortened. The version below has an `if` on a
# number of the device. Write one without: all of it can be done by one factor.


# %%
def clipped_with_an_if(g, most):
    norm = (g * g).sum().sqrt()
    if norm > most:
        return g * (most / norm)
    return g


judged = course.check("18.4", clipped_with_an_if)
judged


# %%
def clipped(g, most):
    # Two lines of yours. t.clamp(max=1.0) is the smaller of t and 1.
    return None


course.check("18.4", clipped)

# %% [markdown]
# **What to take away:** launching needs addresses, not numbers, so a program can run
# far ahead of the device. It stops where Python needs a number. Keep numbers on the
# device, and read them seldom. Next: `19_launching_said_once`.
