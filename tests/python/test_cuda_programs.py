"""Programs in CUDA C++ as courses have them, compiled by nvcc, run and checked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from minitorch.__main__ import main
from minitorch.tools import nvcc, runtime_findings

from .nvcc_marks import needs_nvcc
from .source_tree import ROOT

PROGRAMS = ROOT / "tests/cudart/programs"
OPTIONS = {"rdc_main": ("-rdc=true", str(PROGRAMS / "rdc_device.cu"))}

# Each has `#ifdef FAULT`, and a comment at the line where it must be found.
COURSES = (
    *("tiled_product", "reduction", "histogram", "streams", "managed_list", "scan"),
    *("stencil", "cooperative", "rdc_main", "pitched", "graph_nodes"),
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


def minitorch(
    cache: Path, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MINITORCH_CUDA": "emulator", **variables}
    environment["MINITORCH_CACHE_DIR"] = str(cache)
    return subprocess.run(
        [sys.executable, "-m", "minitorch", *words],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=ROOT,
        env=environment,
    )


def check_right(cache: Path, name: str, *options: str) -> None:
    words = [*options, *OPTIONS.get(name, ()), str(PROGRAMS / f"{name}.cu")]
    process = minitorch(cache, "check", "--json", *words)
    assert process.returncode == 0, process.stdout + process.stderr
    report = json.loads(process.stdout)
    assert report["findings"] == []
    assert report["absent"] == {}
    assert "right" in process.stderr


def check_faulty(cache: Path, name: str, *options: str) -> None:
    words = [*options, *OPTIONS.get(name, ()), "-DFAULT", str(PROGRAMS / f"{name}.cu")]
    process = minitorch(cache, "check", "--json", *words)
    assert process.returncode == 1, process.stderr
    found = {
        (row["kind"], Path(row["file"]).name, row["line"])
        for row in json.loads(process.stdout)["findings"]
    }
    planted = {
        (mark[1], path.name, number)
        for path in (PROGRAMS / f"{name}.cu", *map(Path, OPTIONS.get(name, ())[1:]))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (mark := re.search(r"// fault: (\w+)", line))
    }
    assert len(planted) == 1
    assert planted <= found


@needs_nvcc
def test_vector_add_is_right_and_its_fault_has_kind_line_and_name(cache):
    check_right(cache, "vector_add")
    check_faulty(cache, "vector_add")
    program = str(PROGRAMS / "vector_add.cu")
    process = minitorch(cache, "check", "-DFAULT", program)
    assert process.returncode == 1
    assert "    | sum[i] = x[i] + y[i];  // fault: oob_global" in process.stdout
    assert "`d_x` (allocated at vector_add.cu:" in process.stdout
    process = minitorch(cache, "run", program)
    assert process.returncode == 0
    assert process.stdout == "right, 1\n"
    assert "the emulator saw 1 launch, 0 findings." in process.stderr


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("name", COURSES)
def test_course_programs(cache, name):
    check_right(cache, name)
    check_faulty(cache, name)


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("options", [("-O3",), ("-G",)])
@pytest.mark.parametrize("name", ["vector_add", *COURSES])
def test_course_programs_with_other_options(cache, name, options):
    check_right(cache, name, *options)
    check_faulty(cache, name, *options)


@needs_nvcc
@pytest.mark.slow
def test_streams_with_a_default_stream_for_each_thread(cache):
    check_right(cache, "streams", "--default-stream", "per-thread")


@needs_nvcc
@pytest.mark.slow
def test_thrust(cache):
    check_right(cache, "thrust_sort")


@needs_nvcc
def test_errors_resets_and_absent_functions(cache):
    process = minitorch(cache, "run", str(PROGRAMS / "errors.cu"))
    assert process.stdout == "right\n", process.stdout + process.stderr
    process = minitorch(cache, "check", str(PROGRAMS / "absent.cu"))
    assert process.returncode == 1
    assert process.stdout == "went on\n"
    said = "[cudart] cudaCreateTextureObject was called, which"
    assert process.stderr.count(said) == 1
    assert "cudaCreateTextureObject (2 times)" in process.stderr


@needs_nvcc
@pytest.mark.slow
def test_findings_of_the_host_code_can_be_ignored(cache):
    words = ("-DFAULT", str(PROGRAMS / "managed_list.cu"))
    process = minitorch(cache, "check", *words)
    assert process.returncode == 1
    assert "`node` (16 bytes) was not freed." in process.stdout
    process = minitorch(cache, "check", "--ignore", "memory_not_freed", *words)
    assert process.returncode == 0


@needs_nvcc
@pytest.mark.slow
def test_a_program_is_built_again_only_if_something_changed(tmp_path, cache):
    folder = tmp_path / "with spaces"
    folder.mkdir()
    (folder / "number.h").write_text("constexpr int kNumber = 1;\n")
    source = folder / "my program.cu"
    source.write_text(
        '#include <cstdio>\n#include <unistd.h>\n#include "number.h"\n'
        "__global__ void nothing() {}\n"
        "int main(int n, char** words) {\n"
        "  nothing<<<1, 2048>>>();\n"
        '  std::printf("%d %s\\n", kNumber, words[1]);\n'
        "  std::fflush(stdout);\n"
        "  _exit(0);\n"
        "}\n"
    )
    programs = cache / "programs"
    before = set(programs.glob("*")) if programs.exists() else set()
    process = minitorch(cache, "check", str(source), "word")
    assert process.stdout.startswith("1 word\n")
    assert "the launch of `nothing` failed with cudaErrorInvalid" in process.stdout
    assert f"{source}:6" in process.stdout  # an early end loses nothing
    built = set(programs.glob("*")) - before
    process = minitorch(cache, "run", str(source), "--", "--other")
    assert process.stdout == "1 --other\n"
    assert set(programs.glob("*")) - before == built
    (folder / "number.h").write_text("constexpr int kNumber = 2;\n")
    assert minitorch(cache, "run", str(source), "x").stdout == "2 x\n"


@needs_nvcc
@pytest.mark.slow
def test_machine_code_of_another_card_and_wrong_source(tmp_path, cache):
    program = str(PROGRAMS / "absent.cu")
    (tmp_path / "other.cu").write_text(
        "__global__ void nothing() {}\n"
        "int main() { nothing<<<1, 1>>>(); return cudaGetLastError(); }\n"
    )
    process = minitorch(cache, "run", "-arch=sm_86", str(tmp_path / "other.cu"))
    assert process.returncode == 209
    assert "arch=compute_75,code=compute_75" in process.stderr
    (tmp_path / "wrong.cu").write_text("int main() { return x; }\n")
    process = minitorch(cache, "check", str(tmp_path / "wrong.cu"))
    assert process.returncode == 2
    assert "does not compile" in process.stderr.splitlines()[-1]
    process = minitorch(cache, "check", program, "-cudart", "static")
    assert process.returncode != 0
    assert "nvcc -cudart shared" in process.stderr


SLOW_NVCC = """#!/bin/sh
case "$*" in
*--version*) echo "release 13.0, V13.0.1"; exit ;;
esac
for word in "$@"; do
  [ "$before" = -o ] && target=$word
  [ "$word" = -M ] && echo "a.o : $SOURCE" && exit
  before=$word
