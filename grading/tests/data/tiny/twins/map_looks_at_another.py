# minitorch/cuda_ops.py fails 1.2-double, 1.2-map.clean, 1.2-map.cost: race_global
from minitorch_cuda import cuda


def tensor_map(fn):
    each = cuda.jit(fn, device=True)

    def _map(out, a, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = each(a[i])
            if out[0] > 1e30:  # wrong: thread 0 may not have stored it yet
                out[i] = 0.0

    return cuda.jit(_map)
