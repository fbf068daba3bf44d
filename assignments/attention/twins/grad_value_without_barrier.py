# attention.py fails 9.4-small, 9.4-key-value.clean, 9.4-key-value.cost: race_shared
import math

from minitorch_cuda import cuda


@cuda.jit
def attention_grad_key_value(grad_k, grad_v, grad_out, out, total, q, k, v, scale):
    queries = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    aheads = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    outs = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    totals = cuda.shared.array(TILE, cuda.float32)
    key = cuda.local.array(DIM, cuda.float32)
    value = cuda.local.array(DIM, cuda.float32)
    found_k = cuda.local.array(DIM, cuda.float32)
    found_v = cuda.local.array(DIM, cuda.float32)
    n = q.shape[0]
    thread = cuda.threadIdx.x
    begin = cuda.blockIdx.x * TILE
    j = begin + thread
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            queries[row, at % DIM] = k[begin + row, at % DIM]
            aheads[row, at % DIM] = v[begin + row, at % DIM]
    cuda.syncthreads()
    if j < n:
        for d in range(DIM):
            key[d] = queries[thread, d]
            value[d] = aheads[thread, d]
            found_k[d] = 0.0
            found_v[d] = 0.0
    for first in range(0, n, TILE):
        cuda.syncthreads()
        for at in range(thread, TILE * DIM, TILE):
            row = at // DIM
            if first + row < n:
                queries[row, at % DIM] = q[first + row, at % DIM]
                aheads[row, at % DIM] = grad_out[first + row, at % DIM]
                outs[row, at % DIM] = out[first + row, at % DIM]
        if first + thread < n:
            totals[thread] = total[first + thread]
        # wrong: the tile may not be there yet
        if j < n:
            for i in range(min(TILE, n - first)):
                score = cuda.float32(0.0)
                along = cuda.float32(0.0)
                for d in range(DIM):
                    score += queries[i, d] * key[d]
                    along += aheads[i, d] * (value[d] - outs[i, d])
                share = math.exp(score * scale - totals[i])
                for d in range(DIM):
                    found_v[d] += share * aheads[i, d]
                    found_k[d] += share * along * queries[i, d]
    cuda.syncthreads()
    if j < n:
        for d in range(DIM):
            queries[thread, d] = found_k[d] * scale
            aheads[thread, d] = found_v[d]
    cuda.syncthreads()
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            grad_k[begin + row, at % DIM] = queries[row, at % DIM]
            grad_v[begin + row, at % DIM] = aheads[row, at % DIM]
