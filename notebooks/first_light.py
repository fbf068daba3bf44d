# %% [markdown]
# # First light
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (there: *File*, *Upload notebook*). A kernel
# is a function that thousands of threads run at once. This notebook launches a few on
# the emulator; the same code runs on a GPU.
#
# The first cell installs minitorch-cuda if it is missing.

# %%
from minitorch_cuda.learn import cuda, np, tensor

print(cuda.device_name())

# %% [markdown]
# ## One thread, one element
#
# `blockIdx`, `blockDim` and `threadIdx` tell a thread who it is. Here it owns `y[i]`.
# 300 elements need two blocks of 256 threads; the last 212 threads have nothing to do,
# which is what the guard `if (i < n)` is for.

# %%
saxpy = cuda.RawKernel(
    """
extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
""",
    "saxpy",
)
x = np.arange(300, dtype=np.float32)
y = cuda.to_device(np.ones(300, np.float32))
saxpy(2, 256, (y, cuda.to_device(x), 2.0, 300))
assert (y.copy_to_host() == 2 * x + 1).all()

# %% [markdown]
# ## The same without the guard
#
# On the emulator the mistake is named by line, block and thread. The launch itself
# returns at once; the error is raised where the program waits: at `synchronize` or at a
# copy to the host.

# %%
careless = cuda.RawKernel(
    """
extern "C" __global__ void careless(float* y, const float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
""",
    "careless",
)
try:
    careless(2, 256, (y, cuda.to_device(x)))
    cuda.synchronize()
except cuda.KernelError as error:
    print(error.kind, "in block", error.block, "thread", error.thread)
    print(error)

# %% [markdown]
# ## A Python function becomes a kernel
#
# `map` translates the function to CUDA C++, compiles it and launches one thread per
# element.

# %%
from minitorch_cuda.tensor_ops import map as tensor_map


def leaky(v: float) -> float:
    return v if v > 0 else 0.1 * v


activations = tensor_map(leaky)(tensor([-2.0, 0.5, 3.0], device="cuda"))
print(activations.numpy())

# %% [markdown]
# ## Who computes which cell?
#
# The tiled matrix product: a block shares one tile of each input at a time. Point at a
# cell of C, or move with W A S D; the arrow keys change the tile.

# %%
from minitorch_cuda.demo import owners
from minitorch_cuda.viz import Page

page = Page("tiled matmul")
page.add_view("tiled_matmul.js", "drawTiledMatmul", owners.record())
page
