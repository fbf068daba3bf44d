"""Tests of what `cuda.checks` and MINITORCH_CHECKS switch on, kind by kind."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .processes import printed_by

pytestmark = pytest.mark.cuda

# One wrong kernel for each kind that "full" adds; 64 threads, x has 64 ints.
WRONG = {
    "race_shared": """__global__ void k(int* x) {
      __shared__ int s[64];
      s[threadIdx.x] = x[threadIdx.x];
      x[threadIdx.x] = s[63 - threadIdx.x];
    }""",
    "race_global": """__global__ void k(int* x) {
      x[63 - threadIdx.x] = x[threadIdx.x] + 1;
    }""",
    "uninit_shared": """__global__ void k(int* x) {
      __shared__ int s[64];
      if (threadIdx.x > 0) s[threadIdx.x] = 1;
      __syncthreads();
      x[threadIdx.x] = s[threadIdx.x];
    }""",
    "uninit_register": """__global__ void k(int* x) {
      int last;
      for (int i = 0; i < x[threadIdx.x]; i++) last = i;
      x[threadIdx.x] = last;
    }""",
    "uninit_global": """__global__ void k(int* x) {
      x[threadIdx.x] = x[threadIdx.x + 64];
    }""",
}


def run_wrong(kind):
    kernel = cuda.RawKernel(WRONG[kind], "k")
    x = cuda.device_array(128, "int32")
    cuda.RawKernel("__global__ void zero(int* x) { x[threadIdx.x] = 0; }", "zero")(
        1, 64, (x,)
    )
    kernel(1, 64, (x,))
    try:
        cuda.synchronize()
    except cuda.KernelError:
        return [each for each in cuda.last_findings() if each.severity == "error"]
    return []


@pytest.mark.parametrize("kind", WRONG)
def test_full_finds_it(kind):
    with cuda.checks("full"):
        found = run_wrong(kind)
    assert kind in {each.kind for each in found}


@pytest.mark.parametrize("kind", WRONG)
def test_memory_leaves_it_out(kind):
    with cuda.checks("memory"):
        assert run_wrong(kind) == []


def test_a_race_names_both_threads_and_what_is_missing():
    kernel = cuda.RawKernel(WRONG["race_shared"], "k")
    with cuda.inspect() as run:
        kernel(1, 64, (cuda.to_device(np.zeros(64, np.int32)),))
    races = [each for each in run.findings if each.kind == "race_shared"]
    assert {race.line for race in races} | {race.other.line for race in races} == {3, 4}
    race = races[0]
    assert race.thread != race.other.thread
    finding = race.finding
    assert {finding.access, finding.other_access} == {"read", "write"}
    assert finding.element.endswith(" of 's'")
    assert finding.remedy == "BlockBarrier"
    assert "'s' (256 bytes): thread (" in race.message
    assert "writes it at k.cu:3" in race.message
    assert "reads it at k.cu:4" in race.message
    assert "__sync" in race.message


@pytest.mark.parametrize("level", ["full", "memory"])
def test_the_variable_sets_the_start(level):
    code = (
        "from tests.python.test_check_levels import run_wrong\n"
        "print(len(run_wrong('race_shared')) > 0)"
    )
    assert printed_by(code, MINITORCH_CHECKS=level).split() == [str(level == "full")]
