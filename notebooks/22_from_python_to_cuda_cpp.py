# %% [markdown]
# # Lesson 22: From Python to CUDA C++, and back
#
# [See the outputs before you run the cells.](https://github.com/OWNER/minitorch-cuda/blob/rendered/22_from_python_to_cuda_cpp.ipynb)
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/)
# (There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# Fifteen minutes: a kernel that you can write in Python becomes a whole program in CUDA
# C++, as courses hand them out, and the kernel of such a program becomes a function of
# Python.
#
# The first cell installs minitorch-cuda if it is missing. You need lessons 0 to 2, and
# some C++. No cell needs a GPU. The cells that begin with `%%cu` need nvcc, NVIDIA's
# compiler, and a C++ compiler for the host code; without them they say how to get
# them, and the lesson goes on. In Colab run
# `%pip install "minitorch-cuda[nvcc]"` in a cell of its own.

# %%
from minitorch_cuda.learn import course, cuda, np, viz

# %% [markdown]
# ## In Python
#
# Each thread adds two numbers. 4 blocks of 256 threads are 1,024, a few more than there
# are numbers: the guard lets those do nothing.

# %%
n = 1000


@cuda.jit
def add(x, y, total):
    i = cuda.grid(1)
    if i < total.size:
        total[i] = x[i] + y[i]


x = np.arange(n, dtype=np.float32)
total = cuda.device_array(n, np.float32)
add[4, 256](cuda.to_device(x), cuda.to_device(2 * x), total)
print(total.copy_to_host()[[1, 999]])

# %% [markdown]
# ## The same as a program
#
# `%load_ext` brings `%%cu`: the rest of such a cell is a whole program in CUDA C++. It
# is compiled, run, and checked as `minitorch check vector_add.cu` does in a terminal.
# With `--name program` its launches are recorded, too.

# %%
# %load_ext minitorch_cuda

# %%
# %%cu --name program
# #include <cstdio>
# #include <vector>
#
# __global__ void add(const float* x, const float* y, float* total, int n) {
#   int i = blockIdx.x * blockDim.x + threadIdx.x;
#   if (i < n) total[i] = x[i] + y[i];
# }
#
# int main() {
#   const int n = 1000;
#   const size_t bytes = n * sizeof(float);
#   std::vector<float> x(n), y(n), total(n);
#   for (int i = 0; i < n; ++i) {
#     x[i] = i;
#     y[i] = 2 * i;
#   }
#   float *d_x, *d_y, *d_total;
#   cudaMalloc(&d_x, bytes);
#   cudaMalloc(&d_y, bytes);
#   cudaMalloc(&d_total, bytes);
#   cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice);
#   cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice);
#   add<<<4, 256>>>(d_x, d_y, d_total, n);
#   if (cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
#     std::printf("%s\n", cudaGetErrorString(error));
#   }
#   cudaMemcpy(total.data(), d_total, bytes, cudaMemcpyDeviceToHost);
#   std::printf("%g %g\n", total[1], total[999]);
#   cudaFree(d_x);
#   cudaFree(d_y);
#   cudaFree(d_total);
# }

# %% [markdown]
# The kernel is the same. What Python did for you is now in `main`:
#
# | in Python | in the program |
# |---|---|
# | `cuda.grid(1)` | `blockIdx.x * blockDim.x + threadIdx.x` |
# | `total.size` | an argument: a pointer does not know how many numbers are behind it |
# | `cuda.device_array(n, np.float32)` | `cudaMalloc`, with the number of bytes |
# | `cuda.to_device(x)` | `cudaMalloc`, then `cudaMemcpy` with `cudaMemcpyHostToDevice` |
# | `add[4, 256](...)` | `add<<<4, 256>>>(d_x, d_y, d_total, n)` |
# | a launch that cannot start is an exception | `cudaGetLastError` returns an error, to whoever asks |
# | `total.copy_to_host()` | `cudaMemcpy` with `cudaMemcpyDeviceToHost`, which waits for the kernel |
# | memory is freed when nobody uses it | `cudaFree` |
#
# **Guess first:** how many bytes do the calls of `cudaMemcpy` copy *to* the device?