done
# Until another one compiles, too, for ten seconds at most.
echo $$ >> "$COMPILING"
for i in $(seq 100); do
  [ $(wc -l < "$COMPILING") -ge 2 ] && break
  sleep 0.1
done
cp "$SOURCE" "$target"; chmod +x "$target"
"""


def test_two_builds_of_one_file_at_once_give_one_program(tmp_path, monkeypatch):
    compiler, source = tmp_path / "nvcc", tmp_path / "a.cu"
    compiler.write_text(SLOW_NVCC)
    compiler.chmod(0o755)
    source.write_text("#!/bin/sh\necho right\n")
    compiling = tmp_path / "compiling"
    compiling.touch()
    monkeypatch.setenv("COMPILING", str(compiling))
    monkeypatch.setenv("SOURCE", str(source))
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter((compiler,)))
    monkeypatch.setattr(nvcc, "_check_host_compiler", lambda options: None)
    words = nvcc.parse_words([str(source)])

    def build() -> Path:
        return nvcc.build(words, [], [], "75", tmp_path)

    with ThreadPoolExecutor() as threads:
        builds = [threads.submit(build) for _ in range(2)]
        first, second = (each.result() for each in builds)
    assert first == second == build()  # which is in the cache
    assert len(compiling.read_text().split()) == 2
    assert subprocess.check_output([first], text=True) == "right\n"
    assert list((tmp_path / "programs").iterdir()) == [first.parent]


def fake_nvcc(folder: Path, release: str) -> Path:
    path = folder / "nvcc"
    path.write_text(f"#!/bin/sh\necho 'release {release}, V{release}.1'\n")
    path.chmod(0o755)
    return path


def test_no_nvcc_or_a_wrong_one_is_one_sentence(tmp_path, monkeypatch, capsys):
    source = tmp_path / "a.cu"
    source.write_text("int main() {}\n")
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter(()))
    assert main(["check", str(source)]) == 2
    error = capsys.readouterr().err
    assert (
        "[nvcc] nvcc was not found; need version 13. Get it with: pip install" in error
    )
    old = fake_nvcc(tmp_path, "12.4")
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter((old,)))
    assert main(["check", str(source)]) == 2
    assert f"[nvcc] got nvcc 12.4 ({old}); need 13." in capsys.readouterr().err


def test_no_host_compiler_is_one_sentence(tmp_path, monkeypatch):
    new = fake_nvcc(tmp_path, "13.1")
    monkeypatch.setattr(nvcc, "_candidates", lambda: iter((new,)))
    monkeypatch.delenv("NVCC_CCBIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    source = tmp_path / "a.cu"
    source.write_text("int main() {}\n")
    words = nvcc.parse_words([str(source)])
    with pytest.raises(nvcc.BuildError, match=r"g\+\+ is not on PATH"):
        nvcc.build(words, [], [], "75", tmp_path)


def test_a_missing_file_is_one_sentence(tmp_path):
    words = nvcc.parse_words([str(tmp_path / "no.cu")])
    with pytest.raises(nvcc.BuildError, match=r"no\.cu' does not exist"):
        nvcc.build(words, [], [], "75", tmp_path)


def test_parameters_and_variables_are_read_from_the_source(tmp_path):
    source = tmp_path / "a.cu"
    source.write_text(
        "template <typename T>\n"
        "__global__ void __launch_bounds__(256)\n"
        "scale(const std::pair<int, T>* in,  // read\n"
        "      T *__restrict__ out, float factors[4], int n) {}\n"
        "  CHECK(cudaMalloc((void**)&device.values, 4));\n"
        "  cudaMallocManaged(\n    &other, 4);\n"
    )
    parameters = runtime_findings.kernel_parameters(source.read_text(), "scale")
    assert [name for name, _ in parameters] == ["in", "out", "factors", "n"]
    position = runtime_findings.Position
    assert runtime_findings.variable_of(position(str(source), 5)) == "device.values"
    assert runtime_findings.variable_of(position(str(source), 6)) == "other"
    assert runtime_findings.variable_of(position()) == ""


def test_an_array_is_called_by_its_parameter_and_its_variable(tmp_path):
    source = tmp_path / "a.cu"
    source.write_text(
        "__global__ void add(float* x, float* y) {}\n"
        "auto error = cudaMalloc(&d_y, 8);\n"
    )
    finding = {
        "kernel": "add",
        "file": str(source),
        "text": "write, just past the end of 'cudaMalloc #2' (8 bytes): thread",
        "allocation": {"label": "cudaMalloc #2", "parameter": 1},
    }
    row = {
        "label": "cudaMalloc #2",
        "position": runtime_findings.Position(str(source), 2),
    }
    runtime_findings.name_arrays(finding, [row])
    assert finding["text"] == (
        "write, just past the end of `y`, argument 2 of `add`: `d_y` "
        "(allocated at a.cu:2, 8 bytes): thread"
    )


def test_a_toolkits_function_gives_its_callers_line():
    header = {"file": "/toolkit/include/atomics.hpp", "line": 112}
    finding = {
        "file": "",
        "line": 0,
        "text": "atomic of 4 bytes: thread (0,0,0)",
        "inlined_from": [header, {"file": "/home/a.cu", "line": 14}],
    }
    runtime_findings.use_program_lines(finding)
    assert (finding["file"], finding["line"]) == ("/home/a.cu", 14)
    assert finding["text"] == "atomic of 4 bytes: thread (0,0,0)"
    calls = [{"file": "/home/a.cu", "line": 14}]
    finding = {**header, "text": f"{header['file']}:112", "inlined_from": calls}
    runtime_findings.use_program_lines(finding)
    assert finding["text"] == "/home/a.cu:14"
