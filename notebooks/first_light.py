# %% [markdown]
# # First light
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/first_light.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# A kernel
# is a function that thousands of threads run at once. This notebook launches a few on
# the emulator; the same code runs on a GPU.
#
# The first cell installs minitorch-cuda if it is missing.

# %%
from minitorch_cuda.learn import cuda, np, tensor, viz

print(cuda.device_name())

# %% [markdown]
# ## One thread, one element
#
# `blockIdx`, `blockDim` and `threadIdx` tell a thread which one it is. Here it owns
# `y[i]`. 300 elements need two blocks of 256 threads. The last 212 threads have nothing
# to do; the guard `if (i < n)` keeps them out.

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
# The emulator names the line, the block and the thread of the mistake. The launch
# itself returns at once; the error is raised when the program waits: at `synchronize`
# or at a copy to the host.

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
# `map` translates the function to CUDA C++, compiles it, and launches one thread per
# element.

# %%
from minitorch_cuda.tensor_ops import map as tensor_map


def leaky(v: float) -> float:
    return v if v > 0 else 0.1 * v


activations = tensor_map(leaky)(tensor([-2.0, 0.5, 3.0], device="cuda"))
print(activations.numpy())

# %% [markdown]
# ## Who loads what, and who computes which cell?
#
# Here is the tiled matrix product, written in Python. A block of 8 × 8 threads shares
# one tile of `a` and one tile of `b` at a time: each thread *loads* one cell of each
# tile, and then *reads* cells that its neighbours have loaded. Each thread computes one
# cell of `c`.


# %%
@cuda.jit
def tiled_matmul(c, a, b):
    tile_a = cuda.shared.array((8, 8), np.float32)
    tile_b = cuda.shared.array((8, 8), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for first in range(0, a.shape[1], 8):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(8):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, column] = total


a = np.arange(24 * 16, dtype=np.float32).reshape(24, 16) % 5
b = np.arange(16 * 24, dtype=np.float32).reshape(16, 24) % 7
c = cuda.to_device(np.zeros((24, 24), np.float32))
with cuda.inspect(trace=True, debug=True) as run:
    tiled_matmul[(3, 3), (8, 8)](c, cuda.to_device(a), cuda.to_device(b))
assert (c.copy_to_host() == a @ b).all()
tiled = run.launches[0]
viz.grid(tiled, block=(1, 2), thread=(3, 2))

# %% [markdown]
# Thread (3, 2) of block (1, 2) computes `c[18, 11]`: its row is 2 × 8 + 2, and its
# column is 1 × 8 + 3. The dashed cells are all that it loads: one cell of `a` and one
# of `b` for each of the two pairs of tiles. If the picture is live, drag the slider to
# see which line touches which cell; click another thread, or move with W A S D.
#
# ## Wait for your neighbours
#
# A cell of a tile may be read only after some thread has loaded it. That is what
# `cuda.syncthreads()`, a *barrier*, is for. The next picture goes through block (1, 2)
# step by step, and stops just before the barrier opens. Here each thread has a single
# number, y × 8 + x: our thread is 19, and thread (3, 6) is 51.

# %%
viz.step(tiled, 23, block=(1, 2), thread=(3, 6))

# %% [markdown]
# On the right are the two tiles, each cell in the colour of the warp that loaded it.
# Warp 0, with our thread 19, has loaded its half and waits at the barrier. Warp 1 is
# writing the other half of `tile_b`; thread 51 writes the cell `tile_b[6, 3]`.
#
# Some steps later, both tiles are complete and our thread adds up the products:

# %%
viz.step(tiled, 71, block=(1, 2), thread=(3, 2))

# %% [markdown]
# Thread 19 reads `tile_b[6, 3]`, which thread 51 of the other warp has loaded: without
# the barrier, the cell might still be empty. The second barrier prevents a fast warp
# from loading the next tiles while a slow one still reads these. Use the slider or the
# arrow keys to see how `total` becomes `c[18, 11]`.
#
# ## Why shared memory?
#
# Each of the 24 × 24 threads needs 16 cells of `a` and 16 of `b`: 18,432 reads of
# global memory. The table beside the first picture shows 2,304, eight times fewer: each
# cell that a block loads is read eight times from its tile. And this is what a single
# load of a warp moves:

# %%
viz.memory(tiled, 9, block=7)

# %% [markdown]
# The 32 threads of a warp load four rows of the tile, 8 floats each. These are four
# sectors of 32 bytes, and every byte is used. Next: `00_start`, or
# `10_matmul_naive_to_tiled` for more about tiles.
