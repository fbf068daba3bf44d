# minitorch/cuda_ops.py fails 1.2-map.values, 1.2-map.clean, 1.2-map.cost: oob_global
from minitorch_cuda import cuda


def tensor_map(fn):
    each = cuda.jit(fn, device=True)

    def _map(out, a, n):
        i = cuda.grid(1)
        out[i] = each(a[i])  # wrong: threads behind the end have no cell

    return cuda.jit(_map)
