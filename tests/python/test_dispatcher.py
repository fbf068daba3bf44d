"""The tests of `cuda.jit` and what it gives, but for arguments and findings."""

from __future__ import annotations

import ast
import pickle
import re

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda


@cuda.jit
def axpy(a, x, y):
    """Add a times x to y."""
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit(device=True)
def square(x):
    return x * x


def plain_scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


FLOATS = cuda.float64[::1]


@pytest.mark.parametrize(
    "make",
    [
        cuda.jit,
        cuda.jit(),
        cuda.jit(fastmath=True),
        cuda.jit("void(float64[:], int64)"),
        cuda.jit("float64[:], int64"),
        cuda.jit(cuda.void(cuda.float64[:], cuda.int64)),
        cuda.jit((cuda.float64[:], cuda.int64)),
        cuda.jit(["void(float64[:], int64)", "void(float32[:], int64)"]),
        cuda.jit([cuda.void(FLOATS, cuda.int64), (FLOATS, cuda.float64)]),
        cuda.jit(debug=True, opt=False, max_registers=32, lineinfo=True, inline=True),
        cuda.jit(cache=True, boundscheck=False, link=()),
    ],
)
def test_every_form_of_jit_gives_a_kernel(make):
    kernel = make(plain_scale)
    x = cuda.to_device(np.arange(40.0))
    kernel[2, 32](x, 3)
    assert np.array_equal(x.copy_to_host(), 3 * np.arange(40.0))


def test_a_kernel_looks_like_its_function():
    assert axpy.__name__ == "axpy"
    assert axpy.__doc__ == "Add a times x to y."
    assert axpy.py_func.__code__.co_argcount == 3
    assert "axpy" in repr(axpy)
    assert "square" in repr(square)
    assert repr(axpy[1, 32]) == "axpy[(1, 1, 1), (32, 1, 1)]"


def test_compilation_waits_for_the_first_launch():
    @cuda.jit
    def unfinished(x):
        raise NotImplementedError("to do")

    assert unfinished.signatures == []
    with pytest.raises(cuda.CompileError):
        unfinished[1, 1](cuda.device_array(1))


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        ({"zzz": 1}, "need one of device, debug, opt"),
    ],
)
def test_unknown_keywords(keywords, told):
    with pytest.raises(TypeError, match=r"^\[jit\] ") as error:
        cuda.jit(**keywords)
    assert told in str(error.value)


def test_a_keyword_without_effect_is_said():
    with pytest.warns(cuda.KernelWarning, match=r"parallel=True has no effect"):
        cuda.jit(parallel=True)


def test_jit_of_a_method():
    class Model:
        @cuda.jit
        def kernel(self, x):
            x[0] = 1

        def plain(self, x):
            x[0] = 1

    with pytest.raises(TypeError, match=r"cannot take self\. Put @staticmethod"):
        Model().kernel  # noqa: B018
    with pytest.raises(TypeError, match=r"the method .*plain; .* cannot take self"):
        cuda.jit(Model().plain)


def test_a_device_function_that_stops_in_between_is_refused_with_its_line():
    def numbers(x):
        yield x[0]

    async def waiting(x):
        return x[0]

    def first(x):
        numbers(x)

    def second(x):
        waiting(x)

    for kernel, said in ((first, "yield x[0]"), (second, "async def waiting(x):")):
        with pytest.raises(cuda.CompileError, match=re.escape(f"\n    {said}\n")):
            cuda.jit("void(float64[:])")(kernel)


def test_a_kernel_as_static_method():
    class Model:
        @staticmethod
        @cuda.jit
        def kernel(x):
            x[0] = 1

    x = cuda.to_device(np.zeros(1))
    Model.kernel[1, 1](x)
    assert x.copy_to_host() == 1


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("int32(int32)", "its signature is int32\\(int32\\); need void"),
        ("void(int32)", r"has 1 type, but plain_scale\(x, factor\) has 2 p"),
    ],
)
def test_a_signature_that_does_not_fit(signature, words):
    with pytest.raises(TypeError, match=words):
        cuda.jit(signature)(plain_scale)


def test_signatures_compile_at_once_and_once():
    kernel = cuda.jit(["void(float32[:], int64)", "void(float64[:], int64)"])(
        plain_scale
    )
    first = kernel.signatures
    assert [str(each[0].dtype) for each in first] == ["float32", "float64"]
    kernel[1, 32](cuda.to_device(np.ones(4, np.float32)), 2)
    assert kernel.signatures == first
    with pytest.raises(TypeError, match=r"need one of its signatures: \("):
        kernel[1, 1](cuda.to_device(np.ones(4, np.int32)), 2)


def test_the_stages_of_a_kernel():
    kernel = cuda.jit(plain_scale)
    assert kernel.inspect_cuda() == {}
    signature = "void(float64[::1], int64)"
    cuda_text, ptx = kernel.inspect_cuda(signature), kernel.inspect_ptx(signature)
    assert '#line 1 "/minitorch/py/plain_scale"' in cuda_text
    assert ".visible .entry plain_scale(" in ptx
    assert kernel.inspect_asm(signature) == ptx
    ((types, text),) = kernel.inspect_cuda().items()
    assert text == cuda_text
    assert [str(each) for each in types] == ["array(float64, 1d, C)", "int64"]


