# %% [markdown]
# # Lesson 13: Tensors, strides, broadcasting
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/13_tensors_strides_broadcast.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: a tensor is a row of cells, and a
# rule for finding each element in it.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator even if you have a GPU: only the emulator can show what each thread did.

# %%
from minitorch_cuda.learn import course, np, tensor, viz

# %% [markdown]
# ## A row of cells
#
# Memory is one long row of cells. There are no tables with rows and columns in memory:
# something must say how the cells are counted. A tensor does this with two short lists:
#
# - its *shape*: how many elements there are along each dimension,
# - its *strides*: how many cells to move for one step along each dimension.
#
# **Guess first:** a tensor has the shape (3, 4), and its rows lie one after the
# other. In which cell, counted from 0, is element [2, 1]?

# %%
my_cell = None
course.check("13.1", my_cell)

# %%
t = tensor(np.arange(10, 22).reshape(3, 4))
print("shape", t.shape, " strides", t.strides)
viz.tensor(t, index=(1, 2), names=["t"])

# %% [markdown]
# Each row has its own colour. Under its name stands the tensor as a table, and under
# *Storage* as it lies in memory. The sentence on top gives the whole rule: multiply
# each number of the index by its stride, and add up the products. Move the slider to
# see which cell comes next.
#
# ## Transposed without moving a cell
#
# `t.permute(1, 0)` swaps rows and columns. **Before you run it:** how many of the
# twelve cells must move for that?

# %%
transposed = t.permute(1, 0)
print("shape", transposed.shape, " strides", transposed.strides)
viz.tensor(t, transposed, index=(1, 2), names=["t", "transposed"])

# %% [markdown]
# None. Only the two lists were reordered. This takes the same time for twelve cells as
# for a billion. The price is that both tensors share the same memory: what you write to
# one also appears in the other.

# %%
transposed[2, 1] = 99
print(t[1, 2])

# %% [markdown]
# ## A part of it
#
# A slice counts the same cells from another *start*, and with larger strides if it
# skips some. **Before you run it:** what are the shape, strides and start of `t[1:,
# ::2]`, that is, every other column without the first row?

# %%
part = t[1:, ::2]
viz.tensor(part, names=["part"])

# %% [markdown]
# The hatched cells exist, but they hold no element of `part`.
#
# ## The same cells many times
#
# To add a row of shape (3,) to every row of a table of shape (4, 3), you do not have to
# copy the row. `expand` turns it into a tensor of four rows that all use the same
# cells. This is *broadcasting*.
#
# **Guess first:** what is the stride from one of these rows to the next?

# %%
my_stride = None
course.check("13.2", my_stride)

# %%
row = tensor([1, 2, 3])
viz.tensor(row, row.expand(4, 3), index=1, names=["row", "row.expand(4, 3)"])

# %% [markdown]
# Two shapes are compatible if, read from the right, the sizes are equal, or one of them
# is 1 or missing. `+`, `*` and similar operators broadcast automatically.

# %%
print((tensor(np.zeros((4, 3))) + row).shape)
print((tensor(np.zeros((4, 1))) * row).shape)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** (3, 4) and (3,) are not compatible, although both contain a 3.
# Why?

# %%
try:
    t + row
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# Shapes are compared from the right: here 4 with 3. If there should be one number for
# each row, turn the three numbers into a column first, with shape (3, 1).

# %%
print((t + row.view(3, 1)).shape)

# %% [markdown]
# Here is another common error. `view` gives the same cells a different shape. **Before
# you run it:** why can the transposed tensor not be viewed as one row of twelve?

# %%
try:
    transposed.view(12)
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# Along the first row of `transposed`, each step moves four cells forward, but the step
# from its end to the next row moves seven cells back: no single stride can do both.
# `contiguous()` copies the elements into a new row of cells.

# %%
viz.tensor(
    transposed, transposed.contiguous(), index=(2, 1), names=["transposed", "copy"]
)

# %% [markdown]
# Kernels are affected, too: neighbouring threads that read neighbouring *elements* of
# `transposed` read cells that are four apart. Lesson 7 showed what that costs.
#
# ## Your turn
#
# Compute the cell of an index. The start is the cell of element [0, 0, ...].


# %%
def cell_of(index, strides, start):
    return None


course.check("13.3", cell_of)

# %% [markdown]
# Compute the strides of a tensor of this shape whose rows lie one after the other.


# %%
def strides_of(shape):
    return None


course.check("13.4", strides_of)

# %% [markdown]
# Compute the shape of `a + b`, for two compatible shapes.


# %%
def shape_of_sum(one, other):
    return None


course.check("13.5", shape_of_sum)

# %% [markdown]
# **What to take away:** cell = start + sum of index times stride. Transposing, slicing
# and broadcasting change the numbers in this rule, not the cells. Next:
# `14_train_a_network_with_your_kernels`.
