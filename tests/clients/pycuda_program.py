"""A program of PyCUDA: modules, arrays, element-wise kernels, reductions, scans.

PyCUDA has nvcc make machine code, which the emulator cannot run: here it asks for PTX.
Every result is compared with NumPy. Knows nothing of minitorch.
"""

import numpy as np
import pycuda.autoinit
import pycuda.driver as driver
from client_cases import case, main
from pycuda import compiler, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

RNG = np.random.default_rng(1)
compile_for = compiler.compile_plain


def compile_to_ptx(source, options, keep, nvcc, cache_dir, target="cubin"):
    return compile_for(source, options, keep, nvcc, cache_dir, "ptx")


compiler.compile_plain = compile_to_ptx

MODULE = SourceModule(
    """
    __constant__ float factor;
    __global__ void scale(float* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] *= factor;
    }
    __global__ void add(float* out, const float* a, const float* b) {
      out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
    }
    __global__ void reverse(float* x, int n) {
      extern __shared__ float kept[];
      kept[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = kept[n - 1 - threadIdx.x];
    }
    """
)


@case
def copies_in_and_out():
    a, b = RNG.random(100, np.float32), RNG.random(100, np.float32)
    out = np.zeros_like(a)
    MODULE.get_function("add")(
        driver.Out(out), driver.In(a), driver.In(b), block=(100, 1, 1), grid=(1, 1)
    )
    np.testing.assert_array_equal(out, a + b)


@case
def constant_memory():
    x = RNG.random(1000, np.float32)
    place, size = MODULE.get_global("factor")
    assert size == 4
    driver.memcpy_htod(place, np.float32(3))
    on_device = driver.mem_alloc(x.nbytes)
    driver.memcpy_htod(on_device, x)
    MODULE.get_function("scale")(
        on_device, np.int32(1000), block=(256, 1, 1), grid=(4, 1)
    )
    result = np.empty_like(x)
    driver.memcpy_dtoh(result, on_device)
    np.testing.assert_array_equal(result, x * np.float32(3))


@case
def shared_memory():
    x = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
    MODULE.get_function("reverse")(x, np.int32(64), block=(64, 1, 1), shared=256)
    np.testing.assert_array_equal(x.get(), np.arange(64)[::-1])


@case
def prepared_calls():
    x = gpuarray.to_gpu(np.ones(500, np.float32))
    driver.memcpy_htod(MODULE.get_global("factor")[0], np.float32(2))
    scale = MODULE.get_function("scale")
    scale.prepare("Pi")
    scale.prepared_call((2, 1), (256, 1, 1), x.gpudata, 500)
    stream = driver.Stream()
    scale.prepared_async_call((2, 1), (256, 1, 1), stream, x.gpudata, 500)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), np.full(500, 4))


@case
def streams_and_events():
    x = driver.pagelocked_empty(400, np.float32)
    x[:] = np.arange(400)
    stream, start, end = driver.Stream(), driver.Event(), driver.Event()
    on_device = driver.mem_alloc(x.nbytes)
    start.record(stream)
    driver.memcpy_htod_async(on_device, x, stream)
    driver.memset_d32_async(int(on_device), 0, 10, stream)
    driver.memcpy_dtoh_async(x, on_device, stream)
    end.record(stream)
    end.synchronize()
    assert end.time_since(start) >= 0
    assert (x[:10] == 0).all()
    assert (x[10:] == np.arange(10, 400)).all()


@case
def array_reductions():
    a = RNG.random(5000, np.float32)
    x = gpuarray.to_gpu(a)
    np.testing.assert_allclose(gpuarray.sum(x).get(), a.sum(), rtol=1e-5)
    np.testing.assert_allclose(gpuarray.dot(x, x).get(), a @ a, rtol=1e-5)
    assert gpuarray.max(x).get() == a.max()
    assert gpuarray.min(x).get() == a.min()


@case
def elementwise_kernel():
    kernel = ElementwiseKernel(
        "float a, float *x, float *y", "y[i] = a * x[i] + y[i]", "saxpy"
    )
    a, b = RNG.random(3000, np.float32), RNG.random(3000, np.float32)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    kernel(np.float32(3), x, y)
    np.testing.assert_allclose(y.get(), 3 * a + b, rtol=1e-6)


@case
def reduction_kernel():
    kernel = ReductionKernel(
        np.float32, "0", "a + b", "x[i] * y[i]", "float *x, float *y"
    )
    a, b = RNG.random(4000, np.float32), RNG.random(4000, np.float32)
    result = kernel(gpuarray.to_gpu(a), gpuarray.to_gpu(b)).get()
    np.testing.assert_allclose(result, a @ b, rtol=1e-5)


@case
def scans():
    a = RNG.integers(0, 50, 6000, np.int32)
    x = gpuarray.to_gpu(a)
    InclusiveScanKernel(np.int32, "a + b")(x)
    np.testing.assert_array_equal(x.get(), np.cumsum(a))
    x = gpuarray.to_gpu(a)
    ExclusiveScanKernel(np.int32, "a + b", 0)(x)
    np.testing.assert_array_equal(x.get(), np.cumsum(a) - a)


@case
def what_a_card_says():
    device = pycuda.autoinit.device
    assert device.compute_capability() >= (7, 5)
    assert device.get_attribute(driver.device_attribute.WARP_SIZE) == 32
    free, total = driver.mem_get_info()
    assert 0 < free <= total
    function = MODULE.get_function("reverse")
    assert function.max_threads_per_block == 1024
    assert function.local_size_bytes == 0


if __name__ == "__main__":
    main()
