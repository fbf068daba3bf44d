"""Tests of profiles of real programs: what runs, what is asked wrongly, faults."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest

import minitorch
from minitorch import cuda, nn
from minitorch.profiler import (
    DeviceType,
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)

from .chrome_trace_reader import Trace

pytestmark = pytest.mark.cuda
CPU, CUDA = ProfilerActivity.CPU, ProfilerActivity.CUDA


@pytest.fixture
def x():
    """A tensor on the device, with all that `x @ x` needs compiled."""
    made = minitorch.ones(16, 16).to("cuda")
    (made @ made).numpy()
    return made


def rows_of(prof, **options):
    return {row.key: row for row in prof.key_averages(**options)}


def test_an_op_its_call_and_its_kernel(x):
    with profile() as prof:
        x @ x
    rows = rows_of(prof)
    op, launch = rows["minitorch::matmul"], rows["cuLaunchKernel"]
    (kernel,) = (row for key, row in rows.items() if ".cu)" in key)
    assert re.fullmatch(r"matmul_\w+ \(matmul_\w+\.cu\)", kernel.key)
    assert (op.count, launch.count, kernel.count) == (1, 1, 1)
    assert kernel.device_type is DeviceType.CUDA
    assert kernel.device_time_total > 0
    assert op.device_time_total == kernel.device_time_total
    assert op.cpu_time_total > launch.cpu_time_total > 0
    assert op.self_cpu_time_total == pytest.approx(
        op.cpu_time_total - launch.cpu_time_total
    )


def test_activities_part_the_rows(x):
    with profile(activities=[CPU]) as prof:
        x @ x
    assert "cuLaunchKernel" not in rows_of(prof)
    text = prof.key_averages().table()
    assert "No CUDA times: activities has no ProfilerActivity.CUDA." in text
    with profile(activities=[CUDA]) as prof:
        x @ x
    assert {"minitorch::matmul", "cuLaunchKernel"} & set(rows_of(prof)) == {
        "cuLaunchKernel"
    }


def test_copies_and_fills_have_rows():
    values = minitorch.ones(1 << 16)
    with profile() as prof:
        values.to("cuda").cpu()
        minitorch.zeros(100, device="cuda")
    rows = rows_of(prof)
    assert rows["Memcpy HtoD (Pageable -> Device)"].count == 1
    assert rows["Memcpy DtoH (Device -> Pageable)"].count == 1
    footer = re.search(
        r"Self CUDA time total: ([\d.]+)(us|ms|s)", prof.key_averages().table()
    )
    own = sum(
        row.self_device_time_total
        for row in rows.values()
        if row.device_type is DeviceType.CUDA
    )
    unit = {"us": 1, "ms": 1e3, "s": 1e6}[footer[2]]
    assert float(footer[1]) * unit == pytest.approx(own, abs=0.001 * unit)


def test_shapes_stacks_and_ways_back():
    weight = minitorch.ones(3, 4, requires_grad=True)
    with profile(record_shapes=True, with_stack=True) as prof:
        y = minitorch.ones(2, 3) @ weight
        y.sum().backward()
    forward = next(e for e in prof.events() if e.name == "minitorch::matmul")
    assert forward.input_shapes == [[2, 3], [3, 4]]
    assert forward.stack[0].startswith("test_profiler.py(")
    assert forward.sequence_nr >= 0
    (back,) = (
        event
        for event in prof.events()
        if event.sequence_nr == forward.sequence_nr and "ackward" in event.name
    )
    assert back.stack == forward.stack
    rows = prof.key_averages(group_by_input_shape=True, group_by_stack_n=3)
    text = rows.table()
    assert "[[2, 3], [3, 4]]" in text
    assert "test_shapes_stacks_and_ways_back" in text


def test_flops():
    a, b = minitorch.ones(2, 3), minitorch.ones(3, 5)
    conv = nn.Conv2d(3, 4, 3, stride=2, bias=False)
    image = minitorch.ones(1, 3, 9, 9)
    with profile(with_flops=True) as prof:
        a @ b
        a + a
        conv(image)
    rows = rows_of(prof)
    assert rows["minitorch::matmul"].flops == 2 * 2 * 3 * 5
    assert rows["minitorch::add"].flops == 6
    assert rows["minitorch::conv2d"].flops == 2 * (4 * 4 * 4) * (3 * 3 * 3)
    assert "Total FLOPs" in prof.key_averages().table()


def test_memory():
    with profile(profile_memory=True) as prof:
        kept = minitorch.zeros(1 << 18, device="cuda")  # 1 MiB or 2
    rows = rows_of(prof)
    made = sum(row.self_device_memory_usage for row in rows.values())
    assert made >= kept.size * 4
    assert "CUDA Mem" in prof.key_averages().table()


def test_the_users_own_names():
    @record_function("decorated")
    def twice(value, depth=0):
        return twice(value, depth + 1) if depth == 0 else value + value

    with profile() as prof:
        outer = record_function("outer")
        with outer, outer:  # again while it is open
            twice(minitorch.ones(2))
    rows = rows_of(prof)
    assert (rows["outer"].count, rows["decorated"].count) == (2, 2)
    (add,) = (e for e in prof.events() if e.name == "minitorch::add")
    assert add.cpu_parent.name == "decorated"
    assert rows["outer"].is_user_annotation


def test_a_name_ends_with_what_it_names_also_when_that_goes_wrong():
    with profile() as prof:
        with pytest.raises(KeyError), record_function("fails"):
            raise KeyError
        minitorch.ones(2) + 1
    (add,) = (e for e in prof.events() if e.name == "minitorch::add")
    assert add.cpu_parent is None


def test_steps_of_a_schedule(x):
    ready = []

    def handler(prof):
        ready.append((prof.step_num, rows_of(prof)))

    steps = schedule(wait=1, warmup=1, active=2, repeat=1)
    with profile(schedule=steps, on_trace_ready=handler) as prof:
        for _ in range(6):
            x @ x
            prof.step()
    ((step, rows),) = ready
    assert step == 4
    assert rows["ProfilerStep*"].count == 2
    assert rows["minitorch::matmul"].count == 2
    assert prof.step_num == 6
    names = [e.name for e in prof.events() if e.key == "ProfilerStep*"]
    assert names == ["ProfilerStep#2", "ProfilerStep#3"]


def test_cycles_follow_each_other(x):
    ready = []
    steps = schedule(wait=1, warmup=1, active=1)
    with profile(schedule=steps, on_trace_ready=ready.append) as prof:
        for _ in range(9):
            x @ x
            prof.step()
    assert len(ready) == 3
    assert rows_of(prof)["minitorch::matmul"].count == 1


def test_the_end_saves_an_unfinished_cycle(x):
    ready = []
    steps = schedule(wait=0, warmup=1, active=5)
    with profile(schedule=steps, on_trace_ready=ready.append) as prof:
        prof.step()
        x @ x
    assert ready == [prof]
    assert rows_of(prof)["ProfilerStep*"].count == 1


def test_a_schedule_of_ones_own_that_forgets_to_save(x):
    actions = [ProfilerAction.RECORD, ProfilerAction.NONE]
    ready = []
    with profile(
        schedule=lambda step: actions[step % 2], on_trace_ready=ready.append
    ) as prof:
        x @ x
        with pytest.warns(UserWarning, match="returned NONE after RECORD") as caught:
            prof.step()
    assert caught[0].filename == __file__
    assert ready == []
    assert rows_of(prof)["minitorch::matmul"].count == 1


def test_a_handler_may_end_the_profile(x):
    steps = schedule(wait=0, warmup=1, active=1)
    prof = profile(schedule=steps, on_trace_ready=lambda prof: prof.stop())
    prof.start()
    prof.step()
    prof.step()
    with pytest.raises(
        RuntimeError, match=r"\[profile.step\] the profile is not running"
    ):
        prof.step()


def test_an_error_of_the_program_goes_through_and_leaves_no_profile(x):
    prof = profile()
    with pytest.raises(ZeroDivisionError), prof:
        assert (x @ x)[1 // 0]
    assert rows_of(prof)["minitorch::matmul"].count == 1
    with profile():
        pass


def test_one_profile_at_a_time():
    with profile() as prof:
        with pytest.raises(RuntimeError, match="while another profile is running"):
            profile().start()
        with pytest.raises(RuntimeError, match="while this one is running"):
            prof.start()
    with profile():
        pass


def test_it_may_be_started_again(x):
    prof = profile()
    for count in (1, 2):
        prof.start()
        for _ in range(count):
            x @ x
        prof.stop()
        assert rows_of(prof)["minitorch::matmul"].count == count


def test_all_threads_are_recorded(x):
    with profile() as prof:
        thread = threading.Thread(target=lambda: x @ x, name="worker")
        thread.start()
        thread.join()
        x @ x
    threads = {e.thread for e in prof.events() if e.name == "minitorch::matmul"}
    assert len(threads) == 2


def test_steps_belong_to_one_thread():
    found = []

    def step():
        try:
            prof.step()
        except RuntimeError as error:
            found.append(str(error))

    with profile() as prof:
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
    assert found == [
        "[profile.step] step() must be called on the thread that started the profile."
    ]


ASKED = {
    "events": (),
    "key_averages": (),
    "waits": (),
    "timeline": (),
    "show": (),
    "export_chrome_trace": ("trace.json",),
}


@pytest.mark.parametrize("name", ASKED)
def test_asked_too_early(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prof = profile(with_stack=True)
    with pytest.raises(RuntimeError, match=rf"\[{name}\] the profile has no record"):
        getattr(prof, name)(*ASKED[name])
    message = rf"\[{name}\] the profile is still recording"
    with prof, pytest.raises(RuntimeError, match=message):
        getattr(prof, name)(*ASKED[name])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["step", "stop"])
def test_steps_and_ends_without_a_start(name):
    with pytest.raises(
        RuntimeError, match=rf"\[profile.{name}\] the profile is not running"
    ):
        getattr(profile(), name)()


def test_a_table_says_what_was_not_kept():
    with profile() as prof:
        minitorch.ones(2) + 1
    rows = prof.key_averages(group_by_input_shape=True, group_by_stack_n=2)
    assert rows.table().splitlines()[-2:] == [
        "No input shapes: profile(record_shapes=True) keeps them.",
        "No source locations: profile(with_stack=True) keeps them.",
    ]
    with pytest.raises(ValueError, match="group_by_stack_n -1"):
        prof.key_averages(group_by_stack_n=-1)


def test_records_beyond_the_limit_are_counted(monkeypatch, tmp_path):
    monkeypatch.setattr("minitorch.profiler.recording.MOST_RECORDS", 4)
    x = minitorch.ones(2)
    with profile() as prof:
        for _ in range(50):
            x * x
    assert 1 <= len(prof.events()) <= 4
    assert "more records were not kept" in prof.key_averages().table()
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(str(path))
    assert Trace(path).data["droppedRecords"] >= 46


def test_a_schedule_that_gives_no_action():
    prof = profile(schedule=lambda step: None)
    with pytest.raises(
        TypeError, match=r"\[profile.start\] the schedule returned None"
    ):
        prof.start()
    with profile():  # and it does not run
        pass


def test_the_trace_of_a_real_step(tmp_path):
    net = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1)).to("cuda")
    x = minitorch.ones(5, 8).to("cuda")
    net(x).sum().backward()
    with (
        profile(
            record_shapes=True, profile_memory=True, with_stack=True, with_modules=True
        ) as prof,
        record_function("step"),
    ):
        net(x).sum().backward()
    path = tmp_path / "trace.json.gz"
    prof.export_chrome_trace(str(path))
    trace = Trace(path)  # which checks form, nesting and arrows
    kernels = [e for e in trace.slices if e["cat"] == "kernel"]
    calls = [e for e in trace.slices if e["name"] == "cuLaunchKernel"]
    assert len(kernels) == len(calls) > 4
    assert {e["args"]["correlation"] for e in kernels} == {
        e["args"]["correlation"] for e in calls
    }
    assert set(trace.arrows("ac2g")) >= {e["args"]["correlation"] for e in kernels}
    assert len(trace.arrows("fwdbwd")) >= 4
    for event in kernels:
        assert event["args"]["registers per thread"] > 0
        assert 0 <= event["args"]["est. achieved occupancy %"] <= 100
    (product, _) = trace.named("minitorch::matmul")[:2]
    assert product["args"]["Module Hierarchy"] == "Sequential.0"
    (card,) = trace.data["deviceProperties"]
    assert card["name"] == cuda.device_name()
    assert card["numSms"] > 0


def test_files_for_tensorboard(tmp_path, x):
    folder = tmp_path / "made" / "here"
    handler = tensorboard_trace_handler(str(folder))
    with profile(on_trace_ready=handler):
        x @ x
    (file,) = folder.iterdir()
    assert re.fullmatch(r".+_\d+\.\d+\.pt\.trace\.json", file.name)
    assert Trace(file).named("minitorch::matmul")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    handler = tensorboard_trace_handler(str(tmp_path / "file"))
    message = r"\[tensorboard_trace_handler\] cannot create the folder .*: File exists"
    with pytest.raises(RuntimeError, match=message), profile(on_trace_ready=handler):
        pass
    with pytest.raises(TypeError, match="got dir_name 3; need a string"):
        tensorboard_trace_handler(3)


def test_counters_are_those_of_inspection(x):
    if not cuda.is_emulated():
        pytest.skip("only the emulator counts")
    with profile(counters=True) as prof:
        x @ x
    with cuda.inspect(library=True) as run:
        x @ x
    (launch,) = run.launches
    (kernel,) = (row for row in prof.key_averages() if ".cu)" in row.key)
    assert kernel.counters["sectors_loaded"] == launch.counters["global_load_sectors"]
    assert kernel.counters["macs"] >= 16 * 16 * 16
    assert "Sectors in" in prof.key_averages().table()


def test_compiling_is_an_event_of_its_own(tmp_path):
    x = minitorch.ones(8, dtype="float32").to("cuda")

    def anew(text):  # no cache has this one
        return f"{text}\n// {time.time_ns()}"

    with minitorch.override("relu", kernels={"map.cu": anew}), profile() as prof:
        x.relu()
        x.relu()
    rows = {row.key: row for row in prof.key_averages()}
    compiled, loaded, op = (
        rows[key] for key in ("compile (map.cu)", "load (map.cu)", "minitorch::relu")
    )
    assert (compiled.count, loaded.count, op.count) == (1, 1, 2)
    assert op.self_cpu_time_total < compiled.cpu_time_total < loaded.cpu_time_total
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = [each["name"] for each in trace if each.get("cat") == "cpu_op"]
    assert "compile (map.cu)" in names
    (thread,) = prof.timeline()["threads"]
    kinds = {each["name"]: each["kind"] for each in thread["scopes"]}
    assert kinds["load (map.cu)"] == kinds["compile (map.cu)"] == "compile"