# %%
bytes_to_the_device = None
course.check("22.1", bytes_to_the_device)

# %% [markdown]
# `program.launches` are launches like those of `cuda.inspect(trace=True)`: they have
# counters and a trace, and every picture of `viz` can be drawn of them. (The list is
# empty if there was no nvcc.) Here is a thread of the last block, with the names that
# the kernel gives its arrays:

# %%
program.launches and viz.grid(program.launches[0], thread=231, block=3)

# %% [markdown]
# ## What it looks like when it goes wrong
#
# **Before you run it:** the guard is gone. Which thread of block 3 is the first to
# leave the arrays?

# %%
first_thread_outside = None
course.check("22.2", first_thread_outside)

# %%
# %%cu --name unguarded
# #include <cstdio>
#
# __global__ void add(const float* x, const float* y, float* total) {
#   int i = blockIdx.x * blockDim.x + threadIdx.x;
#   total[i] = x[i] + y[i];
# }
#
# int main() {
#   const int n = 1000;
#   float *x, *y, *total;
#   cudaMallocManaged(&x, n * sizeof(float));
#   cudaMallocManaged(&y, n * sizeof(float));
#   cudaMallocManaged(&total, n * sizeof(float));
#   for (int i = 0; i < n; ++i) {
#     x[i] = i;
#     y[i] = 2 * i;
#   }
#   add<<<4, 256>>>(x, y, total);
#   cudaError_t error = cudaDeviceSynchronize();
#   std::printf("%s\n", cudaGetErrorString(error));
#   cudaFree(x);
#   cudaFree(y);
#   cudaFree(total);
# }

# %% [markdown]
# (Managed memory needs no copies: the host and the device use the same pointer.) The
# finding names the line, the thread, and the array: by the kernel's parameter and by
# the variable whose address `cudaMallocManaged` got. On a GPU this program
# mostly prints "no error": memory is handed out in larger pieces, and the threads write
# into a neighbour's.

# %%
unguarded.launches and unguarded.launches[0].show()

# %% [markdown]
# The next program has no mistake in its kernel. It prints a wrong result all the same,
# and ends with exit status 0.

# %%
# %%cu
# #include <cstdio>
#
# __global__ void fill(int* out) { out[threadIdx.x] = 7; }
#
# int main() {
#   int *d_out, first = 0;
#   cudaMalloc(&d_out, 2048 * sizeof(int));
#   cudaMemset(d_out, 0, 2048 * sizeof(int));
#   fill<<<1, 2048>>>(d_out);
#   cudaMemcpy(&first, d_out, sizeof(int), cudaMemcpyDeviceToHost);
#   std::printf("the first one: %d\n", first);
# }

# %% [markdown]
# A block has at most 1,024 threads: the launch never started. In Python that is an
# exception; in CUDA C++ the error waits for somebody to ask. So put a
# `cudaGetLastError` behind every launch. The second finding is about memory.
#
# ## And back
#
# While you work on a kernel, Python is the better place for it: arrays are NumPy's, and
# a test is one line. `%%cuda` takes kernels alone, without a `main`, and needs no nvcc.
# The kernel of the program, copied as it is:

# %%
# %%cuda
# __global__ void add_floats(const float* x, const float* y, float* total, int n) {
#   int i = blockIdx.x * blockDim.x + threadIdx.x;
#   if (i < n) total[i] = x[i] + y[i];
# }

# %%
numbers = np.random.default_rng(0).standard_normal((2, n)).astype(np.float32)
result = cuda.device_array(n, np.float32)
add_floats[4, 256](cuda.to_device(numbers[0]), cuda.to_device(numbers[1]), result, n)
print(np.array_equal(result.copy_to_host(), numbers[0] + numbers[1]))

# %% [markdown]
# **What to take away:** a program in CUDA C++ is a kernel and the host code that Python
# writes for you: memory, copies, errors. `minitorch check` names the mistakes of both
# by line, without a GPU; with one, `nvcc vector_add.cu` compiles the same file.
