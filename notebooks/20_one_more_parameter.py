# %% [markdown]
# # Lesson 20: One more parameter
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/20_one_more_parameter.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Twenty minutes: batch norm in ResNet-50 gets one
# more parameter, without a change of the network or of the library.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can count what each kernel did.

# %%
from minitorch_cuda.learn import (
    course,
    cuda,
    grad_check,
    models,
    nn,
    no_grad,
    np,
    override,
    profiler,
    tensor,
)

# %% [markdown]
# ## The wish
#
# Batch norm takes numbers x and gives numbers bn(x) with mean 0 and variance 1. Someone
# wants to blend the two, and to *learn* how much of each is best:
#
# > y = lam · bn(x) + (1 − lam) · x
#
# With lam = 1 this is batch norm, with lam = 0 it is x.
#
# **Guess first:** in one cell, x is 6 and bn(x) is 2. What is y for lam = 0.25?

# %%
my_cell = None
course.check("20.1", my_cell)

# %% [markdown]
# One could write a new layer, and then a new ResNet-50 that uses it. `override` does it
# without: in its `with` block, an op of the library is another one. The function gets
# the original op first, then the op's arguments, and the new parameters by name.


# %%
def blend(batch_norm, x, *rest, lam):
    return lam * batch_norm(x, *rest) + (1 - lam) * x


layer = nn.BatchNorm2d(3)
layer.eval()
random = np.random.default_rng(0)
x = tensor(random.standard_normal((2, 3, 2, 2)) * 3 + 1)
with override("batch_norm", blend, extra_parameters={"lam": 0.25}):
    y = layer(x)
difference = y - (0.25 * layer(x) + 0.75 * x)
print("largest difference:", abs(difference.numpy()).max())

# %% [markdown]
# Behind the block, the layer is what it was. But is the gradient right? Whatever the
# function does is recorded like anything else, so `grad_check` has nothing to say:


# %%
def blended_layer(x, lam):
    with override("batch_norm", blend, extra_parameters={"lam": lam}):
        return layer(x)


grad_check(blended_layer, x, tensor([0.25]))
print("The gradients agree, for x and for lam.")

# %% [markdown]
# ## In ResNet-50
#
# ResNet-50 has 53 batch norms. Each one gets a parameter of its own; the `lam` in
# `extra_parameters` is a function that finds it in the layer that is being called.
# `only` says where the override holds: in `layer1`, the first of the four stages.
#
# A stage consists of *blocks*. A block has three convolutions with a batch norm each.
# `layer1` has three blocks, and the first of them also has a convolution with a batch
# norm in its shortcut.
#
# **Guess first:** how many times does the override hold in one forward pass?

# %%
my_norms = None
course.check("20.2", my_norms)

# %%
net = models.resnet50()
net.eval()
norms = {n: m for n, m in net.named_modules() if isinstance(m, nn.BatchNorm2d)}
for norm in norms.values():
    norm.lam = nn.Parameter(tensor([1.0]))

image = tensor(random.standard_normal((1, 3, 32, 32)))
calls = []


def counting_blend(batch_norm, x, *rest, lam):
    calls.append(lam)
    return blend(batch_norm, x, *rest, lam=lam)


wish = override(
    "batch_norm",
    counting_blend,
    extra_parameters={"lam": lambda module: module.lam},
    only="layer1.*",
)
with no_grad():
    before = net(image).numpy()
    with wish:
        same = net(image).numpy()
print(f"{len(norms)} batch norms, {len(calls)} of them in layer1")
print("lam = 1 changes nothing:", np.array_equal(before, same))

# %% [markdown]
# Now let it learn. The gradients of `lam` come with all others, wherever `backward` is
# called.

# %%
with wish:
    loss = net(image).sum()
loss.backward()
learned = [name for name, norm in norms.items() if norm.lam.grad is not None]
print(*learned, sep="\n")

# %% [markdown]
# ## What it costs
#
# **Before you run it:** on a GPU, how many kernels does one call of the layer take, the
# library's and the blended one?


