"""Tests of how benchmarks/gpu reads NVIDIA's tools, on output as they document it."""

from __future__ import annotations

import pytest

from benchmarks.gpu.counted import METRICS, our_counters
from benchmarks.gpu.ncu_report import NcuError, read_metrics
from benchmarks.gpu.parts.counters import compare
from benchmarks.gpu.sanitizer_report import read_report
from minitorch import cuda

# Nsight Compute.

_LONG = """\
==PROF== Connected to process 4242 (/usr/bin/python3.12)
==PROF== Profiling "map" - 0: 0%....50%....100% - 1 pass
==PROF== Disconnected from process 4242
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block \
Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",\
"Metric Value"
"0","4242","python3.12","127.0.0.1","map","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0",\
"Command line profiler metrics","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",\
"request","1,128"
"0","4242","python3.12","127.0.0.1","map","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0",\
"Command line profiler metrics","smsp__inst_executed_op_shared_ld.sum","inst","n/a"
"""
_RAW = """\
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",\
"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","smsp__inst_executed_op_shared_ld.sum"
"","","","","","","","request","inst"
"0","4242","python3.12","127.0.0.1","map(float *, int)","1","7","1,128","0"
"""
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
_SHARED = "smsp__inst_executed_op_shared_ld.sum"


def test_both_forms_of_its_table_are_read() -> None:
    assert read_metrics(_LONG, "map") == {_REQUESTS: 1128.0, _SHARED: None}
    assert read_metrics(_RAW, "map") == {_REQUESTS: 1128.0, _SHARED: 0.0}


@pytest.mark.parametrize(
    ("text", "kernel", "complaint"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not", "map", "ERR_NVGPUCTRPERM"),
        ("Traceback: no such file", "map", "no table"),
        ("", "map", "no table"),
        (_LONG, "ma", "the table has no kernel 'ma'"),
    ],
)
def test_no_table_is_said_in_its_own_words(text, kernel, complaint) -> None:
    with pytest.raises(NcuError, match=complaint):
        read_metrics(text, kernel)


def test_counters_are_compared_by_the_metrics_names() -> None:
    ours = dict.fromkeys(METRICS, 0) | {"global_load_requests": 1128}
    assert compare("map", ours, _RAW)["outcome"] == "ok"
    assert compare("map", ours, _LONG)["compared"] == 1
    made = compare("map", ours | {"global_load_requests": 1100}, _RAW)
    assert (made["outcome"], made["agree"], made["compared"]) == ("differs", 1, 2)
    assert made["why"] == "global_load_requests: 1100 here, 1128 there"
    assert compare("map", ours, "==ERROR== ERR_NVGPUCTRPERM")["outcome"] == "skipped"
    assert compare("map", ours, "")["outcome"] == "failed"


@pytest.mark.cuda
def test_the_twelve_kernels_have_the_patterns_they_say() -> None:
    if not cuda.is_emulated():
        pytest.skip("counters are the emulator's")

    def sectors(name: str, what: str) -> float:
        counted = our_counters(name)
        return counted[f"global_{what}_sectors"] / counted[f"global_{what}_requests"]

    assert sectors("map", "load") == 4
    assert sectors("every_second", "load") == 8
    assert sectors("copy_float4", "store") == 16
    assert sectors("transpose_naive", "store") == 32
    assert sectors("gather", "load") == 32
    assert sectors("shifted", "load") > 4.9
    assert our_counters("transpose_tile")["shared_bank_conflicts"] == 31 * 128
    assert our_counters("transpose_padded")["shared_bank_conflicts"] == 0
    assert our_counters("local_array")["local_store_requests"] > 0


# Compute Sanitizer.


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "silent"),
        (
            "========= COMPUTE-SANITIZER\n"
            "========= Invalid __global__ read of size 4 bytes\n"
            "=========     at k+0x130 in /minitorch/module.cu:14\n"
            "=========     by thread (3,0,0) in block (1,0,0)\n"
            "=========     Access at 0x7f2b00000400 is out of bounds\n"
            "=========     and is 1 bytes after the nearest allocation\n"
            "=========     Saved host backtrace up to driver entry point\n"
            "=========         Host Frame: main in app.cu:99 [0x1754] in app\n"
            "=========\n"
            "========= Program hit CUDA_ERROR_ILLEGAL_ADDRESS (error 700) due to "
            '"an illegal memory access was encountered" on CUDA API call to cuCtx.\n'
            "========= ERROR SUMMARY: 2 errors\n",
            "Invalid __global__ read; Program hit CUDA_ERROR_ILLEGAL_ADDRESS (error "
            "700) (line 14)",
        ),
        (
            "========= COMPUTE-SANITIZER\n"
            "========= Error: Race reported between Write access at k(float *)+0x50 in "
            "module.cu:5\n"
            "=========     and Read access at k(float *)+0x90 in module.cu:7 [248]\n"
            "=========\n"
            "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
            "Race reported between Write (line 5, 7)",
        ),
        (
            "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
            "silent",
        ),
        (
            "========= Uninitialized __global__ memory read of size 4 bytes\n"
            "=========     at k+0x88 in module.cu:3\n"
            "========= ERROR SUMMARY: 30 errors\n",
            "Uninitialized __global__ memory read (line 3)",
        ),
        (
            "========= Barrier error detected. Divergent thread(s) in block.\n"
            "=========     at k+0x2c8 in module.cu:9\n"
            "========= ERROR SUMMARY: 1 error\n",
            "Barrier error detected. Divergent thread(s) in block (line 9)",
        ),
        ("said: right values\n", "no summary"),
        ("", "no summary"),
    ],
)
def test_verdicts_of_the_sanitizer(text: str, shown: str) -> None:
    assert str(read_report(text)) == shown
