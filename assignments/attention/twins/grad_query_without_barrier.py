# attention.py fails 9.4-small, 9.4-query.clean, 9.4-query.cost: race_shared
import math

from minitorch_cuda import cuda


@cuda.jit
def attention_grad_query(grad_q, grad_out, out, total, q, k, v, scale):
    keys = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    values = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    query = cuda.local.array(DIM, cuda.float32)
    ahead = cuda.local.array(DIM, cuda.float32)
    found = cuda.local.array(DIM, cuda.float32)
    n = q.shape[0]
    thread = cuda.threadIdx.x
    begin = cuda.blockIdx.x * TILE
    i = begin + thread
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            keys[row, at % DIM] = q[begin + row, at % DIM]
            values[row, at % DIM] = grad_out[begin + row, at % DIM]
    cuda.syncthreads()
    if i < n:
        for d in range(DIM):
            query[d] = keys[thread, d]
            ahead[d] = values[thread, d]
            found[d] = 0.0
    cuda.syncthreads()
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            values[row, at % DIM] = out[begin + row, at % DIM]
    cuda.syncthreads()
    average = cuda.float32(0.0)
    log_total = cuda.float32(0.0)
    if i < n:
        for d in range(DIM):
            average += ahead[d] * values[thread, d]
        log_total = total[i]
    for first in range(0, n, TILE):  # wrong: others may still read the tile
        for at in range(thread, TILE * DIM, TILE):
            row = at // DIM
            if first + row < n:
                keys[row, at % DIM] = k[first + row, at % DIM]
                values[row, at % DIM] = v[first + row, at % DIM]
        cuda.syncthreads()
        if i < n:
            for j in range(min(TILE, n - first)):
                score = cuda.float32(0.0)
                along = cuda.float32(0.0)
                for d in range(DIM):
                    score += query[d] * keys[j, d]
                    along += ahead[d] * values[j, d]
                share = math.exp(score * scale - log_total) * (along - average)
                for d in range(DIM):
                    found[d] += share * keys[j, d]
    cuda.syncthreads()
    if i < n:
        for d in range(DIM):
            keys[thread, d] = found[d] * scale
    cuda.syncthreads()
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            grad_q[begin + row, at % DIM] = keys[row, at % DIM]
