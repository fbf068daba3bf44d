"""What each kernel of tests/ptx/data is given, so that all it does is defined.

As tests/emulator_corpus/cases.cpp has it, at one size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ODD = 517  # elements, where any number will do


@dataclass
class Given:
    """A launch: arrays go to the device, everything else is passed as it is."""

    arguments: list[Any]
    grid: Any = 1
    block: Any = 32
    shared: int = 0
    variables: dict[str, Array] = field(default_factory=dict)


_random = np.random.default_rng


def _floats(count, seed=1):
    """Multiples of 1/8 between -4 and 4."""
    return (_random(seed).integers(-32, 33, count) / 8).astype(np.float32)


def _doubles(count, seed=1):
    return _random(seed).integers(-400, 401, count) / 97


def _counts(count, seed=1):
    """Whole numbers, so that sums are exact in any order."""
    return _random(seed).integers(-10, 11, count).astype(np.float32)


def _integers(dtype, count, low, high, seed=1):
    return _random(seed).integers(low, high, count, endpoint=True).astype(dtype)


def _bits(dtype, count, seed=1):
    limits = np.iinfo(dtype)
    return _random(seed).integers(
        limits.min, limits.max, count, dtype=dtype, endpoint=True
    )


def _halves(count, one, seed=1):
    """16-bit floats near 1 of both signs: `one` is the bits of 1."""
    near = one + _random(seed).integers(-256, 256, count)
    sign = _random(seed + 1).integers(0, 2, count) << 15
    return (near | sign).astype(np.uint16)


def _zeros(dtype, count):
    return np.zeros(count, dtype)


def _blocks(count, threads):
    return -(-count // threads)


F32, F64, I32, U32 = np.float32, np.float64, np.int32, np.uint32
U16, U8, I64 = np.uint16, np.uint8, np.int64


def _map(threads=128, inputs=1, ends=()):
    sources = [_floats(ODD, seed) for seed in range(inputs)]
    arguments = [_zeros(F32, ODD), *sources, ODD, *ends]
    return Given(arguments, _blocks(ODD, threads), threads)


def _square(n, tile, block=None, dtype=F32):
    make = _floats if dtype is F32 else _doubles
    arguments = [make(n * n, 1), make(n * n, 2), _zeros(dtype, n * n), n]
    grid = _blocks(n, tile)
    return Given(arguments, (grid, grid), block or (tile, tile))


def _transpose():
    return Given([_floats(96 * 96), _zeros(F32, 96 * 96), 96], (3, 3), (32, 8))


def _strided(inputs):
    """Written by columns, read by rows; a second input is broadcast over rows."""
    rows, columns = 9, 8
    n = rows * columns
    shape = np.array([rows, columns], I32)
    out = [_zeros(F32, n), shape, np.array([1, rows], I32), n]
    first = [_floats(n), shape.copy(), np.array([columns, 1], I32)]
    second = [_floats(columns, 2), np.array([columns], I32), np.array([1], I32)]
    dims = [2, 2, *([1] if inputs == 2 else [])]
    arguments = [*out, *first, *(second if inputs == 2 else []), *dims]
    return Given(arguments, _blocks(n, 32))


def _rows(weights):
    n = 67
    more = [_floats(n, 2), _floats(n, 3)] if weights else []
    return Given([_floats(3 * n), *more, _zeros(F32, 3 * n), n], 3)


def _softmax():
    made = _rows(False)
    made.block, made.shared = 64, 256
    return made


def _conv2d():
    h, w, k = 13, 11, 3
    outputs = 2 * k * (h - 2) * (w - 2)
    arrays = [_floats(2 * 3 * h * w), _floats(k * 27, 2), _zeros(F32, outputs)]
    return Given([*arrays, 2, 3, h, w, k, 3, 3], _blocks(outputs, 128), 128)


def _im2col():
    h, w = 9, 7
    arrays = [_floats(2 * h * w), _zeros(F32, 2 * 9 * h * w)]
    return Given([*arrays, 2, h, w, 3, 3, 1, 1, h, w], 2)


def _maxpool():
    h, w = 15, 14
    p, q = (h + 1) // 2, (w + 1) // 2
    arrays = [_floats(3 * h * w), _zeros(F32, 3 * p * q), _zeros(I32, 3 * p * q)]
    return Given([*arrays, h, w, p, q, 2, 2], (_blocks(q, 8), _blocks(p, 8), 3), (8, 8))


def _cvt_mix():
    n = 96
    sources = [_floats(n + 4), _doubles(n), _integers(I32, n + 1, -1000, 1000)]
    sources += [_bits(np.int8, n), _bits(np.int16, n)]
    targets = [_zeros(kind, n + 2) for kind in (F32, F64, I32, U8)]
    return Given([*sources, *targets], block=1)  # neighbours write the same cells


def _packed_halves(one, ends):
    arrays = [_halves(64, one), _halves(128, one, 3)]
    arrays += [_zeros(U16, 64), _zeros(U32, 64), _zeros(F32, 64)]
    return Given([*arrays, *ends], block=1)


def _atomics():
    arrays = [_integers(I32, 64, 0, 9), _counts(16), _integers(np.uint64, 1, 0, 100)]
    arrays += [_counts(2, 2), _integers(U32, 8, 0, 9, 2)]
    return Given(arrays, block=1)  # the order of more threads is not defined


def _mma():
    return Given([_halves(512, 0x3C00), _halves(128, 0x3C00, 3), _zeros(F32, 128)])


def _vote():
    return Given([_integers(I32, 32, 0, 12), _zeros(U32, 128)])


def _wmma():
    n = 48
    arrays = [_halves(n * n, 0x3C00), _halves(n * n, 0x3C00, 3), _zeros(F32, n * n)]
    return Given([*arrays, n], (3, 3))


def _elementwise(outputs):
    n = ODD + 160
    arrays = [_floats(n), _zeros(F32, outputs * n)]
    return Given([*arrays, ODD], _blocks(ODD, 64), 64)


def _const_mem():
    weights = {"w": np.full(64, 0.5, F32)}
    return Given([_counts(201), _zeros(F32, 192), 192], 3, 64, variables=weights)


def _coop_groups():
    arrays = [
        _integers(I32, 96, -100, 100),
        _zeros(I32, 196),
        _counts(96),
        _zeros(F32, 96),
    ]
    return Given(arrays, block=96)


def _summed(make, outputs, **shape):
    return Given([make(ODD), _zeros(F32, outputs), ODD], **shape)


#: By the stem of the file. What is missing is in NOT_LAUNCHED.
LAUNCHES = {
    "assert_k": lambda: Given([np.full(32, 1.5, F32), 3]),
    "atomics_all": _atomics,
    "bf16_arith": lambda: _packed_halves(0x3F80, ()),
    "bits": lambda: Given([_bits(U32, 64), _zeros(U32, 32), _bits(np.uint64, 32)]),
    "collatz_branch": lambda: Given(
        [_integers(U32, ODD, 1, 5000), _zeros(I32, ODD), ODD], _blocks(ODD, 64), 64
    ),
    "const_mem": _const_mem,
    "conv2d_direct": _conv2d,
    "coop_groups": _coop_groups,
    "cp_async": lambda: Given([_floats(1536), _zeros(F32, 128), 3], block=128),
    "cvt_mix": _cvt_mix,
    "dyn_smem": lambda: Given([_floats(99), _zeros(F32, 99), 99], block=99, shared=792),
    "flash_attn_small": lambda: Given(
        [*(_floats(64 * 32, seed) for seed in range(3)), _zeros(F32, 64 * 32), 64], 2
    ),
    "grid_stride": lambda: Given(
        [_floats(ODD), _floats(ODD, 2), F32(0.3), np.int64(ODD)], 2
    ),
    "half_arith": lambda: _packed_halves(0x3C00, (32,)),
    "histogram": lambda: Given([_bits(U8, ODD), _zeros(U32, 256), ODD], 2, 64),
    "im2col": _im2col,
    "int64": lambda: Given(
        [
            _integers(I64, 40, 1, 1 << 60),
            _integers(I64, 40, 1, 1 << 60, 2),
            _zeros(I64, 128),
            32,
        ]
    ),
    "layernorm": lambda: _rows(True),
    "ldg_vec": lambda: Given(
        [
            _floats(4 * ODD),
            _zeros(F32, 4 * ODD),
            _integers(I32, ODD, 0, ODD - 1),
            ODD,
        ],
        _blocks(ODD, 64),
        64,
    ),
    "local_array": lambda: Given(
        [_integers(I32, 32 * 91, 0, 1000), _zeros(I32, 32), 91]
    ),
    "map_relu_sq": lambda: _map(inputs=2),
    "map_simple": _map,
    "map_strided": lambda: _strided(1),
    "math_f32": lambda: _elementwise(15),
    "math_f64": lambda: Given(
        [_doubles(ODD + 1), _zeros(F64, 10 * ODD), ODD], _blocks(ODD, 64), 64
    ),
    "math_fast": lambda: _elementwise(1),
    "matmul_double": lambda: _square(27, 16, dtype=F64),
    "matmul_float4": lambda: _square(128, 64, 256),
    "matmul_naive": lambda: _square(33, 8),
    "matmul_regblock": lambda: _square(128, 64, 256),
    "matmul_tiled16": lambda: _square(33, 16),
    "matmul_tiled32": lambda: _square(51, 32),
    "maxpool": _maxpool,
    "mma_sync": _mma,
    "named_barrier": lambda: Given([_floats(64), _zeros(F32, 128)], block=128),
    "noinline_call": lambda: Given([_floats(32), _zeros(F32, 32), 6]),
    "reduce_interleaved": lambda: _summed(
        _counts, 1, grid=_blocks(ODD, 64), block=64, shared=256
    ),
    "reduce_shared": lambda: _summed(
        _floats, _blocks(ODD, 256), grid=_blocks(ODD, 256), block=256
    ),
    "reduce_shfl": lambda: _summed(_counts, 1, grid=2, block=128),
    "scan_block": lambda: Given(
        [_integers(I32, 256, -9, 9), _zeros(I32, 256), 256], block=256
    ),
    "scan_warp": lambda: Given(
        [_integers(I32, 120, -9, 9), _zeros(I32, 120), 120], block=128
    ),
    "softmax": _softmax,
    "switch_br": lambda: Given(
        [_integers(I32, ODD, 0, 9), _floats(ODD + 1), _zeros(F32, ODD), ODD],
        _blocks(ODD, 64),
        64,
    ),
    "template_dev": lambda: Given([_zeros(F32, ODD), _floats(ODD), ODD, F32(0.5)]),
    "transpose_nopad": _transpose,
    "transpose_pad": _transpose,
    "warp_vote": _vote,
    "wmma": _wmma,
    "zip_strided": lambda: _strided(2),
}

NOT_LAUNCHED = {
    "printf_k": "prints",
    "sregs": "stores clocks and numbers of the machine",
    "struct_arg": "needs a structure with addresses",
    "texture_k": "textures are not emulated",
}