# %%
def kernels_of(call):
    with profiler.profile(counters=True) as prof, no_grad():
        call()
    rows = [row for row in prof.key_averages() if row.device_type.name == "CUDA"]
    sectors = sum(
        row.counters["sectors_loaded"] + row.counters["sectors_stored"] for row in rows
    )
    return sum(row.count for row in rows), sectors


there = nn.BatchNorm2d(3, dtype="float32").to("cuda")
there.eval()
batch = tensor(random.standard_normal((2, 3, 16, 16)).astype(np.float32), device="cuda")
with override("batch_norm", blend, extra_parameters={"lam": 0.25}):
    in_python = kernels_of(lambda: there(batch))
print(
    "the library's:", "{} kernel, {} sectors".format(*kernels_of(lambda: there(batch)))
)
print("blended:", "{} kernels, {} sectors".format(*in_python))

# %% [markdown]
# Four instead of one: each of them reads and writes everything (lesson 11). But the
# kernel's source is open, too. In evaluation it is this one. (`minitorch.source` shows
# all that is between an op and its kernels.)

# %%
with cuda.inspect(library=True) as run, no_grad():
    there(batch)
(launch,) = run.launches
text = launch.source
print(text[text.index("extern") :])

# %% [markdown]
# Two changes are enough: a parameter after the others, and the blend in the last line.

# %%
with_lam = text.replace("Scalar epsilon) {", "Scalar epsilon, Scalar lam) {").replace(
    "static_cast<Source>(value);",
    "static_cast<Source>(lam * value + (1 - lam) * static_cast<Scalar>(x[at]));",
)
changed = override(
    "batch_norm", kernels={"normalise.cu": with_lam}, extra_parameters={"lam": 0.25}
)
with changed:
    in_the_kernel = kernels_of(lambda: there(batch))
print("blended in the kernel:", "{} kernel, {} sectors".format(*in_the_kernel))

with no_grad():
    with changed:
        one = there(batch).numpy()
    with override("batch_norm", blend, extra_parameters={"lam": 0.25}):
        other = there(batch).numpy()
print("largest difference:", abs(one - other).max())

# %% [markdown]
# One kernel and as many sectors as before: `x[at]` is in the thread's hands already.
# The price is that a changed kernel has no gradient for `lam`, unless you write one
# (`backward=`). So: in Python to try an idea, in the kernel to make it fast.
#
# ## What it looks like when it goes wrong
#
# **Before you run it:** below are a wrong name in the kernel, and a stage that does not
# exist. Which of the two can be noticed before the block ends?

# %%
wrong = with_lam.replace("lam * value", "lam * valve")
try:
    with (
        override(
            "batch_norm",
            kernels={"normalise.cu": wrong},
            extra_parameters={"lam": 0.25},
        ),
        no_grad(),
    ):
        there(batch)
except Exception as error:
    print(type(error).__name__, error)

try:
    with override("batch_norm", blend, extra_parameters={"lam": 0.25}, only="layer9.*"):
        net(image)
except ValueError as error:
    print(str(error)[:150], "...")

# %% [markdown]
# A text that does not compile fails at its first launch, and the library's kernel is
# back behind the block. That a pattern meets nothing is known at the end only.
#
# ## Your turn
#
# Write the blend as a function that `override` can use. `course.check` calls it with a
# stand-in for batch norm that takes `x`, `weight` and `bias`.


# %%
def blended(batch_norm, x, weight, bias, lam):
    # A line or two of yours.
    return None


course.check("20.3", blended)

# %% [markdown]
# Now the gradient of `lam`, as `backward=` would need it. Given are the gradient of y,
# x, and `normed`, which is bn(x). Return a tensor of one element.


# %%
def gradient_of_lam(gradient, x, normed):
    # A line of yours.
    return None


course.check("20.4", gradient_of_lam)

# %% [markdown]
# **What to take away:** a library whose source is open can be changed where you need
# it: an op in Python, or its kernel's text. Check its gradient, count its launches.
# Next: `21_what_a_chain_costs`.
