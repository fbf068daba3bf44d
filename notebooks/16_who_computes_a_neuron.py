# %% [markdown]
# # Lesson 16: Who computes a neuron?
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/16_who_computes_a_neuron.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Twenty minutes: from a network down to the thread
# that computes one number, and what has to be moved for it.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, explain, nn, np, tensor, viz

# %% [markdown]
# ## A network on a card
#
# The network below takes 32 numbers and computes one. The batch has 64 samples.


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


random = np.random.default_rng(0)
net = Network()
x = tensor(random.standard_normal((64, 32)).astype(np.float32))

# %% [markdown]
# `explain` runs a call once on the emulator and tells how it is mapped onto a GPU. Ours
# is to be an RTX 3090, which has 82 multiprocessors (SMs).
#
# **Guess first:** how many of the 82 SMs have something to do?

# %%
explained = explain(net, x, gpu="rtx3090")
viz.network(explained)

# %% [markdown]
# Four at most. Such a network is too small for such a card: `layer1` has four blocks,
# and a block runs on *one* SM. Here are the same numbers as a table:

# %%
print(explained.table())

# %% [markdown]
# - **grid, block:** how many blocks the launch has, and how many threads a block has.
# - **MACs:** multiply-adds, the useful ones and those that run. Threads outside of the
#   result work as well: their tile is filled up with zeros. A kernel without a product
#   has no useful ones (-).
# - **touched:** the bytes of all *different* sectors. **asked:** the bytes of all
#   sectors that the warps ask for; many ask for the same one. What really comes from
#   the card's memory depends on the caches, and lies between the two.
# - **at least:** so long this card moves the bytes, does the arithmetic, or issues the
#   instructions, whichever is longest, if nothing is in its caches yet. It does not say
#   how long a run takes.
#
# Which SM gets a block is not fixed by CUDA. Here block b runs on SM b mod 82; that is
# a model, and on a GPU it can be measured.
#
# ## One neuron
#
# Take sample 37 and neuron 3 of `layer1`: that is element [37, 3] of its result, which
# is 64 by 8. Blocks are 16 by 16 threads; the thread's x counts columns, and its y
# counts rows. So the element belongs to block (0, 2), and in it to thread (3, 5).
#
# **Guess first:** in which warp of its block is this thread?

# %%
my_warp = None
course.check("16.1", my_warp)

# %%
neuron = explained.neuron("layer1", (37, 3))
print(neuron)

# %% [markdown]
# Two kernels made this number. The first one summed 32 products; the second one added
# the bias. Nobody guessed that: the emulator recorded each step, and `neuron` went back
# from the store of the number to all that it was made from.

# %%
viz.neuron(neuron)

# %% [markdown]
# Each product has two factors. The thread did not load most of them itself: in a tiled
# product, threads of a block load for each other (lesson 10).

# %%
sums = neuron.chain[0]
for mac in sums.macs[:4]:
    a, b = mac.a, mac.b
    print(f"a{list(a.element)} = {a.value:+.3f} loaded by thread {a.loaded_by.thread},")
    print(f"b{list(b.element)} = {b.value:+.3f} loaded by thread {b.loaded_by.thread};")
    print(f"    the sum is {mac.partial:+.3f}")

# %% [markdown]
# Is that all of it? `recompute()` does the sum again, from these factors alone and with
# the GPU's rounding. **Before you run it:** how close will it be?

# %%
print(sums.recompute(), sums.value, sums.recompute() == sums.value)

# %% [markdown]
# Equal in every bit.
#
# ## What moves
#
# Now a batch of one sample. The product reads the sample (32 numbers) and the weights
# (32 by 8), all of them float32. A sector has 32 bytes.
#
# **Guess first:** how many different sectors does it read?

# %%
my_sectors = None
course.check("16.2", my_sectors)

# %%
single = explain(net, x[0:1], gpu="rtx3090")
product = single.kernels[0]
print(f"asked: {product.moved.asked.read // 32} sectors")
print(f"different ones: {product.moved.touched.read // 32}")
print(f"useful multiply-adds: {product.macs_useful} of {product.macs_executed:,}")

# %% [markdown]
# The weights are most of it: with one sample, each weight is loaded for a single
# product. With 64 samples, the same weights serve 64 products. That is why one computes
# in batches.
#
# You may have read that a layer's weights are "moved into the SM" first, then the layer
# is computed, and then the result goes back to the card's memory. Here is what happens,
# step by step:

# %%
print(explained.steps())

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** what does `explain` say to a layer, or a neuron, that does not
# exist?

# %%
for layer, index in (("layer3", (37, 3)), ("layer1", (37, 9))):
    try:
        explained.neuron(layer, index)
    except (KeyError, IndexError) as error:
        print(type(error).__name__, error)

# %% [markdown]
# ## Your turn
#
# Who stores element [row, column] of a product? Return six numbers: x and y of the
# block, x and y of the thread, the warp in the block, and the lane in the warp.


# %%
def who(row, column):
    # A few lines of yours.
    return None


course.check("16.3", who)

# %% [markdown]
# How many multiply-adds *run* in the product of a (rows, inner) and an (inner, columns)
# matrix? A block covers 16 by 16 elements of the result, and goes along `inner` in
# tiles of 16. Nothing is left out: a tile at the edge is filled up with zeros.


# %%
def executed(rows, inner, columns):
    # A line or two of yours.
    return None


course.check("16.4", executed)

# %% [markdown]
# **What to take away:** a neuron is a sum in one thread, of one warp, of one block, on
# one SM; its factors come through a tile that the block shares. Small layers leave most
# of a card idle. Next: `17_kernels_behind_a_layer`.
