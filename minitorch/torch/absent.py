"""Errors for missing names, with what to use instead.

`pytorch_names.txt` lists PyTorch's names by place; make_torch_names.py records them.
Only a look-up that failed asks here.
"""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

# What to do in place of a family of names, and the names; * stands for any letters.
FAMILIES: tuple[tuple[str, str], ...] = (
    (
        "numpy.fft works on x.numpy(), without gradients",
        "fft stft istft hann_window hamming_window bartlett_window blackman_window "
        "kaiser_window signal",
    ),
    (
        "there are no sparse tensors: use a dense one, or indices and scatter_add",
        "*sparse* *_indices *coo* *csr* *csc* *bsr* *bsc* coalesce dense_dim smm spmm "
        "sspaddmm hspmm",
    ),
    (
        "there are no complex numbers: use two tensors, real and imaginary part",
        "complex* cfloat cdouble chalf *_as_complex* *_as_real* is_complex_* real imag "
        "conj* resolve_conj resolve_neg is_conj is_neg angle polar",
    ),
    (
        "use a batch dimension or a loop, and torch.autograd.grad for gradients",
        "vmap func functorch functional hessian jacobian jacrev jacfwd jvp vjp hvp vhp",
    ),
    (
        "programs run uncompiled; minitorch.fuse compiles a function into one kernel",
        "compiler jit fx export onnx script* dynamo",
    ),
    (
        "minitorch uses one process and one device; minitorch.cuda has streams",
        "distributed multiprocessing parallel SyncBatchNorm "
        "DistributedSampler futures rpc share_memory_ is_shared comm nccl "
        "DistributedDataParallel is_distributed",
    ),
    (
        "dtypes are float64, float32, float16, bfloat16, int64, int32, uint8 and bool; "
        "for small weights use float16 or bfloat16",
        "*quantiz* q_* qint* quint* qscheme per_* int_repr int1 int2 int3 int4 int5 "
        "int6 int7 int8 int16 short char uint1 uint2 uint3 uint4 uint5 uint6 uint7 "
        "uint16 uint32 uint64 float8* float4* bits* ao qat intrinsic",
    ),
    (
        "models are in minitorch.models; torch.load reads weights",
        "hub torchvision torchaudio torchtext",
    ),
    (
        "the devices are 'cpu' and 'cuda'; without a GPU, 'cuda' is emulated",
        "xpu mps mtia hpu ipu maia vulkan meta mkldnn* *_mkldnn miopen* cudnn* "
        "is_vulkan* is_xpu is_ipu is_maia is_meta is_mps is_mtia is_xla xla "
        "accelerator to_mkldnn privateuse*",
    ),
    (
        "pad to one length with torch.nn.utils.rnn.pad_sequence, and use a mask",
        "nested* is_nested to_padded_tensor *jagged* *nested_tensor*",
    ),
    (
        "use numpy.random for samples and scipy.stats for densities",
        "Bernoulli Beta Binomial Cauchy Chi2 ContinuousBernoulli Dirichlet Exponential "
        "FisherSnedecor Gamma Geometric Gumbel HalfCauchy HalfNormal Independent "
        "InverseGamma Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal "
        "LowRankMultivariateNormal Mixture* Multinomial "
        "MultivariateNormal NegativeBinomial Normal OneHotCategorical* Pareto Poisson "
        "Relaxed* StudentT TransformedDistribution Uniform VonMises Weibull Wishart",
    ),
    (
        "give every layer its sizes when you create it",
        "Lazy* UninitializedBuffer",
    ),
    (
        "use the name without _copy",
        "*_copy",
    ),
    (
        "fold the depth into the batch or channel dimension",
        "*3d",
    ),
    (
        "it is internal to PyTorch",
        "_*",
    ),
    (
        "set OMP_NUM_THREADS before Python starts",
        "*num_threads *num_interop_threads",
    ),
    (
        "results are the same in every run; there is nothing to switch",
        "*deterministic* *float32_matmul_precision *flush_denormal *warn_always",
    ),
    (
        "use numpy.linalg and torch.from_numpy, without gradients",
        "eig* lu* ldl_* lobpcg geqrf orgqr ormqr householder_product cholesky* cond "
        "*triangular* symeig svd* pca_lowrank tensorinv tensorsolve inv_ex solve_ex "
        "vecdot vander *slogdet logdet qr lstsq matrix_* pinv* multi_dot chain_matmul "
        "det",
    ),
    (
        "use NumPy and torch.from_numpy, without gradients",
        "*quantile median nan* hist* bincount unique* cov corrcoef *trapezoid trapz "
        "diff kron cross gcd lcm searchsorted bucketize frac heaviside hypot isin "
        "kthvalue logaddexp* nextafter rot90 signbit sinc take* tr??_indices cummax "
        "cummin cumprod",
    ),
    (
        "use its short name: acos, add, sub, mul, div, gt, le, ne, neg, abs, trunc, "
        "cat, clamp, transpose, outer",
        "arc* divide multiply subtract true_divide greater* less* not_equal negative "
        "absolute fix concat* clip swap* ger",
    ),
    (
        "there is no automatic mixed precision; for float16 use model.half()",
        "amp autocast GradScaler",
    ),
    (
        "use torch.tensor(..., dtype=...)",
        "*Tensor",
    ),
    (
        "use scipy.special and torch.from_numpy, without gradients",
        "special *gamma* erfinv logit xlogy entr ndtr expit psi airy_ai bessel_* "
        "*_polynomial_* i0* i1* "
        "modified_bessel_* spherical_bessel_* zeta log_ndtr ndtri erfcx",
    ),
    (
        "use operations of whole tensors, or loop over the elements",
        "map_ map2_ apply_",
    ),
)

