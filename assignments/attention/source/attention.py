"""Tasks 9.3 and 9.4: attention without its n x n matrix, and its gradient.

    s[i, j] = scale * sum_d q[i, d] k[j, d]     p = softmax of the rows of s
    out = p @ v                                 total[i] = log(sum_j exp(s[i, j]))

p is never stored: 9.4 makes it again from `total`. Kernels of `minitorch_cuda.cuda`;
nothing here touches the host's values. `attention_op.py` makes an operator of them.
"""

from __future__ import annotations

import math

from minitorch_cuda import cuda

TILE = 32  # rows of a block, and rows that are staged at once
DIM = 16  # numbers in a row of q, k, v


@cuda.jit
def attention(out, total, q, k, v, scale):
    """Task 9.3. out = softmax(scale * q k^T) v, a block for TILE rows of q.

    Shapes: q, k, v, out (n, DIM), total (n,), float32; scale is a float32. Launch:
    [n / TILE rounded up, TILE]. Rows of k and v come to shared memory once a block.
    """
    ### BEGIN SOLUTION
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
        cuda.syncthreads()  # nobody needs what was there before
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
    ### END SOLUTION


@cuda.jit
def attention_grad_query(grad_q, grad_out, out, total, q, k, v, scale):
    """Task 9.4. The gradient of q, a block for TILE of its rows.

    Shapes: as in `attention`; grad_q, grad_out (n, DIM). With p[i, j] made again,

        grad_q[i] = scale * sum_j p[i, j] (grad_out[i] . (v[j] - out[i])) k[j]
    """
    ### BEGIN SOLUTION
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
    for first in range(0, n, TILE):
        cuda.syncthreads()
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
    ### END SOLUTION


@cuda.jit
def attention_grad_key_value(grad_k, grad_v, grad_out, out, total, q, k, v, scale):
    """Task 9.4. The gradients of k and v, a block for TILE of their rows.

    Shapes: as in `attention_grad_query`. With the same p, over all rows i of q,

        grad_v[j] = sum_i p[i, j] grad_out[i]
        grad_k[j] = scale * sum_i p[i, j] (grad_out[i] . (v[j] - out[i])) q[i]
    """
    ### BEGIN SOLUTION
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
        cuda.syncthreads()
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
    ### END SOLUTION
