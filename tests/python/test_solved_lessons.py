"""Tests of lessons that a reader has solved: all is right, pictures show what is said.

The last of them trains a network; it must be the reader's kernels that train it.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
from dataclasses import dataclass
from typing import Any
from unittest import mock

import pytest

from minitorch import cuda, explain, viz, zeros
from minitorch.learn import lessons as course

from .course_answers import ANSWERS
from .course_functions import FUNCTIONS
from .course_solutions import SOLUTIONS as KERNELS
from .course_tensors import FUSED, TENSOR_FUNCTIONS
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

SOLUTIONS = KERNELS | FUNCTIONS | TENSOR_FUNCTIONS

PICTURES = {
    "00_start": [
        "Thread 5 writes out[5].",
        "Thread 8 fails as it writes out[8]: out has only 8 cells.",
    ],
    "01_threads_blocks_grid": [
        "Thread 0 reads a[0, 0], and writes out[0, 0].",
        "Step 8 of 9: warp 0 runs line 11 with its one thread.",
        "Thread 2 reads a[0, 2], and writes out[0, 2].",
        "Thread (2, 1) reads a[1, 2], and writes out[1, 2].",
        "Thread (1, 0, 1) writes out[1, 0, 1].",
        "Thread (2, 1) writes out[1, 2].",
        "Step 4 of 6: warp 0 runs line 6 with all 4 threads.",
        "Thread (2, 1) of block (0, 2) writes out[7, 2].",
        "Thread (2, 1) of block (0, 2) reads a[7, 2], and writes out[7, 2].",
        "All 12 threads of warp 0 go the same way.",
        "Thread (3, 0) of block (0, 0) fails as it reads a[0, 3]: a is 8 × 3.",
        "Thread (3, 1) of block (0, 2) touches no cell.",
        "Warp 0 runs line 8 with 6 of 12 threads; the other 6 are off.",
    ],
    "04_shared_memory_and_barriers": [
        "Step 4 of 10: warp 0 reaches the barrier on line 6 with all 32 threads. "
        "Warp 1 has not started.",
        "Step 9 of 10: warp 1 runs line 7 with all 32 threads. Warp 0 has just run "
        "line 6.",
        "Step 4 of 10: warp 0 runs line 5 with all 32 threads. Warp 1 has not started.",
        "Thread 31 may read tile[32] before thread 32 has written it.",
    ],
    "14_train_a_network_with_your_kernels": [
        "6 steps made this value from 4 leaves; each of them gets a gradient.",
        "Thread (0, 0) reads row 0 of a and column 0 of b, and fails as it reads "
        "a[0, 4]: a is 3 × 4.",
    ],
    "16_who_computes_a_neuron": [
        "Kernel 1 of 5, matmul_tiled of layer1 matmul, has 4 blocks: 78 of 82 SMs stay "
        "idle.",
        "layer1[37, 3] is summed by thread (3, 5) of block (0, 2): lane 19 of warp 2, "
        "on SM 2.",
    ],
}


def solved(cell, right):
    """The cell with what a reader fills in, where it checks one of these exercises."""
    tree = ast.parse(cell)
    for call in [each for each in ast.walk(tree) if isinstance(each, ast.Call)]:
        if ast.unparse(call.func) != "course.check":
            continue
        name, answer = call.args[0].value, call.args[1].id
        if name not in right:
            continue
        if name in ANSWERS:
            cell = cell.replace(f"{answer} = None", f"{answer} = {ANSWERS[name]!r}")
            continue
        (kernel,) = (each for each in tree.body if getattr(each, "name", "") == answer)
        lines = cell.splitlines()
        solution = inspect.getsource(SOLUTIONS[name])
        own = solution.replace(f"def {SOLUTIONS[name].__name__}(", f"def {answer}(", 1)
        own = f"@fuse\n{own}" if name in FUSED else own
        lines[kernel.lineno - 1 : kernel.end_lineno] = [own]
        cell = "\n".join(lines)
    return cell


@dataclass
class Done:
    """A lesson that ran.

    Attributes:
        names: What it leaves.
        said: What was said of each exercise.
        pictures: The answers on top of its pictures.
    """

    names: dict[str, Any]
    said: dict[str, Any]
    pictures: list[str]


@mock.patch.dict(os.environ)
def run(lesson, folder, right=course.EXERCISES):
    """Run a lesson with all exercises solved, or with some."""
    if lesson.startswith("14"):  # which installs it otherwise
        pytest.importorskip("sklearn", reason="scikit-learn has the digits")
    text = (ROOT / "notebooks" / f"{lesson}.ipynb").read_text("utf-8")
    install, *cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    assert "%pip install" in "".join(install["source"])
    done = Done({"__name__": "__main__"}, {}, [])

    def check(name, answer):
        done.said[name] = course.check(name, answer)
        return done.said[name]

    done.names["told"] = check
    for number, each in enumerate(cells):
        # A real file, so that inspect finds the source of kernels.
        place = folder / f"cell_{number}.py"
        text = solved("".join(each["source"]), right).replace("course.check(", "told(")
        place.write_text(text, "utf-8")
        tree = ast.parse(text)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(place), "exec"), done.names)
        if last:
            value = ast.Expression(last.value)
            shown = eval(compile(value, str(place), "eval"), done.names)
            if isinstance(shown, viz.Figure):
                done.pictures.append(shown.answer)
    return done


@pytest.mark.parametrize("lesson", PICTURES)
def test_a_solved_lesson_has_all_right_and_its_pictures_tell_what_the_text_says(
    lesson, tmp_path
):
    if not cuda.is_emulated():
        pytest.skip("looks at threads, which only the emulator tells")
    done = run(lesson, tmp_path)
    assert [each for each in done.said.values() if not each] == []
    own = [name for name in course.EXERCISES if name.startswith(lesson[:2])]
    assert list(done.said) == own
    assert done.pictures == PICTURES[lesson]
    if lesson.startswith("14"):
        the_kernels_trained_the_network(done)


def the_kernels_trained_the_network(done):
    """Of each of 440 steps, every product and every backward pass but the loss's."""
    steps, test = 20 * (1437 // 64), 1
    assert len(done.names["losses"]) == steps
    assert done.names["launches"] == {
        "relu": steps + test,
        "relu_back": steps,
        "matmul": 2 * (steps + test),
        "matmul_back_a": 2 * steps,
        "matmul_back_b": 2 * steps,
        "bias_back": 2 * steps,
    }
    first, last = done.names["losses"][:22], done.names["losses"][-22:]
    assert sum(last) < sum(first) / 10
    assert done.names["accuracy"] > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("right", [(), ("14.1", "14.4")])
def test_what_is_not_solved_stays_out_of_the_network(right, tmp_path):
    if not cuda.is_emulated():
        pytest.skip("looks at threads, which only the emulator tells")
    done = run("14_train_a_network_with_your_kernels", tmp_path, right)
    own = {"14.1": "relu", "14.4": "matmul_back_a"}
    assert set(done.names["launches"]) == {own[each] for each in right}
    assert done.names["accuracy"] > 0.95


def solved_on_the_emulator(lesson, folder):
    """The names that a solved lesson leaves, all of whose exercises are right."""
    if not cuda.is_emulated():
        pytest.skip("profiles count only on the emulator, and its queues are slow")
    done = run(lesson, folder)
    assert [each for each in done.said.values() if not each] == []
    own = [name for name in course.EXERCISES if name.startswith(lesson[:2])]
    assert list(done.said) == own
    return done.names


def counts_of(prof):
    return {row.key: row.count for row in prof.key_averages()}


def test_the_lesson_of_a_neuron_counts_what_its_text_says(tmp_path):
    names = solved_on_the_emulator("16_who_computes_a_neuron", tmp_path)
    product, sums = names["product"], names["sums"]
    asked, touched = product.moved.asked.read, product.moved.touched.read
    assert (asked, touched) == (132 * 32, 36 * 32)
    assert (product.macs_useful, product.macs_executed) == (256, 8192)
    assert (sums.block[:2], sums.thread[:2], sums.warp, sums.lane) == (
        (0, 2), (3, 5), ANSWERS["16.1"], 19,
    )  # fmt: skip
    assert len(sums.macs) == 32
    assert sums.recompute() == sums.value


@pytest.mark.parametrize("sizes", [(64, 32, 8), (1, 8, 1), (17, 16, 1), (5, 100, 40)])
def test_the_solution_counts_multiply_adds_as_the_emulator_does(sizes):
    if not cuda.is_emulated():
        pytest.skip("a GPU does not count")
    rows, inner, columns = sizes
    a, b = zeros(rows, inner, dtype="float32"), zeros(inner, columns, dtype="float32")
    (kernel,) = explain(lambda a, b: a @ b, a, b).kernels
    assert kernel.macs_executed == FUNCTIONS["16.4"](*sizes)


def test_the_lesson_of_layers_counts_what_its_text_says(tmp_path):
    names = solved_on_the_emulator("17_kernels_behind_a_layer", tmp_path)
    table = names["table"]
    assert "nn.Module: Linear (layer1)" in table
    assert "Self CUDA time total:" in table
    macs = {row.key: row.counters.get("macs", 0) for row in names["rows"]}
    assert macs["nn.Module: Linear (layer1)"] == 32_768
    assert macs["nn.Module: Linear (layer2)"] == 16_384
    both = counts_of(names["both"])
    assert both["matmul_tiled (matmul_tiled.cu)"] == 2 + 2 + 1
    assert both["MatmulBackward"] == 2
    assert round(names["by_kernel"], 3) == round(names["by_op"], 3)
    assert sum(row.count for row in names["device"]) == 5


def test_the_lesson_of_queues_waits_where_its_text_says(tmp_path, capsys):
    names = solved_on_the_emulator("18_launching_ahead", tmp_path)
    reasons = {
        name: {row.reason: row.count for row in names[name].waits()}
        for name in ("without", "beside", "prof")
    }
    assert set(reasons["without"]) == {"queue_full"}
    assert reasons["beside"] == {"explicit": 10}
    assert [row.count for row in names["prof"].waits()] == [10, 10]
    assert set(reasons["prof"]) == {"value"}
    assert "called a synchronizing CUDA operation" in capsys.readouterr().out


def test_the_lesson_of_graphs_launches_as_often_as_its_text_says(tmp_path):
    names = solved_on_the_emulator("19_launching_said_once", tmp_path)
    launches = names["graph"].launches
    assert counts_of(names["launched"])["cuLaunchKernel"] == 5 * launches
    assert counts_of(names["replayed"])["cuGraphLaunch"] == 5
    assert "cuLaunchKernel" not in counts_of(names["replayed"])
    assert names["cell"].numpy().tolist() == [4]
    assert names["grown"].numpy().tolist() == [4]
    assert names["moved"].numpy().tolist() == [2]


def test_the_lesson_of_an_override_counts_what_its_text_says(tmp_path):
    names = solved_on_the_emulator("20_one_more_parameter", tmp_path)
    assert len(names["norms"]) == 53
    assert len(names["learned"]) == ANSWERS["20.2"]
    assert all(name.startswith("layer1.") for name in names["learned"])
    assert names["before"].tolist() == names["same"].tolist()
    # x and y of (2, 3, 16, 16): each 192 sectors; the rest are the channels' numbers.
    kernels, sectors = names["in_the_kernel"]
    assert (kernels, sectors >= 2 * 192) == (1, True)
    assert (kernels, sectors) == names["kernels_of"](
        lambda: names["there"](names["batch"])
    )
    assert names["in_python"][0] == 4
    assert names["in_python"][1] >= sectors + 7 * 192  # 2 + 2 + 3 passes more
    assert abs(names["one"] - names["other"]).max() < 1e-5
    assert (names["there"](names["batch"]).numpy() != names["one"]).any()


def test_the_lesson_of_chains_counts_what_its_text_says(tmp_path, capsys):
    names = solved_on_the_emulator("21_what_a_chain_costs", tmp_path)
    said = capsys.readouterr().out.splitlines()
    assert sorted(said[:2]) == [
        "1 x map (map.cu): 64 sectors loaded, 64 stored",
        "1 x zip (zip.cu): 80 sectors loaded, 64 stored",
    ]
    assert said[2].endswith(": 80 sectors loaded, 64 stored")
    assert said[3] == "equal in every bit: True"
    fused = names["fuse"](names["gate"])
    assert names["kernels_back"](fused) == 1
    assert names["kernels_back"](names["gate"]) > 1