# What another name does, or what to write.
INSTEAD: dict[str, str] = {
    "set_default_tensor_type": "use torch.set_default_dtype",
    "addcdiv": "use input + value * tensor1 / tensor2",
    "addcmul": "use input + value * tensor1 * tensor2",
    "count_nonzero": "use (x != 0).sum()",
    "fork_rng": "use a torch.Generator",
    "logspace": "use base ** torch.linspace(start, end, steps)",
    "inverse": "use torch.linalg.inv",
    "solve": "use torch.linalg.inv(A) @ B",
    "resize_": "make a new tensor, or use reshape",
    "resize_as_": "make a new tensor, or use reshape",
    "Variable": "every tensor has requires_grad",
    "volatile": "use torch.no_grad()",
    "new": "use x.new_zeros or x.new_tensor",
    "storage": "x.data_ptr() is the address of the elements",
    "register_post_accumulate_grad_hook": "use register_hook",
    "NLLLoss2d": "use NLLLoss, which also accepts images",
    "tensorboard": "use minitorch.viz, or write the numbers to a file",
    "data_parallel": "minitorch uses one device",
    "frexp": "use numpy.frexp(x.numpy())",
    "HuberLoss": "use SmoothL1Loss(beta=delta), and multiply it by delta",
    "InstanceNorm1d": "use GroupNorm with one group per channel",
    "InstanceNorm2d": "use GroupNorm with one group per channel",
    "PixelShuffle": "use reshape and permute",
    "baddbmm": "use input + torch.bmm(batch1, batch2)",
    "huber_loss": "use delta * smooth_l1_loss(input, target, beta=delta)",
    "index_add": "use scatter_add",
    "instance_norm": "use group_norm with one group per channel",
    "lerp": "use input + weight * (end - input)",
    "moveaxis": "use permute",
    "movedim": "use permute",
    "interpolate": "index with repeated positions, as x[..., [0, 0, 1, 1]]",
    "kl_div": "use (target * (target.log() - input)).sum()",
    "logsigmoid": "use -softplus(-x)",
    "masked_select": "use x[mask]",
    "narrow": "use a slice",
    "orthogonal": "use numpy.linalg.qr of normal numbers, and torch.from_numpy",
    "pixel_shuffle": "use reshape and permute",
    "ExponentialLR": "use LambdaLR(optimizer, lambda epoch: gamma**epoch)",
    "GRUCell": "use GRU, on sequences of one step",
    "LSTMCell": "use LSTM, on sequences of one step",
    "LinearLR": "use LambdaLR",
    "LogSigmoid": "use -Softplus()(-x)",
    "RNNCell": "use RNN, on sequences of one step",
    "ReLU6": "use x.clamp(0, 6)",
    "EmbeddingBag": "use Embedding, and .mean(1) of its result",
    "KLDivLoss": "use (target * (target.log() - input)).sum()",
    "Upsample": "index with repeated positions, as x[..., [0, 0, 1, 1]]",
    "hstack": "use torch.cat",
    "vstack": "use torch.cat",
    "iinfo": "use numpy.iinfo",
    "roll": "use torch.cat of two slices",
    "relu6": "use x.clamp(0, 6)",
    "repeat_interleave": "index with repeated positions: x[[0, 0, 1, 1]]",
    "tensordot": "use einsum",
}


@functools.cache
def names_of_pytorch() -> dict[str, list[str]]:
    """Return PyTorch's public names by module or class, such as "torch.nn"."""
    lines = Path(__file__).with_name("pytorch_names.txt").read_text().splitlines()
    rows = (line.split(": ") for line in lines if not line.startswith("#"))
    return {module: names.split() for module, names in rows}


