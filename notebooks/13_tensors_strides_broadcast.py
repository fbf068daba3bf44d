# %% [markdown]
# # Lesson 13: Tensors, strides, broadcasting
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). Fifteen minutes: a
# tensor is a row of cells, and a rule for counting them.
#
# The first cell installs minitorch-cuda if it is missing. The lesson runs on the
# emulator, even beside a GPU: it tells what each thread did, which a GPU cannot.

# %%
from minitorch_cuda.learn import course, np, tensor, viz

# %% [markdown]
# ## A row of cells
#
# Memory is one long row of cells. A table with rows and columns does not exist there:
# somebody must say how the cells are counted. A tensor does it with two short lists:
#
# - its *shape*: how many elements there are along each dimension,
# - its *strides*: how many cells to go on for one step along each dimension.
#
# **Your guess first:** a tensor has the shape (3, 4), and its rows lie one after the
# other. In which cell, counted from 0, is element [2, 1]?

# %%
my_cell = None
course.check("13.1", my_cell)

# %%
t = tensor(np.arange(10, 22).reshape(3, 4))
print("shape", t.shape, " strides", t.strides)
viz.tensor(t, index=(1, 2), names=["t"])

# %% [markdown]
# Each row has its colour, above as a table and below as it lies in memory. The table on
# the right is the whole rule: multiply each number of the index by its stride, and add.
#
# ## Transposed without moving a cell
#
# `t.permute(1, 0)` swaps rows and columns. **Before you run it:** how many of the
# twelve cells must be moved for that?

# %%
transposed = t.permute(1, 0)
print("shape", transposed.shape, " strides", transposed.strides)
viz.tensor(t, transposed, index=(1, 2), names=["t", "transposed"])

# %% [markdown]
# None. Only the two lists were swapped. This takes the same time for twelve cells and
# for a billion. The price: both see the same memory. What is written to one is seen in
# the other.

# %%
transposed[2, 1] = 99
print(t[1, 2])

# %% [markdown]
# ## A part of it
#
# A slice counts the same cells from another *start*, and with larger strides where it
# leaves out some. **Before you run it:** what are shape, strides and start of
# `t[1:, ::2]`, that is, without the first row, and every other column?

# %%
part = t[1:, ::2]
viz.tensor(part, names=["part"])

# %% [markdown]
# Hatched cells are there, but no element of `part` lies in them.
#
# ## The same cells many times
#
# To add a row to every row of a table, shapes (4, 3) and (3,), one need not copy the
# row. `expand` makes of it a tensor of four rows that are all the same cells. This is
# *broadcasting*.
#
# **Your guess first:** what is the stride from one of these rows to the next?

# %%
my_stride = None
course.check("13.2", my_stride)

# %%
row = tensor([1, 2, 3])
viz.tensor(row, row.expand(4, 3), index=1, names=["row", "row.expand(4, 3)"])

# %% [markdown]
# Two shapes go together if, read from the right, the sizes are equal or one of them is
# 1 or missing. `+`, `*` and the like do this by themselves.

# %%
print((tensor(np.zeros((4, 3))) + row).shape)
print((tensor(np.zeros((4, 1))) * row).shape)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** (3, 4) and (3,) do not go together, though both have a 3. Why?

# %%
try:
    t + row
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# They are compared from the right: 4 and 3. If the three numbers are meant to be one
# for each row, make them a column first: shape (3, 1).

# %%
print((t + row.view(3, 1)).shape)

# %% [markdown]
# The second usual error. `view` gives the same cells another shape. **Before you run
# it:** why can the transposed tensor not be seen as one row of twelve?

# %%
try:
    transposed.view(12)
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# Along the first row of `transposed` each step goes four cells on, but from its end to
# the next row it is seven back: no one stride does both. `contiguous()` copies the
# elements into a new row of cells.

# %%
viz.tensor(
    transposed, transposed.contiguous(), index=(2, 1), names=["transposed", "copy"]
)

# %% [markdown]
# Kernels see this as well: neighbouring threads that read neighbouring *elements* of
# `transposed` read cells that lie four apart. Lesson 7 showed what that costs.
#
# ## Your turn
#
# From index to cell. The start is the cell of element [0, 0, ...].


# %%
def cell_of(index, strides, start):
    return None


course.check("13.3", cell_of)

# %% [markdown]
# The strides of a tensor of this shape whose rows lie one after the other.


# %%
def strides_of(shape):
    return None


course.check("13.4", strides_of)

# %% [markdown]
# The shape of `a + b`, for two shapes that go together.


# %%
def shape_of_sum(one, other):
    return None


course.check("13.5", shape_of_sum)

# %% [markdown]
# **What to keep:** cell = start + sum of index times stride. Turning, slicing and
# broadcasting change the numbers of this rule, not the cells. Next:
# `14_train_a_network_with_your_kernels`.
