"""A program of cuda.core and cuda.bindings that uses what such programs use.

Compiles to PTX, launches on streams, times by events, takes memory from the device's
pool, records a graph. Every result is compared with NumPy. Knows nothing of minitorch.
"""

import ctypes

import numpy as np
from cuda.bindings import driver
from cuda.core import (
    Device,
    EventOptions,
    LaunchConfig,
    Program,
    ProgramOptions,
    launch,
)

CODE = r"""
extern "C" __global__ void saxpy(const float a, const float* x, const float* y,
                                 float* out, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    out[i] = a * x[i] + y[i];
}
template <typename T> __global__ void scale(T* data, T by, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
"""
N = 1000


def call(result):
    error, *values = result
    assert error == driver.CUresult.CUDA_SUCCESS, error
    return values[0] if len(values) == 1 else tuple(values)


def to_device(array, buffer, stream):
    call(
        driver.cuMemcpyHtoDAsync(
            int(buffer.handle), array.ctypes.data, array.nbytes, stream.handle
        )
    )


def to_host(buffer, stream, dtype=np.float32):
    array = np.empty(N, dtype)
    call(
        driver.cuMemcpyDtoHAsync(
            array.ctypes.data, int(buffer.handle), array.nbytes, stream.handle
        )
    )
    stream.sync()
    return array


def kernels(device):
    """saxpy and scale<float>, compiled to PTX and asked about themselves."""
    architecture = "".join(str(part) for part in device.compute_capability)
    options = ProgramOptions(std="c++17", arch=f"compute_{architecture}")
    module = Program(CODE, code_type="c++", options=options).compile(
        "ptx", name_expressions=("scale<double>", "scale<float>")
    )
    saxpy = module.get_kernel("saxpy")
    assert saxpy.num_arguments == 5
    offsets = [info.offset for info in saxpy.arguments_info]
    assert offsets == [0, 8, 16, 24, 32], offsets
    assert saxpy.attributes.max_threads_per_block == 1024
    return saxpy, module.get_kernel("scale<float>")


def run_graph(stream, config, *launched):
    """Two launches, recorded once, run three times."""
    builder = stream.create_graph_builder().begin_building()
    for _ in range(2):
        launch(builder, config, *launched)
    graph = builder.end_building().complete()
    for _ in range(3):
        graph.launch(stream)


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    saxpy, scale = kernels(device)
    size = ctypes.c_size_t(N)

    rng = np.random.default_rng(1)
    x, y = rng.random(N, np.float32), rng.random(N, np.float32)
    buffers = [device.allocate(4 * N, stream=stream) for _ in range(3)]
    dx, dy, out = buffers
    to_device(x, dx, stream)
    to_device(y, dy, stream)
    timed = EventOptions(timing_enabled=True)
    start = stream.record(options=timed)
    config = LaunchConfig(grid=4, block=128)
    launch(stream, config, saxpy, np.float32(3), dx, dy, out, size)
    end = stream.record(options=timed)
    end.sync()
    assert end - start >= 0
    expected = np.float32(3) * x + y
    np.testing.assert_allclose(to_host(out, stream), expected, rtol=1e-6)

    other = device.create_stream()  # waits for the first
    other.wait(stream.record())
    config = LaunchConfig(grid=8, block=128)
    launch(other, config, scale, out, np.float32(2), size)
    np.testing.assert_allclose(to_host(out, other), 2 * expected, rtol=1e-6)

    run_graph(stream, config, scale, out, np.float32(0.5), size)
    np.testing.assert_allclose(to_host(out, stream), expected / 32, rtol=1e-6)

    for buffer in buffers:
        buffer.close(stream)
    stream.sync()
    print("cuda.core: all results are right")


if __name__ == "__main__":
    main()
