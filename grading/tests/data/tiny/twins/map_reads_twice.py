# minitorch/cuda_ops.py fails 1.2-map.cost: too_costly
from minitorch_cuda import cuda


def tensor_map(fn):
    each = cuda.jit(fn, device=True)

    def _map(out, a, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = each(a[i])
            out[i] = out[i] + 0.0 * a[n - 1 - i]  # wrong: reads what it need not

    return cuda.jit(_map)
