# %% [markdown]
# # Lesson 19: Launching said once
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/19_launching_said_once.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: the same launches again and
# again can be noted once, and then be repeated by one call.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU. The emulator has graphs, as a GPU has.

# %%
from minitorch_cuda.learn import course, cuda, no_grad, np, profiler, tensor, viz, zeros

# %% [markdown]
# ## A step of training
#
# A step of training launches the same kernels with the same shapes each time. Only the
# numbers in memory differ. Here is a small one: it fits `y` by `x @ w`.

# %%
random = np.random.default_rng(0)


def some(*shape):
    values = random.standard_normal(shape).astype(np.float32)
    return tensor(values, device="cuda")


x, y = some(64, 8), some(64, 1)
w = some(8, 1).requires_grad_(True)


def step():
    w.grad = None
    error = x @ w - y
    loss = (error * error).mean()
    loss.backward()
    with no_grad():
        w.sub_(w.grad * 0.1)  # in place: w stays where it is
    return loss


first = step()
print("loss", round(first.item(), 3))

# %% [markdown]
# ## Capture and replay
#
# A *graph* notes the launches of a step. That is called a *capture*. `replay()` then
# puts all of them into the queue by one call of the driver.

# %%
graph = cuda.CUDAGraph()
with cuda.graph(graph):
    loss = step()
print(graph.launches, "launches were noted")

# %% [markdown]
# **Before you run it:** how many calls of the driver do five steps take, and how many
# do five replays?


# %%
def five_times(run):
    with profiler.profile() as prof:
        for _ in range(5):
            run()
    return prof


launched, replayed = five_times(step), five_times(graph.replay)
for prof in (launched, replayed):
    calls = [row for row in prof.key_averages() if row.key.startswith("cu")]
    print([f"{row.count} x {row.key}" for row in calls])
viz.timeline(launched, replayed, names=["launched", "replayed"])

# %% [markdown]
# The device has as much work as before. What is left of launching is one call for each
# step, and Python does nothing else: it looks at no layer, no shape and no gradient.
# That pays if kernels are small, so that launching takes longer than computing.
#
# `loss` is the tensor of the capture. Each replay writes a new number into it:

# %%
graph.replay()
print("loss", round(loss.item(), 3))

# %% [markdown]
# ## A capture is not a run
#
# **Guess first:** `count` adds 1 to a cell. It is called once, then captured once, and
# the graph is replayed three times. What is in the cell?

# %%
my_count = None
course.check("19.1", my_count)

# %%
cell = zeros(1, dtype="float32", device="cuda")


def count():
    cell.add_(1)


count()
counting = cuda.CUDAGraph()
with cuda.graph(counting):
    count()
for _ in range(3):
    counting.replay()
print(cell)

# %% [markdown]
# The call before the capture has a purpose: it compiles and loads the kernels. That
# cannot be noted.
#
# ## What is noted, and what is not
#
# The graph knows kernels, addresses, and the numbers that Python gave them. It does not
# know Python. **Guess first:** a cell holds 1. `grow` multiplies it by `factor`, which
# is 2 in the capture. Then `factor` becomes 10, and the graph is replayed twice. What
# is in the cell?

# %%
my_cell = None
course.check("19.2", my_cell)

# %%
factor = 2
grown = zeros(1, dtype="float32", device="cuda")
grown.add_(1)


def grow():
    grown.mul_(factor)


growing = cuda.CUDAGraph()
grown.mul_(1)  # loads the kernel
with cuda.graph(growing):
    grow()
factor = 10
growing.replay()
growing.replay()
print(grown)

# %% [markdown]
# If a number has to change between replays, put it into a tensor that is there before
# the capture, and write the new number into that tensor.
#
# ## A mistake on purpose: new memory
#
# `w = w - ...` makes a *new* tensor and calls it `w`. **Before you run it:** what do
# the second and third replay change?

# %%
moved = zeros(1, dtype="float32", device="cuda")


def walk():
    global moved
    moved = moved + 1


walk()
walking = cuda.CUDAGraph()
with cuda.graph(walking):
    walk()
for _ in range(3):
    walking.replay()
    print(moved)

# %% [markdown]
# Nothing. Every replay reads the *old* tensor, which holds 1, and writes 2 into the
# new one. A network would never learn, and no error would tell. In place (`add_`,
# `sub_`, `mul_`, `copy_`) is the way: the library's optimizers do the same.
#
# ## A mistake on purpose: a wait in a capture
#
# **Before you run it:** why can a graph not note `loss.item()`?

# %%
try:
    with cuda.graph(cuda.CUDAGraph()):
        print(step().item())
except cuda.GraphCaptureError as error:
    print(error)

# %% [markdown]
# Nothing has run, so there is no number yet. The capture has ended, and the program
# goes on as before: `step()` still works.

# %%
print("loss", round(step().item(), 3))

# %% [markdown]
# ## Your turn
#
# Write a step of an optimizer with *momentum*, so that a graph can repeat it: `v`
# becomes 0.75 · v + g, and then `w` becomes w − 0.5 · v. Your step is captured and
# replayed three times. Four launches are enough.


# %%
def momentum(w, v, g):
    # Three lines of yours.
    return None


course.check("19.3", momentum)

# %% [markdown]
# Now a whole step of least squares, without `backward`: the gradient of the mean of
# `(x @ w - y)` squared is xᵀ @ (x @ w − y), times 2 and divided by the number of rows
# of `x`. Move `w` by 0.25 times that gradient, against it. Your step is replayed five
# times.


# %%
def least_squares(w, x, y):
    # Three lines of yours. x.permute(1, 0) is x transposed.
    return None


course.check("19.4", least_squares)

# %% [markdown]
# **What to take away:** a graph notes launches, not Python: same kernels, same
# addresses, same shapes. Warm up once, change things in place, read numbers after a
# replay. Next: `20_one_more_parameter`.