def test_the_numbers_of_a_kernel():
    @cuda.jit("void(float32[:])")
    def with_memory(x):
        tile = cuda.shared.array(64, cuda.float64)
        own = cuda.local.array(100, cuda.int32)
        i = cuda.threadIdx.x
        tile[i] = x[i]
        for k in range(100):
            own[(k * i) % 100] = k
        cuda.syncthreads()
        x[i] = tile[63 - i] + own[i]

    assert with_memory.get_regs_per_thread() > 0
    lazy = cuda.jit(plain_scale)
    assert lazy.get_regs_per_thread() == {}
    assert lazy.get_regs_per_thread("void(float32[:], int64)") > 0
    found = with_memory.resources("a100")
    assert (found.shared_bytes, found.gpu) == (512, "a100")
    with pytest.raises(ValueError, match="compiled for 0 signatures"):
        cuda.jit(plain_scale).resources()


def test_calling_a_kernel_or_device_function_in_python():
    with pytest.raises(
        cuda.LaunchError, match=r"launch it as axpy\[blocks, threads\]\(\.\.\."
    ):
        axpy(1, 2, 3)
    with pytest.raises(RuntimeError, match=r"square is a device function; call it"):
        square(3)
    with pytest.raises(TypeError, match=r"device function and cannot be launched"):
        square[1, 1]


def test_a_device_function_with_signatures():
    assert cuda.jit("int64(int64)", device=True)(square.py_func).py_func(3) == 9
    with pytest.raises(
        TypeError, match=r"square returns int64\. Try return cuda.float32"
    ):
        cuda.jit("float32(int64)", device=True)(square.py_func)


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("signatures", "value"),
    [
        ("float64(int32)", 0.5 * 70),  # Numba cuts 7.9 off to an int32
        (["complex128(float32)", "float64(float64)"], 0.5 * 79),
    ],
)
def test_a_call_converts_to_the_nearest_signature(signatures, value):
    tens = cuda.jit(signatures, device=True)(lambda x: x * 10)

    @cuda.jit
    def put(x, out):
        out[0] = 0.5 * tens(x)

    put[1, 1](7.9, out := cuda.to_device(np.zeros(1)))
    assert out.copy_to_host() == value


def test_pickle_keeps_kernels_by_name():
    assert pickle.loads(pickle.dumps(axpy)) is axpy
    assert pickle.loads(pickle.dumps(square)) is square


@pytest.mark.parametrize("tasks", [1, 255, 257])
def test_forall_has_a_thread_for_each_task(tasks):
    x = cuda.to_device(np.ones(tasks))
    cuda.jit(plain_scale).forall(tasks)(x, 3)
    assert (x.copy_to_host() == 3).all()


def test_forall_without_tasks_and_with_wrong_ones():
    kernel = cuda.jit(plain_scale)
    kernel.forall(0)(1, 2)
    assert kernel.signatures == []
    for wrong in (1.5, "3", None, True):
        with pytest.raises(TypeError, match=r"^\[forall\] got .* need an int"):
            kernel.forall(wrong)
    with pytest.raises(ValueError, match=r"^\[forall\] got ntasks -1"):
        kernel.forall(-1)


def test_what_is_captured_stays_as_it_was_at_the_first_launch():
    size = 3

    @cuda.jit
    def fill(x):
        x[0] = size

    x = cuda.to_device(np.zeros(1))
    fill[1, 1](x)
    size = 4
    fill[1, 1](x)
    assert x.copy_to_host() == 3
    whole = cuda.to_device(np.zeros(1, np.int32))
    fill[1, 1](whole)  # other types: compiled now
    assert whole.copy_to_host() == 4
    cuda.jit(fill)[1, 1](x)  # another kernel
    assert x.copy_to_host() == 4


def test_names_of_kernels_are_loaded_when_asked_for():
    assert cuda.float32[:].ndim == 1
    assert "threadIdx" in dir(cuda)
    assert "jit" in cuda.__all__
    with pytest.raises(AttributeError, match="Did you mean syncthreads"):
        cuda.syncthread  # noqa: B018


def test_every_statement_and_expression_has_words():
    from minitorch.cuda.language import advice
    from minitorch.cuda.language.typing.rules import expression_rule, statement_rule

    known = {*expression_rule.keys(), *statement_rule.keys(), *advice._SYNTAX}
    inside = {"FormattedValue", "Interpolation"}  # of strings, which are refused
    for kind in [*ast.stmt.__subclasses__(), *ast.expr.__subclasses__()]:
        assert kind.__name__ in inside or kind in known, kind


@pytest.mark.parametrize("value", [0, 256, -1, "32", True, 1.5])
def test_max_registers_out_of_range(value):
    with pytest.raises(ValueError, match=r"^\[jit\] got max_registers=.*1 to 255"):
        cuda.jit(max_registers=value)


@pytest.mark.parametrize("value", [5, len, int, object(), 2.5, np.zeros(2)])
def test_jit_of_no_function(value):
    with pytest.raises(TypeError, match=r"^\[jit\] got .*; need a function"):
        cuda.jit(value)
