"""Holds what assignment.toml may say, and what is told of each slip in it."""

from __future__ import annotations

import re

import pytest

from minitorch_grading.errors import AssignmentError
from minitorch_grading.rubric.assignment import Limits, read_assignment


def test_tiny_is_read_whole(tiny):
    assignment = read_assignment(tiny)
    assert (assignment.name, assignment.package) == ("tiny", "minitorch")
    assert assignment.limits == Limits(seconds=20.0)
    assert [task.sees for task in assignment.tasks] == ["nothing", "cuda", "cuda"]
    assert assignment.task_of("1.2-map").file == "minitorch/cuda_ops.py"
    assert assignment.max_score == 1 + 2 + 1 + 4 + 2  # without the extra row


def test_rows_of_a_kernel_are_its_stages(tiny):
    rows = {row.id: row for row in read_assignment(tiny / "assignment.toml").rows}
    stages = [(name, row.stage, row.points) for name, row in rows.items() if row.stage]
    assert stages == [
        ("1.2-map.values", "values", 2),
        ("1.2-map.clean", "clean", 1),
        ("1.2-map.cost", "cost", 1),
        ("1.3-scale.values", "values", 1),
        ("1.3-scale.clean", "clean", 1),
    ]
    assert rows["1.2-map.cost"].title == "map, any size: cost"
    assert rows["1.2-map.cost"].hidden
    assert rows["1.3-words"].manual
    assert rows["1.3-words"].extra


def test_a_name_that_is_not_there_has_its_neighbour(tiny):
    assignment = read_assignment(tiny)
    with pytest.raises(AssignmentError, match=r"1\.2-mpa.*Did you mean '1\.2-map'\?"):
        assignment.item("1.2-mpa")
    with pytest.raises(AssignmentError, match=r"got the task '9'; need one of 1\.1"):
        assignment.task("9")


# A change of the file, and what must be said: the file, the key, what is needed.
SLIPS = [
    ('schema = "minitorch/assignment/1"\n', "", "missing required field `schema`"),
    ("assignment/1", "assignment/2", "schema: Invalid .*'minitorch/assignment/2'"),
    ('package = "minitorch"', 'packge = "x"', "unknown field `packge`"),
    ('name = "tiny"', 'name = "ti ny"', "name: Expected `str` matching"),
    ("seconds = 20", 'seconds = "20"', r"limits\.seconds: Expected `float`, got `str`"),
    ("seconds = 20", "seconds = -1", r"limits\.seconds: Expected `float` >= 0.1"),
    ("seconds = 20", "seconds = nan", r"limits\.seconds: Expected"),
    ("seconds = 20", f"seconds = 1{400 * '0'}", r"limits\.seconds: Number out of"),
    ("points = 2\nhidden", f"points = 1{400 * '0'}\nhidden", "`int` <= 1000000"),
    ("seconds = 20", "second = 20", "limits: Object contains unknown field `second`"),
    ("kernels/scale.cu", "../scale.cu", r"files: got '\.\./scale\.cu'"),
    ("kernels/scale.cu", "/scale.cu", r"files: got '/scale\.cu'"),
    ("kernels/scale.cu", "scale.so", r"files: got 'scale\.so'"),
    ('file = "kernels/scale.cu"', 'file = "kernels/x.cu"', r"1\.3: .*is not in files"),
    ('sees = "cuda"', 'sees = "cude"', r"\[\[task\]\] 1\.2: sees: Invalid .* 'cude'"),
    ('task = "1.1"', 'task = "1.11"', r"got the task '1\.11'.*mean '1\.1'"),
    ("points = 2\nhidden", "hidden", r"1\.1-secret: .*missing required field `points`"),
    ("points = 2\nhidden", "points = true\nhidden", "points.*got `bool`"),
    ("points = 2\nhidden", "points = -2\nhidden", "points.*`int` >= 0"),
    ("cost = 1 }", "costs = 1 }", r"1\.2-map: points: Invalid .* 'costs'"),
    ("{ values = 2, clean", "{ clean", r"1\.2-map: points without those of values"),
    ("manual = true\n", "manual = true\nhidden = true\n", "cannot be hidden"),
    ('id = "1.1-secret"', 'id = "1.1-clip"', r"item id '1\.1-clip' is used twice"),
    (
        'id = "1.1-secret"',
        'id = "1.2-map.cost"',
        r"row id '1\.2-map\.cost' is used twice",
    ),
    ('title = "clip"', "title = 5", r"\[\[task\]\] 1\.1: title: Expected `str`"),
    ("manual = true", 'manual = "yes"', "manual: Expected `bool`, got `str`"),
    ("[limits]", "[limits", "not valid TOML"),
    ("points = 10\n", "points = 11\n", "points = 11, but the rows .* up to 10"),
    ("points = 10\n", 'points = "10"\n', "points: Expected .*got `str`"),
]


@pytest.mark.parametrize(("old", "new", "said"), SLIPS)
def test_a_slip_is_named(tiny_copy, old, new, said):
    path = tiny_copy / "assignment.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(AssignmentError) as caught:
        read_assignment(tiny_copy)
    assert str(caught.value).startswith("[tiny/assignment.toml]")
    assert re.search(said, str(caught.value)), caught.value


def test_files_that_are_no_rubric(tmp_path):
    with pytest.raises(AssignmentError, match=r"cannot read .*need the folder"):
        read_assignment(tmp_path)
    (tmp_path / "assignment.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(AssignmentError, match="not valid UTF-8 at byte 9"):
        read_assignment(tmp_path)


def test_each_task_is_worth_something(tiny_copy):
    path = tiny_copy / "assignment.toml"
    text = path.read_text().replace('task = "1.3"', 'task = "1.2"')
    path.write_text(text)
    with pytest.raises(AssignmentError, match=r"1\.3: no \[\[item\]\] has"):
        read_assignment(tiny_copy)
