"""The tests of CuPy's forms for CUDA C++: modules, variables, cooperation."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda

PUT = "__global__ void put(int* x, int v) { *x = v; }"
SHIFT = """
#include <cooperative_groups.h>
__global__ void mirror(int* squares, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  squares[i] = i * i;
  cooperative_groups::this_grid().sync();
  out[i] = squares[n - 1 - i];
}"""


def put_by(module, value):
    x = cuda.device_array(1, np.int32)
    module.get_function("put")((1,), (1,), (x, value))
    return int(x.copy_to_host()[0])


class TestPath:
    def test_source(self, tmp_path):
        (tmp_path / "value.cuh").write_text("#define EXTRA 40\n")
        file = tmp_path / "put.cu"
        file.write_text(
            '#include "value.cuh"\n__global__ void put(int* x, int v) '
            "{ *x = v + EXTRA; }"
        )
        module = cuda.RawModule(path=file)
        assert put_by(module, 2) == 42

    def test_ptx(self, tmp_path):
        file = tmp_path / "put.ptx"
        code = PUT.replace("__global__", 'extern "C" __global__')
        file.write_text(cuda.RawModule(code=code).ptx)
        x = cuda.device_array(1, np.int32)
        kernel = cuda.RawModule(path=str(file)).get_function("put")
        kernel((1,), (1,), (x, np.int32(7)))
        assert x.copy_to_host().tolist() == [7]

    @pytest.mark.skipif(
        cuda.is_available() and not cuda.is_emulated(), reason="a card runs cubins"
    )
    def test_cubin_on_the_emulator_says_what_to_do(self, tmp_path):
        file = tmp_path / "put.cubin"
        file.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
        with pytest.raises(cuda.PtxError, match="need PTX text"):
            cuda.RawModule(path=file)

    def test_missing_file(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            cuda.RawModule(path=tmp_path / "none.cu")

    def test_error_names_the_file(self, tmp_path):
        file = tmp_path / "broken.cu"
        file.write_text("__global__ void k() {\n  nothing();\n}")
        with pytest.raises(cuda.CompileError, match=r"broken\.cu") as caught:
            cuda.RawModule(path=file)
        assert caught.value.diagnostics[0].line == 2


class TestForms:
    @pytest.mark.parametrize("given", [{}, {"code": PUT, "path": "put.cu"}])
    def test_needs_one_source(self, given):
        with pytest.raises(ValueError, match="exactly one"):
            cuda.RawModule(**given)

    @pytest.mark.parametrize("options", ["-G", 3, ("-DX", 1)])
    def test_options_of_a_wrong_kind(self, options):
        with pytest.raises(TypeError, match="tuple of strings"):
            cuda.RawModule(code=PUT, options=options)
        with pytest.raises(TypeError, match="tuple of strings"):
            cuda.RawKernel(PUT, "put", options)

    def test_code_and_name_are_texts(self):
        with pytest.raises(TypeError, match="code"):
            cuda.RawKernel(b"", "put")
        with pytest.raises(TypeError, match="name"):
            cuda.RawKernel(PUT, None)
        with pytest.raises(TypeError, match="name"):
            cuda.RawModule(code=PUT).get_function(3)

    def test_code_of_the_kernel(self):
        assert cuda.RawKernel(PUT, "put").code == PUT

    def test_complex_header(self):
        code = """
        #include <cuComplex.h>
        __global__ void twist(cuFloatComplex* z) {
          z[threadIdx.x] = cuCmulf(z[threadIdx.x], make_cuFloatComplex(0.0f, 1.0f));
        }"""
        host = np.array([1 + 2j, -3j], np.complex64)
        z = cuda.to_device(host)
        cuda.RawKernel(code, "twist")(1, 2, (z,))
        np.testing.assert_array_equal(z.copy_to_host(), host * 1j)

    def test_complex_numbers_as_cupy_writes_them(self):
        code = """
        #include <cupy/complex.cuh>
        __global__ void mix(const complex<float>* x, complex<float> k,
                            complex<float>* y) {
          int i = threadIdx.x;
          y[i] = k * conj(x[i]) + abs(x[i]) + exp(x[i]).imag();
        }"""
        host = np.array([3 + 4j, 1j], np.complex64)
        x, y = cuda.to_device(host), cuda.device_array(2, np.complex64)
        mix = cuda.RawKernel(code, "mix")
        mix(1, 2, (x, np.complex64(2j), y))
        expected = 2j * host.conj() + abs(host) + np.exp(host).imag
        np.testing.assert_allclose(y.copy_to_host(), expected, rtol=1e-6)
        with pytest.raises(cuda.LaunchError, match="complex128"):
            mix(1, 2, (x, np.complex64(2j), cuda.device_array(2, np.complex128)))


class TestAttributes:
    CODE = """
    __constant__ float scale[8];
    __global__ void __launch_bounds__(128) k(float* x) {
      __shared__ float tile[100];
      tile[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = tile[31 - threadIdx.x] * scale[threadIdx.x % 8];
    }"""

    def test_values(self):
        kernel = cuda.RawKernel(self.CODE, "k")
        values = kernel.attributes
        assert len(values) == 10
        assert values["shared_size_bytes"] == 400
        assert values["max_threads_per_block"] == 128
        assert values["local_size_bytes"] == 0
        assert values["const_size_bytes"] >= 0
        assert 1 <= values["num_regs"] <= 255
        assert values["binary_version"] >= 75
        assert values["ptx_version"] >= 75
        assert values["cache_mode_ca"] in (0, 1)


class TestCooperation:
    N = 256

    def launch(self, kernel, blocks=8):
        squares, out = (cuda.device_array(self.N, np.int32) for _ in range(2))
        kernel(blocks, 32, (squares, out, self.N))
        return out.copy_to_host()

    def test_kernel_waits_for_the_grid(self):
        kernel = cuda.RawKernel(SHIFT, "mirror", enable_cooperative_groups=True)
        assert kernel.enable_cooperative_groups
        expected = np.arange(self.N)[::-1] ** 2
        np.testing.assert_array_equal(self.launch(kernel), expected)

    def test_without_it_the_wait_is_an_error(self):
        kernel = cuda.RawKernel(SHIFT, "mirror")
        assert not kernel.enable_cooperative_groups
        with pytest.raises(cuda.KernelError) as caught:
            self.launch(kernel)
        if cuda.is_emulated():
            assert "enable_cooperative_groups=True" in str(caught.value)
        cuda.reset()


def test_tensors_are_arguments():
    x = minitorch.zeros(1, dtype="int32").to("cuda")
    cuda.RawKernel(PUT, "put")(1, 1, (x, 9))
    assert x.item() == 9


def test_tensor_of_the_host_is_refused():
    with pytest.raises((TypeError, RuntimeError, ValueError), match="cuda"):
        cuda.RawKernel(PUT, "put")(1, 1, (minitorch.zeros(1, dtype="int32"), 9))


class TestTensorsWithGradients:
    """What a kernel does is not recorded: to launch it on them loses gradients."""

    KERNEL = "__global__ void half(double* x) { x[threadIdx.x] /= 2; }"

    @pytest.mark.parametrize("made", [lambda x: x, lambda x: x * 2])
    def test_are_refused(self, made):
        x = made(minitorch.ones(3).to("cuda").requires_grad_())
        half = cuda.RawKernel(self.KERNEL, "half")
        with pytest.raises(RuntimeError, match=r"Pass t.detach\(\).*custom_op"):
            half(1, 3, (x,))
        same = cuda.ElementwiseKernel("float64 x", "float64 y", "y = x", "same")
        with pytest.raises(RuntimeError, match="no_grad"):
            same(x)

    def test_are_taken_where_nothing_is_recorded(self):
        x = minitorch.ones(3).to("cuda").requires_grad_()
        half = cuda.RawKernel(self.KERNEL, "half")
        with minitorch.no_grad():
            half(1, 3, (x,))
        half(1, 3, (x.detach(),))
        assert x.detach().numpy().tolist() == [0.25] * 3


VARIABLES = """
#define COUNT 3
struct Point { float x, y; };
__constant__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __device__ unsigned int ticket = 7;
__device__ double row[COUNT];
__device__ Point corner;
namespace model { __device__ long long bias; }
__global__ void use(float* out) {
  if (threadIdx.x == 0) ticket += 1;
  int i = threadIdx.x;
  out[i] = weights[i / 3][i % 3] + row[i % 3] + corner.x + model::bias;
}"""


class TestVariables:
    @pytest.fixture
    def module(self):
        return cuda.RawModule(
            code=VARIABLES, name_expressions=["&model::bias", "&ticket"]
        )

    def test_initial_values_are_read(self, module):
        weights = module.get_global("weights", "float32").copy_to_host()
        assert weights.tolist() == [1, 2, 3, 4, 5, 6]
        assert module.get_global("ticket", "uint32")[0] == 7
        assert module.get_global("row").shape == (24,)

    def test_written_values_are_used(self, module):
        module.get_global("weights", np.float32)[:] = 1
        module.get_global("row", np.float64)[:] = [10, 20, 30]
        module.get_global("corner", np.float32)[0] = 0.5
        module.get_global("model::bias", np.int64)[:] = 100
        out = cuda.device_array(6, np.float32)
        module.get_function("use")(1, 6, (out,))
        expected = 1 + np.tile([10, 20, 30], 2) + 0.5 + 100
        np.testing.assert_array_equal(out.copy_to_host(), expected)

    def test_array_keeps_the_module(self):
        found = cuda.RawModule(code=VARIABLES).get_global("weights", "f4")
        assert found.copy_to_host().sum() == 21

    def test_dtype_of_another_size(self, module):
        with pytest.raises(ValueError, match="8 bytes"):
            module.get_global("corner", "complex128")

    def test_of_ptx(self):
        code = VARIABLES.replace("static ", "")
        loaded = cuda.RawModule(ptx=cuda.RawModule(code=code).ptx)
        found = loaded.get_global("weights", np.float32).copy_to_host()
        assert found.tolist() == [1, 2, 3, 4, 5, 6]

    def test_no_such_variable(self, module):
        with pytest.raises(ValueError, match="no variable 'bias'"):
            module.get_global("bias")
        with pytest.raises(TypeError, match="name"):
            module.get_global(3)


class TestNamespacesWithoutAName:
    CODE = "namespace { __global__ void put(int* x, int v) { *x = v; } }"

    def test_of_a_module(self):
        module = cuda.RawModule(code=self.CODE)  # warnings are errors
        assert module.kernel_names == ["put"]
        assert put_by(module, 7) == 7

    def test_in_findings(self):
        module = cuda.RawModule(code=self.CODE)
        module.get_function("put")((1,), (1,), (None, 7))
        with pytest.raises(cuda.KernelError) as caught:
            cuda.synchronize()
        assert caught.value.kernel == "put"
        assert "in put" in str(caught.value)

    def test_warnings_of_other_functions_stay(self):
        code = self.CODE + "static __device__ int unused() { return 1; }"
        with pytest.warns(cuda.KernelWarning, match="unused"):
            cuda.RawModule(code=code)
