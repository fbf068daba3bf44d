# %% [markdown]
# # Lesson 17: Which kernels are behind my layer?
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/17_kernels_behind_a_layer.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: a profiler tells which kernels a
# network launches, and how to read its table.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can count what each kernel did.

# %%
from minitorch_cuda.learn import course, functional, nn, np, ones, profiler, tensor

# %% [markdown]
# ## A network of three lines
#
# A network is written in layers, but a GPU knows only kernels. Between the two is the
# library: each layer calls *ops* such as `matmul`, and each op launches kernels.


# %%
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(32, 8, dtype="float32")
        self.layer2 = nn.Linear(8, 1, dtype="float32")

    def forward(self, x):
        x = self.layer1(x)
        x = x.relu()
        return self.layer2(x)


net = Network().to("cuda")
x = ones(64, 32, dtype="float32", device="cuda")
net(x).shape

# %% [markdown]
# **Guess first:** how many kernels does one call of `net` launch?

# %%
my_kernels = None
course.check("17.1", my_kernels)

# %% [markdown]
# A *profiler* watches the program while it runs. Afterwards it tells what it saw:

# %%
with profiler.profile(with_modules=True, counters=True) as prof:
    net(x)

table = prof.key_averages().table(sort_by="cuda_time_total")
print(table)

# %% [markdown]
# Each row is all events of one name; `# of Calls` says how many. There are four kinds:
#
# | row | is |
# |---|---|
# | `nn.Module: Linear (layer1)` | a layer of yours |
# | `minitorch::matmul` | an op of the library |
# | `matmul_tiled (matmul_tiled.cu)` | a kernel, and the file that it comes from |
# | `cuLaunchKernel` | the driver's call that puts a kernel into the queue |
#
# Only the rows of kernels are work of the device: two products, two launches of `zip`
# (it adds the bias), and one of `map` (it is `relu`).

# %%
for row in prof.key_averages():
    if row.device_type.name == "CUDA" and row.key.endswith(".cu)"):
        print(f"{row.count} x {row.key}")

# %% [markdown]
# ## Which layer, and which line?
#
# A tree is easier to read than a table. Here is each event below the one that caused
# it:


# %%
def tree(event, depth=0):
    names = [each.name for each in event.kernels]
    print("  " * depth + event.name, "->" if names else "", ", ".join(names))
    for child in event.cpu_children:
        tree(child, depth + 1)


for event in prof.events():
    if event.name.startswith("nn.Module") and event.cpu_parent is None:
        tree(event)

# %% [markdown]
# That is the answer to "which kernels are behind my layer": `Linear` is a product and a
# bias. With `with_stack=True` there is one more column, the line of Python that called
# the op.
#
# ## What a kernel really computes
#
# The result of `layer1` has 64 rows and 8 columns, and each number in it is a sum of 32
# products. So it *needs* 64 · 8 · 32 = 16,384 multiply-adds.
#
# `matmul_tiled` covers the result with blocks of 16 by 16 threads (lesson 10). Each
# thread makes all 32 products, also if its number is outside of the result.
#
# **Guess first:** how many multiply-adds run?

# %%
my_products = None
course.check("17.2", my_products)

# %%
for event in prof.events():
    if event.name.startswith("nn.Module: Linear"):
        print(f"{event.name}: {event.counters['macs']:,} multiply-adds")

# %% [markdown]
# In `layer2` it is worse: its result has a single column, so 15 of 16 threads compute
# nothing that anyone reads. A layer that is narrower than a block wastes the rest.
#
# ## What the table adds up
#
# `Self` is what a row did itself, without the rows it called; `total` is with them. The
# line at the bottom, `Self CUDA time total`, is how long the device was busy.
#
# **Guess first:** in some other table, the row `minitorch::conv2d` has 3 ms of `Self
# CUDA`, its kernel `conv2d (conv2d.cu)` has 3 ms, and `Memcpy HtoD` has 1 ms. How many
# ms does the line at the bottom say?

# %%
my_sum = None
course.check("17.3", my_sum)

# %% [markdown]
# An op's `Self CUDA` is the time of the kernels that it launched. It is the same time,
# shown in two rows, so that you can look for it by op or by kernel. Let us add it up
# for our network:

# %%
rows = prof.key_averages()
device = [row for row in rows if row.device_type.name == "CUDA"]
ops = [row for row in rows if row.key.startswith("minitorch::")]
by_kernel = sum(row.self_device_time_total for row in device)
by_op = sum(row.self_device_time_total for row in ops)
print("the same:", round(by_kernel, 3) == round(by_op, 3))

# %% [markdown]
# The times of the emulator are those of this computer: do not compare them with a
# GPU's. What is counted (launches, sectors, multiply-adds, waits) is exact.
#
# ## The way back
#
# **Before you run it:** which kernels does `backward` launch for the two products, and
# how many?

# %%
with profiler.profile(counters=True) as both:
    net(x).sum().backward()

for row in both.key_averages():
    if row.key.endswith("Backward") or row.device_type.name == "CUDA":
        print(f"{row.count} x {row.key}")

# %% [markdown]
# `MatmulBackward` ran twice, once for each layer. The five products are the two of the
# forward pass, two for the gradients of the weights, and one for the gradient of
# `layer2`'s input. Nobody asked for the gradient of `x`, so `layer1` needs no second
# one. The names with `Backward` are nodes of the graph of lesson 12.
#
# ## What it looks like when it goes wrong
#
# **Before you run it:** the profile is still running when its table is asked for. What
# should happen?

# %%
try:
    with profiler.profile() as early:
        net(x)
        early.key_averages()
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# And a column that does not exist:

# %%
try:
    prof.key_averages().table(sort_by="gpu_time")
except ValueError as error:
    print(error)

# %% [markdown]
# ## Your turn
#
# The function below standardises a table: in each row, the mean becomes 0 and the mean
# square becomes 1. It is right, but it takes one row at a time. **Before you run it:**
# how many launches does it take for six rows?


# %%
def row_by_row(x):
    rows = []
    for i in range(x.shape[0]):
        centred = x[i : i + 1] - x[i : i + 1].mean(1)
        spread = (centred * centred).mean(1).sqrt()
        rows.append(centred / spread)
    return functional.cat(rows)


six = tensor(np.arange(30, dtype=np.float32).reshape(6, 5) % 7, device="cuda")
with profiler.profile() as prof:
    row_by_row(six)
kernels = [row for row in prof.key_averages() if row.device_type.name == "CUDA"]
print(sum(row.count for row in kernels))

# %% [markdown]
# Write it without a loop. Eight launches are enough, for any number of rows. `mean(1)`
# is the mean of each row, and keeps a column of them.


# %%
def standardised(x):
    # Three lines of yours.
    return None


course.check("17.4", standardised)

# %% [markdown]
# **What to take away:** a layer is a few ops, an op is a few kernels, and a profiler
# tells which. Add up kernels *or* ops, never both. Next: `18_launching_ahead`.
