# attention.py fails 9.3-small, 9.3-attention.clean, 9.3-attention.cost: race_shared
import math

from minitorch_cuda import cuda


@cuda.jit
def attention(out, total, q, k, v, scale):
    keys = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    values = cuda.shared.array((TILE, DIM + 1), cuda.float32)
    query = cuda.local.array(DIM, cuda.float32)
    mixed = cuda.local.array(DIM, cuda.float32)
    n = q.shape[0]
    thread = cuda.threadIdx.x
    begin = cuda.blockIdx.x * TILE
    i = begin + thread
    # Neighbouring threads read neighbouring cells; each then takes its own row.
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            keys[row, at % DIM] = q[begin + row, at % DIM]
    cuda.syncthreads()
    if i < n:
        for d in range(DIM):
            query[d] = keys[thread, d]
            mixed[d] = 0.0
    top = cuda.float32(-math.inf)
    weight = cuda.float32(0.0)
    for first in range(0, n, TILE):
        # wrong: others may still need what was there before
        for at in range(thread, TILE * DIM, TILE):
            row = at // DIM
            if first + row < n:
                keys[row, at % DIM] = k[first + row, at % DIM]
                values[row, at % DIM] = v[first + row, at % DIM]
        cuda.syncthreads()
        if i < n:
            for j in range(min(TILE, n - first)):
                score = cuda.float32(0.0)
                for d in range(DIM):
                    score += query[d] * keys[j, d]
                score *= scale
                high = max(top, score)
                keep = math.exp(top - high)  # what all before is worth now
                part = math.exp(score - high)
                weight = weight * keep + part
                for d in range(DIM):
                    mixed[d] = mixed[d] * keep + part * values[j, d]
                top = high
    cuda.syncthreads()
    if i < n:
        for d in range(DIM):
            values[thread, d] = mixed[d] / weight
        total[i] = top + math.log(weight)
    cuda.syncthreads()
    for at in range(thread, TILE * DIM, TILE):
        row = at // DIM
        if begin + row < n:
            out[begin + row, at % DIM] = values[row, at % DIM]
