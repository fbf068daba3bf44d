"""CUDA graphs under PyTorch's names: work captured once, queued in one call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ... import _core
from ..argument_checks import need_instance
from ..errors import CudaError
from ..tracebacks import learner_frames, learner_methods
from .device import synchronize
from .stream import Stream

#: What names a pool of memory: `graph_pool_handle()`, or `pool()` of a graph.
PoolHandle = tuple[int, int]

#: What is queued before each replay.
BeforeReplay = Callable[[], None]
#: What is called when a capture is about to end, with or without a graph.
CaptureEnd = Callable[[], BeforeReplay | None]

_begins: list[Callable[[], CaptureEnd]] = []


def connect_captures(begin: Callable[[], CaptureEnd]) -> None:
    """Register a callback for captures, for work that must differ between replays.

    `begin()` is called before each capture begins and returns what is called at its
    end; that may return what is called before each replay, on the stream of the replay.
    """
    _begins.append(begin)


_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


@learner_methods
class CUDAGraph:
    """Captured kernels, copies and fills; `replay` queues them all in one call.

    A replay does what the captured calls would, with the same arguments and the same
    memory: values that are to change are written into the captured arrays beforehand
    (`x.copy_(new)`). Memory that was made in the capture belongs to the graph, and its
    contents are those of the last replay. Arrays that captured work uses stay as long
    as the graph, even when the program lets go of them.

    A capture is not a run. Nothing in it may wait for the device: no `item`, `print`,
    `if x > 0`, no copy from pageable memory, no kernel that is not loaded yet. Such a
    call raises `GraphCaptureError` with its line, and ends the capture.

    Example:
        >>> from minitorch import cuda
        >>> x = cuda.to_device([1.0, 2.0, 3.0])
        >>> y = cuda.device_array_like(x)
        >>> g = cuda.CUDAGraph()
        >>> with cuda.graph(g):
        ...     y.copy_to_device(x)
        >>> x.copy_to_device([4.0, 5.0, 6.0])
        >>> g.replay()
        >>> y.copy_to_host()
        array([4., 5., 6.])
    """

    @learner_frames
    def __init__(self) -> None:
        self._core = _core.CudaGraph()
        self._debug = False
        self._ends: list[CaptureEnd] = []
        self._began_on = 0  # thread that began the capture
        self._before: list[BeforeReplay] = []

    def capture_begin(
        self,
        pool: PoolHandle | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        """Capture what this thread queues from now on; prefer `graph`.

        Args:
            pool: `graph_pool_handle()`, or `pool()` of a graph that never runs at the
                same time: both then share memory. None for a pool of its own.
            capture_error_mode: Which calls of the driver end the capture: "global" also
                those of other threads, "thread_local" this thread's, "relaxed" few.

        Raises:
            RuntimeError: The current stream is the default one, this thread captures
                already, or the graph is captured.
            ValueError: Another mode, or no pool.
        """
        if not isinstance(capture_error_mode, str) or capture_error_mode not in _MODES:
            raise ValueError(
                f"[graph] got capture_error_mode={capture_error_mode!r}; need "
                "'global', 'thread_local' or 'relaxed'."
            )
        number = _pool_number(pool)
        refused = _core.capturing() or self._core.captured
        if not refused:
            self._began_on = threading.get_ident()
            self._ends = [begin() for begin in _begins]
        try:
            self._core.capture_begin(number, _MODES[capture_error_mode])
        except BaseException:
            if not refused:
                self._finish_blocks()
            raise

    def capture_end(self) -> None:
        """End the capture; the graph can then be replayed.

        Raises:
            GraphCaptureError: Something ended the capture before.
            RuntimeError: This thread does not capture into this graph.
        """
        try:
            self._core.capture_end()
        except CudaError:  # it has ended all the same
            self._finish_blocks()
            raise
        self._before = self._finish_blocks()

    def _capture_abort(self) -> None:
        self._finish_blocks()
        self._core.capture_abort()

    def _finish_blocks(self) -> list[BeforeReplay]:
        ends, self._ends = self._ends, []
        if self._began_on != threading.get_ident():
            return []  # a generator that another thread closed
        results = [end() for end in ends]
        return [before for before in results if before is not None]

    def replay(self) -> None:
        """Queue the captured work on the current stream; does not wait for it.

        Random numbers go on with each replay, as if the captured calls were made anew:
        where they begin is written to the device beforehand.

        What a kernel does wrong in a replay is reported with the line from which it was
        launched in the capture.

        Raises:
            RuntimeError: Nothing is captured, or the device was reset since.
            GraphCaptureError: This thread captures another graph.
        """
        if self._before:
            self._core.follow_capture()
        for before in self._before:
            before()
        self._core.replay()

    def reset(self) -> None:
        """Discard the captured work. Its memory is freed once no array uses it."""
        self._finish_blocks()
        self._before = []
        self._core.reset()

    def pool(self) -> PoolHandle:
        """Return the handle of the memory pool that the graph uses.

        Raises:
            RuntimeError: Nothing is captured.
        """
        if self._core.pool == 0:
            raise RuntimeError(
                "[graph] got pool() before a capture; need one first: `with "
                "cuda.graph(g): ...`."
            )
        return (0, self._core.pool)

    def debug_dump(self, debug_path: str | os.PathLike[str]) -> None:
        """Write the graph in Graphviz format.

        Args:
            debug_path: The file.

        Raises:
            RuntimeError: Nothing is captured.
            CudaError: The driver cannot write the file.
            TypeError: What is given is no path.
        """
        if not isinstance(debug_path, str | os.PathLike):
            raise TypeError(f"[debug_dump] got {debug_path!r}; need a path.")
        if "\0" in str(debug_path):
            raise ValueError(
                f'[debug_dump] got {debug_path!r}; a path must not contain "\\0".'
            )
        self._core.write_dot(debug_path)

    @property
    def launches(self) -> int:
        """Number of kernels that one replay launches."""
        return self._core.launches

    def __repr__(self) -> str:
        if not self._core.captured:
            return "CUDAGraph(not captured)"
        return f"CUDAGraph({self._core.nodes} nodes, {self._core.launches} launches)"


def _pool_number(pool: PoolHandle | None) -> int:
    if pool is None:
        return 0
    given = pool if isinstance(pool, tuple) else ()
    numbers = [n for n in given if isinstance(n, int) and not isinstance(n, bool)]
    if (
        len(numbers) != 2
        or len(given) != 2
        or numbers[0] != 0
        or not 0 < numbers[1] < 2**64
    ):
        raise ValueError(
            f"[graph] got pool={pool!r}; need cuda.graph_pool_handle(), or the pool() "
            "of another graph."
        )
    return numbers[1]


def graph_pool_handle() -> PoolHandle:
    """Return the handle of a new memory pool, for several graphs to share.

    Graphs that share a pool overwrite each other's memory: they must be replayed in the
    order of their captures, and none while another one runs.

    Example:
        >>> from minitorch import cuda
        >>> handle = cuda.graph_pool_handle()
        >>> first = cuda.CUDAGraph()
        >>> with cuda.graph(first, pool=handle):
        ...     x = cuda.device_array(4)
        >>> first.pool() == handle
        True
    """
    return (0, _core.new_graph_pool())


def is_current_stream_capturing() -> bool:
    """Return whether this thread is capturing a graph.

    Example:
        >>> from minitorch import cuda
        >>> with cuda.graph(cuda.CUDAGraph()):
        ...     cuda.is_current_stream_capturing()
        True
        >>> cuda.is_current_stream_capturing()
        False
    """
    return _core.capturing()


@learner_methods
class graph:
    """Capture the work of a `with` block into a graph.

    Waits for the device, makes a stream of its own current and begins the capture. At
    the end of the block the graph is complete; an error in it leaves it empty.

    Args:
        cuda_graph: The graph; not captured yet.
        pool: As `CUDAGraph.capture_begin` takes it.
        stream: Captured instead of the stream that all captures share; not the default
            one.
        capture_error_mode: As `CUDAGraph.capture_begin` takes it.

    Raises:
        GraphCaptureError: A call in the block cannot be part of a graph.
        TypeError: No graph, or no stream.

    Example:
        >>> from minitorch import cuda
        >>> x = cuda.to_device([1.0, 2.0])
        >>> g = cuda.CUDAGraph()
        >>> with cuda.graph(g):  # doctest: +IGNORE_EXCEPTION_DETAIL
        ...     float(x[0])
        Traceback (most recent call last):
        GraphCaptureError: [graph] got a wait (value) at train.py:12 while ...
        >>> g
        CUDAGraph(not captured)
    """

    default_capture_stream: Stream | None = None

    @learner_frames
    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: PoolHandle | None = None,
        stream: Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        need_instance(cuda_graph, CUDAGraph, "graph")
        if stream is not None:
            need_instance(stream, Stream, "graph", "stream")
        self.cuda_graph = cuda_graph
        self.pool = pool
        self.capture_stream = stream
        self.capture_error_mode = capture_error_mode
        self._entered: Stream | None = None

    def __enter__(self) -> None:
        synchronize()
        stream = self.capture_stream or _shared_stream()
        stream.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            stream.__exit__(None, None, None)
            raise
        self._entered = stream

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: object
    ) -> None:
        stream, self._entered = self._entered, None
        try:
            if error is not None:
                self.cuda_graph._capture_abort()
            else:
                self.cuda_graph.capture_end()
        finally:
            if stream is not None:
                stream.__exit__(None, None, None)


def _shared_stream() -> Stream:
    """Return the stream of captures that name none; it never runs work."""
    stream = graph.default_capture_stream
    if stream is None or not stream._usable():
        stream = graph.default_capture_stream = Stream._nonblocking()
    return stream


_Maker = Callable[..., Any]
_make: list[_Maker] = []


def connect_tensors(make: _Maker) -> None:
    """Register the function that makes graphed callables of tensors."""
    _make[:] = [make]


@learner_frames
def make_graphed_callables(
    callables: Any,
    sample_args: Sequence[Any],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: PoolHandle | None = None,
) -> Any:
    """Return a function or module whose calls replay graphs, forward and backward.

    Each callable runs `num_warmup_iters` times on its samples, then its forward pass
    and its backward pass are captured. A call copies its arguments into the samples'
    memory and replays the first graph; `backward` of what it returns replays the
    second. What it returns is overwritten by the next call.

    Args:
        callables: A function or module on device cuda, or a tuple of them in the order
            of their calls. It returns one tensor. A module is changed in place and
            returned.
        sample_args: The arguments, a tuple of tensors; for a tuple of callables a tuple
            of those. Later calls have the same shapes, dtypes and `requires_grad`.
        num_warmup_iters: Runs before the capture, at least 1.
        allow_unused_input: Arguments and parameters may have no gradient.
        pool: As `CUDAGraph.capture_begin` takes it.

    Returns:
        What can be called instead; a tuple for a tuple.

    Raises:
        GraphCaptureError: A call of a callable cannot be part of a graph.
        RuntimeError: A callable gives another shape in each run; later: `backward` of
            a call after the next one.
        TypeError: What is given cannot be called, or samples are no tensors, or what
            it returns is not one.
        ValueError: A tensor is not on cuda; later: another shape, dtype,
            `requires_grad` or number of arguments.

    Example:
        >>> import minitorch
        >>> from minitorch import cuda
        >>> x = minitorch.ones((2, 3), device="cuda", requires_grad=True)
        >>> f = cuda.make_graphed_callables(lambda a: (a * a).sum(), (x,))
        >>> f(x).backward()
        >>> x.grad.numpy()
        array([[2., 2., 2.],
               [2., 2., 2.]])
    """
    (make,) = _make
    return make(callables, sample_args, num_warmup_iters, allow_unused_input, pool)
