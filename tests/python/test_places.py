"""Tests of places: each block's multiprocessor, noted by guards in kernels.

On the emulator block b of a launch has multiprocessor b modulo their number, which its
%smid says by itself: so every expected place is known. Results are compared with those
of the same kernels without guards, bit for bit.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import minitorch
from minitorch import cuda, nn
from minitorch.cuda import errors

pytestmark = pytest.mark.cuda

BLOCKS = 200
SIZE = BLOCKS * 32

HEAD = 'extern "C" __global__ void k(const float* x, float* y, int n)'
BODY = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 3 + 1;"
TEXTS = {
    "in one line": f"{HEAD} {{ {BODY} }}",
    "its body on another line": f"{HEAD}\n// a remark {{\n{{\n{BODY}\n}}",
    "launch bounds before the name": (
        'extern "C" __global__ void __launch_bounds__(64, 2)\n'
        f"k(const float* x, float* y, int n) {{ {BODY} }}"
    ),
    "declared first": f"{HEAD};\n{HEAD} {{ {BODY} }}",
    "constants of the file": (
        "constexpr int SIZE = 32; struct Pair { int a, b; };\n"
        f"{HEAD} {{ Pair p{{0, 1}}; if (p.a + n < -SIZE) return; {BODY} }}"
    ),
    "an early return": f"""{HEAD} {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (threadIdx.x == 0) {{ if (i < n) y[i] = x[i] * 3 + 1; return; }}
      if (i >= n) return;
      y[i] = x[i] * 3 + 1;
    }}""",
    "several kernels": (
        'extern "C" __global__ void other(float* y) { y[0] = 1; }\n'
        f"{HEAD} {{ {BODY} }}\n"
        "template <class T> __global__ void third(T* y) { y[0] = 2; }"
    ),
    "words that look like a kernel": (
        "// __global__ void a(int n) {\n/* __global__ void b() { */\n"
        '__device__ const char* words() { return "__global__ void c() {"; }\n'
        f"{HEAD} {{ {BODY} }}"
    ),
}


def sms():
    return cuda.get_current_device().MULTIPROCESSOR_COUNT


def numbers(size=SIZE):
    return np.random.default_rng(7).random(size, np.float32)


def check_places(launch, blocks=BLOCKS):
    assert launch.why == ""
    if cuda.is_emulated():
        assert launch.sm.tolist() == [block % sms() for block in range(blocks)]
    assert launch.sm.shape == launch.begin_ns.shape == launch.end_ns.shape == (blocks,)
    assert launch.sm.max() < sms()
    assert (launch.begin_ns > 0).all()
    assert (launch.begin_ns <= launch.end_ns).all()


def with_and_without(run):
    """What `run` returns without guards, with them, and its launches."""
    plain = run()
    with cuda.record_places() as recording:
        guarded = run()
    return plain, guarded, recording.launches


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_each_block_of_a_users_kernel_has_one_place(text):
    kernel = cuda.RawKernel(text, "k")
    x = cuda.to_device(numbers())

    def run():
        y = cuda.to_device(np.zeros(SIZE, np.float32))
        kernel[BLOCKS, 32](x, y, np.int32(SIZE - 5))
        return y.copy_to_host()

    plain, guarded, launches = with_and_without(run)
    assert plain.tobytes() == guarded.tobytes()
    (launch,) = launches
    assert (launch.kernel, launch.library) == ("k", False)
    assert (launch.grid, launch.block) == ((BLOCKS, 1, 1), (32, 1, 1))
    check_places(launch)


def test_a_kernel_of_two_files(tmp_path):
    (tmp_path / "triple.cuh").write_text(
        "__device__ inline float triple(float x) { return 3 * x; }\n"
    )
    kernel = cuda.RawModule(
        code='#include "triple.cuh"\n'
        "__global__ void k(float* x) { x[blockIdx.x] = triple(x[blockIdx.x]); }",
        options=(f"-I{tmp_path}",),
    ).get_function("k")
    x = cuda.to_device(np.ones(BLOCKS, np.float32))
    with cuda.record_places() as recording:
        kernel[BLOCKS, 1](x)
    check_places(recording.launches[0])
    assert (x.copy_to_host() == 3).all()


def test_blocks_are_counted_along_x_then_y_then_z():
    kernel = cuda.RawKernel(
        'extern "C" __global__ void k(int* sm) { int b = blockIdx.x + gridDim.x * '
        "(blockIdx.y + gridDim.y * blockIdx.z); unsigned s; "
        'asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); sm[b] = s; }',
        "k",
    )
    x = cuda.to_device(np.full(3 * 5 * 7, -1, np.int32))
    with cuda.record_places() as recording:
        kernel[(3, 5, 7), (2, 2, 2)](x)
    (launch,) = recording.launches
    assert launch.sm.tolist() == x.copy_to_host().tolist()


def test_products_and_sums_of_the_library():
    a, b = (minitorch.tensor(numbers(70 * 70).reshape(70, 70)) for _ in range(2))
    a, b = a.to("cuda"), b.to("cuda")
    plain, guarded, launches = with_and_without(
        lambda: [(a @ b).numpy(), a.sum(0).numpy(), (a * b + 2).relu().numpy()]
    )
    for one, other in zip(plain, guarded, strict=True):
        assert one.tobytes() == other.tobytes()
    names = [each.kernel for each in launches]
    assert names[:2] == ["matmul_tiled", "reduce"]
    assert all(each.library for each in launches)
    for each in launches:
        check_places(each, int(np.prod(each.grid)))


def test_a_kernel_in_python():
    @cuda.jit
    def triple(x, y):
        i = cuda.grid(1)
        if i >= x.size:
            return
        y[i] = 3 * x[i]

    x = cuda.to_device(numbers())

    def run():
        y = cuda.to_device(np.zeros(SIZE, np.float32))
        triple[BLOCKS, 32](x, y)
        return y.copy_to_host()

    plain, guarded, launches = with_and_without(run)
    assert plain.tobytes() == guarded.tobytes()
    (launch,) = launches
    assert launch.kernel == "triple"
    check_places(launch)


def test_a_kernel_on_two_streams_and_with_dynamic_shared_memory():
    kernel = cuda.RawKernel(
        'extern "C" __global__ void k(float* x) { extern __shared__ float s[]; '
        "s[threadIdx.x] = x[blockIdx.x]; __syncthreads(); "
        "x[blockIdx.x] = s[0] + 1; }",
        "k",
    )
    kernel.max_dynamic_shared_size_bytes = 50_000
    x, y = (cuda.to_device(np.zeros(BLOCKS, np.float32)) for _ in range(2))
    one, other = cuda.stream(), cuda.stream()
    with cuda.record_places() as recording:
        kernel[BLOCKS, 32, one, 50_000](x)
        kernel[BLOCKS, 32, other, 50_000](y)
        kernel[BLOCKS // 2, 32, one, 50_000](x)
    assert [each.sm.size for each in recording.launches] == [BLOCKS, BLOCKS, 100]
    for each in recording.launches:
        check_places(each, each.sm.size)
    assert x.copy_to_host().tolist() == [2] * 100 + [1] * 100
    assert (y.copy_to_host() == 1).all()


MACRO = "#define KERNEL(name) __global__ void name(float* x)\n"
LEFT_OUT = {
    "a variable, 'count'": "__device__ int count = 1;\n"
    "__global__ void k(float* x) { x[0] = count; }",
    "a variable, 'scale'": "__constant__ int scale[2] = {1, 1};\n"
    "__global__ void k(float* x) { x[0] = scale[blockIdx.x % 2]; }",
    "has no kernel whose body a guard fits into": MACRO + "KERNEL(k) { x[0] = 1; }",
    "no guard stands in the text": MACRO
    + "__global__ void other(float* x) { x[0] = 1; }\nKERNEL(k) { x[0] = 1; }",
    "does not compile": "#define minitorch_placed 5\n"
    "__global__ void k(float* x) { x[0] = 1; }",
}


@pytest.mark.parametrize("why", LEFT_OUT)
def test_what_is_left_out_runs_all_the_same_and_says_why(why):
    x = cuda.to_device(np.zeros(1, np.float32))
    kernel = cuda.RawKernel(LEFT_OUT[why], "k")
    with cuda.record_places() as recording:
        kernel[BLOCKS, 1](x)
    (launch,) = recording.launches
    assert why in launch.why
    assert why in repr(launch)
    assert launch.sm.size == launch.begin_ns.size == 0
    assert launch.seconds is None
    assert x.copy_to_host()[0] == 1


@pytest.mark.slow
def test_more_blocks_than_are_kept():
    kernel = cuda.RawKernel("__global__ void k(int* x) { *x = 1; }", "k")
    x = cuda.to_device(np.zeros(1, np.int32))
    with cuda.record_places() as recording:
        kernel[(8 << 20) + 1, 1](x)
    assert "more than 8388608 blocks" in recording.launches[0].why
    assert x.copy_to_host()[0] == 1


def test_a_kernel_that_prints_and_leaves_by_assembly(capfd):
    code = """__global__ void k(int n) {
      if (blockIdx.x == 0 && threadIdx.x == 0) printf("%d places\\n", n);
      asm volatile("exit;");
    }"""
    kernel = cuda.RawKernel(code, "k")
    with cuda.record_places() as recording:
        kernel[3, 32](np.int32(7))
    (launch,) = recording.launches
    assert launch.why == ""
    assert (launch.begin_ns > 0).all()
    assert not launch.end_ns.any()
    assert launch.seconds is None
    assert "7 places" in capfd.readouterr().out


def test_a_recording_waits_for_nothing_unasked():
    x = minitorch.ones(4).to("cuda")
    x + 1
    with cuda.sync_debug_mode("error"), cuda.record_places() as recording:
        y = x + 1
        z = y * 2
    assert [each.why for each in recording.launches] == ["", ""]
    assert z.numpy().tolist() == [4] * 4


def test_a_module_of_ptx_is_left_out():
    ptx = cuda.RawModule(code=TEXTS["in one line"]).ptx
    kernel = cuda.RawModule(ptx=ptx).get_function("k")
    x = cuda.to_device(np.ones(32, np.float32))
    with cuda.record_places() as recording:
        kernel[1, 32](x, x, np.int32(32))
    assert "came as PTX" in recording.launches[0].why
    assert (x.copy_to_host() == 4).all()


def test_an_inspection_counts_kernels_without_guards():
    if not cuda.is_emulated():
        pytest.skip("only the emulator counts")
    kernel = cuda.RawKernel(TEXTS["in one line"], "k")
    x = cuda.to_device(numbers())
    with cuda.record_places() as recording, cuda.inspect() as run:
        kernel[BLOCKS, 32](x, x, np.int32(SIZE))
    assert "cuda.inspect" in recording.launches[0].why
    # 32 numbers of 4 bytes are 4 sectors of a block.
    assert run.launches[0].counters["global_store_sectors"] == 4 * BLOCKS


def test_a_replay_is_not_seen_and_a_capture_is_no_place_for_a_recording():
    x = minitorch.ones(4).to("cuda")
    y = x + 1
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        y = x + 1
    with cuda.record_places() as recording:
        graph.replay()
    assert recording.launches == ()
    refused = pytest.raises(errors.GraphCaptureError, match="recording of places")
    with refused, cuda.graph(cuda.CUDAGraph()):
        cuda.record_places().__enter__()
    assert (y.numpy() == 2).all()


def test_a_recording_is_used_once_and_read_at_its_end():
    recording = cuda.record_places()
    with recording:
        with pytest.raises(RuntimeError, match="only after"):
            _ = recording.launches
        with pytest.raises(RuntimeError, match="one at a time"):
            cuda.record_places().__enter__()
    assert recording.launches == ()
    with pytest.raises(RuntimeError, match="entered only once"):
        recording.__enter__()
    with cuda.record_places() as another:
        minitorch.ones(4).to("cuda") + 1
    assert len(another.launches) == 1


def test_a_fault_is_raised_at_the_end_with_its_line():
    if not cuda.is_emulated():
        pytest.skip("a card does not see 4 bytes past the end")
    code = "__global__ void k(float* x)\n{\n  x[threadIdx.x] = 1; }"
    kernel = cuda.RawKernel(code, "k")
    recording = cuda.record_places()
    x = cuda.to_device(np.zeros(4, np.float32))
    with pytest.raises(cuda.KernelError) as caught, recording:
        kernel[1, 32](x)
    assert caught.value.line == 3
    assert recording.launches == ()


def test_blocks_that_wait_for_each_other():
    kernel = cuda.RawKernel(
        'extern "C" __global__ void k(int* x) {\n'
        "  atomicAdd(x, 1);\n"
        "  while (atomicAdd(x, 0) < gridDim.x) {}\n"
        "  x[1 + blockIdx.x] = atomicAdd(x, 0);\n}",
        "k",
        enable_cooperative_groups=True,
    )
    x = cuda.to_device(np.zeros(9, np.int32))
    with cuda.record_places() as recording:
        kernel[8, 1](x)
    check_places(recording.launches[0], 8)
    assert x.copy_to_host().tolist() == [8] * 9


def test_a_reset_leaves_no_places():
    x = minitorch.ones(4).to("cuda")
    with cuda.record_places() as recording:
        x + 1
        cuda.reset()
        minitorch.ones(4).to("cuda") + 1
    assert ["cuda.reset()" in each.why for each in recording.launches] == [True, True]


def test_other_threads_are_not_seen():
    x = minitorch.ones(4).to("cuda")
    with cuda.record_places() as recording:
        other = threading.Thread(target=lambda: x + 1)
        other.start()
        other.join()
        x * 2
    assert [each.kernel for each in recording.launches] == ["zip_number"]


def test_seconds_are_those_of_the_cards_timer():
    three = np.array([5, 3, 4], np.uint64)
    given = {
        "kernel": "k",
        "file": "k.cu",
        "grid": (3, 1, 1),
        "block": (32, 1, 1),
        "library": False,
        "sm": np.array([0, 1, 0], np.uint32),
        "begin_ns": three * 1000,
        "why": "",
    }
    ends = (three + 2) * 1000
    launch = cuda.PlacedLaunch(**given, end_ns=ends, emulated=False)
    assert launch.seconds == pytest.approx(4e-6)  # from 3 to 7 microseconds
    assert repr(launch) == "PlacedLaunch(k: 3 blocks on 2 SMs)"
    assert cuda.PlacedLaunch(**given, end_ns=ends, emulated=True).seconds is None
    ends[1] = 0
    assert cuda.PlacedLaunch(**given, end_ns=ends, emulated=False).seconds is None


def test_an_error_within_the_block_passes():
    def fail(x):
        raise ZeroDivisionError(x + 1)

    recording, x = cuda.record_places(), minitorch.ones(4).to("cuda")
    with pytest.raises(ZeroDivisionError), recording:
        fail(x)
    assert recording.launches == ()
    assert repr(recording) == "PlaceRecording(0 launches)"


def test_the_timer_goes_in_steps():
    with cuda.record_places() as recording:
        pass
    assert 0 < recording.timer_step_ns < 10_000_000


class TestExplained:
    """`explain(places="measured")`: what is counted is that of kernels as they are."""

    @pytest.fixture(autouse=True)
    def _counted(self):
        if not cuda.is_emulated():
            pytest.skip("only the emulator counts")

    def pair(self, *args, **options):
        return [
            minitorch.explain(*args, **options, places=places)
            for places in ("modelled", "measured")
        ]

    def test_only_places_differ(self):
        net = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 1))
        modelled, measured = self.pair(net, minitorch.rand(640, 32))
        assert len(measured.kernels) == len(modelled.kernels) == 5
        for one, other in zip(modelled.kernels, measured.kernels, strict=True):
            assert one.noted_places is None
            expected = [(b, b % measured.gpu.sms) for b in range(one.blocks)]
            assert list(other.places) == expected
            assert other.sm_of_block == "the emulator's"
            assert other.seconds is None
            assert one.launch.counters == other.launch.counters
            for name in ("at_least", "moved", "sms_used", "macs_executed"):
                assert getattr(one, name) == getattr(other, name)

    def test_a_step_and_its_data(self):
        def step(net, x, y):
            return nn.functional.cross_entropy(net(x), y)

        labels = minitorch.tensor([0, 1] * 40, dtype=minitorch.int64)
        args = step, nn.Linear(32, 2), minitorch.rand(80, 32), labels
        modelled, measured = self.pair(*args, backward=True)
        tree = measured.to_dict()
        for kernel in tree["kernels"]:
            assert len(kernel["places"]) == kernel["blocks"]
        assert "places" not in modelled.to_dict()["kernels"][0]
        assert all(each.places for each in measured.kernels)

    def test_a_users_kernel_that_is_left_out(self):
        kernel = cuda.RawKernel(LEFT_OUT["a variable, 'count'"], "k")

        def call(x):
            kernel[BLOCKS, 1](x)
            return x + 1

        x = minitorch.ones(3, dtype=minitorch.float32)
        measured = minitorch.explain(call, x, places="measured")
        first, second = measured.kernels
        assert first.noted_places is None
        assert first.sm_of_block.startswith(f"b mod {measured.gpu.sms}, modelled: its")
        assert second.places == ((0, 0),)

    def test_places_of_another_card_are_refused(self):
        other = "rtx3090" if cuda.device_name().find("T4") >= 0 else "t4"
        with pytest.raises(ValueError, match=f"MINITORCH_EMULATED_GPU={other}"):
            minitorch.explain(
                nn.ReLU(), minitorch.ones(3), gpu=other, places="measured"
            )