def _elsewhere(module: str, name: str) -> str:
    """Return another PyTorch name of the function that is supported, or ""."""
    if module == "torch.cuda":  # types and seeds of the GPU alone
        return ""
    for other in ("torch.nn.functional", "torch.nn", "torch"):
        here = vars(sys.modules[f"minitorch.{other}"]).get(name)
        if other != module and callable(here) and name in names_of_pytorch()[other]:
            return f"{other}.{name}"
    methods = vars(sys.modules["minitorch.torch"])["Tensor"]
    if module == "torch" and hasattr(methods, name):
        return f"x.{name}"
    if module in ("torch", "torch.Tensor") and name[-1:] == "_":
        return f"x = x.{name[:-1]}(...)" if hasattr(methods, name[:-1]) else ""
    return ""


def instead_of(name: str, module: str = "") -> str:
    """Return what to do without a name of PyTorch's, or nothing if the table is silent.

    Example:
        >>> instead_of("fft")
        'numpy.fft works on x.numpy(), without gradients'
        >>> instead_of("layer_norm", "torch")
        'use torch.nn.functional.layer_norm'
        >>> instead_of("relu")
        ''
    """
    bare = name.rstrip("_") or name
    for spelling in (name, bare):
        if spelling in INSTEAD:
            return INSTEAD[spelling]
    if module and (other := _elsewhere(module, name)):
        return f"use {other}"
    for advice, patterns in FAMILIES:
        for pattern in patterns.split():
            if fnmatchcase(name, pattern) or fnmatchcase(bare, pattern):
                return advice
    return ""


def message(module: str, name: str, known: Sequence[str]) -> str:
    """Return the message for a name that a module lacks.

    Args:
        module: As PyTorch calls it: "torch.nn".
        name: What was asked for.
        known: The names that are there, for a slip of the pen.

    Example:
        >>> message("torch", "fft", [])
        'torch.fft is in PyTorch but not in minitorch; numpy.fft works on x.numpy(), \
without gradients.'
        >>> message("torch", "sofmax", ["softmax", "sum"])
        "torch.sofmax is not in minitorch; did you mean 'softmax'?"
    """
    advice = instead_of(name, module)
    if name in names_of_pytorch().get(module, ()):
        advice = advice or "programs that use it need PyTorch"
        return f"{module}.{name} is in PyTorch but not in minitorch; {advice}."
    near = difflib.get_close_matches(name, known, 2, 0.75)
    if near and not advice:
        meant = " or ".join(repr(match) for match in near)
        return f"{module}.{name} is not in minitorch; did you mean {meant}?"
    ending = f"; {advice}" if advice else ""
    return f"{module}.{name} is not in minitorch{ending}."


class AbsentError(AttributeError):
    """A name that minitorch lacks; its message says what to use instead."""


def _is_inner(name: str) -> bool:
    """Return whether it is a dunder name, which Python itself looks up."""
    return name.startswith("__") and name.endswith("__")


def getter(module: str, known: Callable[[], Sequence[str]]) -> Callable[[str], Any]:
    """Return a module `__getattr__` whose error says what to use instead."""

    def get(name: str) -> Any:
        if _is_inner(name):
            raise AttributeError(name)
        raise AbsentError(message(module, name, known()))

    return get


def _of_tensor(self: Any, name: str) -> Any:
    if _is_inner(name):
        raise AttributeError(name)
    raise AbsentError(message("torch.Tensor", name, dir(type(self))))


class _Finder(MetaPathFinder):
    """Import hook that raises the same error for `import minitorch.torch.fft`.

    Asked last of all: only for modules that no other finder has found.
    """

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        parent, _, name = fullname.removeprefix("minitorch.").rpartition(".")
        known = names_of_pytorch().get(parent)
        if known is not None and (name in known or instead_of(name)):
            raise ModuleNotFoundError(message(parent, name, []))


def attach(tensor: type) -> None:
    """Install these errors in the loaded modules of PyTorch's names, and in tensors."""
    for name in names_of_pytorch():
        module = sys.modules.get(f"minitorch.{name}")
        if isinstance(module, ModuleType) and "__getattr__" not in vars(module):
            names = vars(module)
            known: Callable[[], list[str]] = functools.partial(list, names)
            module.__getattr__ = getter(name, known)  # type: ignore[method-assign]
            # With a path, `from module import name` asks the finder below for the name.
            module.__dict__.setdefault("__path__", [])
    tensor.__getattr__ = _of_tensor  # type: ignore[attr-defined]
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
