"""Holds what is taken of a submission: declared files alone, cleaned, without links."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import zipfile

import pytest

from minitorch_grading.rubric.assignment import read_assignment
from minitorch_grading.rubric.handed_in import FILE_BYTES, read_handed_in
from minitorch_grading.rubric.python_source import literal_assignments, syntax_error

FILES = {
    "minitorch/operators.py": b"def clip(a, b, c):\n    return a\n",
    "minitorch/cuda_ops.py": b"x = 1\n",
    "kernels/scale.cu": b"// nothing\n",
}


@pytest.fixture
def hand_in(tiny, tmp_path):
    """Writes files (by default all) into a folder and reads what counts of it."""

    def write(**changes):
        folder = tmp_path / "submission"
        shutil.rmtree(folder, ignore_errors=True)
        for name, data in (FILES | {k: v for k, v in changes.items() if v}).items():
            if changes.get(name, data) is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        return folder

    def read(folder=None, **changes):
        return read_handed_in(folder or write(**changes), read_assignment(tiny))

    read.write = write
    return read


def test_declared_files_count_and_nothing_else(hand_in):
    more = {"conftest.py": b"1/0", "minitorch/__init__.py": b"1/0", "a/b.pyc": b"x"}
    found = hand_in(**more)
    assert found.files == FILES
    assert found.gradable
    assert sorted(found.ignored) == ["a/b.pyc", "conftest.py", "minitorch/__init__.py"]
    assert found.sha256 == hand_in().sha256


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r", b"\n"])
def test_line_ends_and_bom_are_no_matter(hand_in, line_end):
    name = "minitorch/operators.py"
    data = b"\xef\xbb\xbf" + FILES[name].replace(b"\n", line_end)
    found = hand_in(**{name: data})
    assert found.files == FILES
    assert found.sha256 == hand_in().sha256


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"x = 1\n# caf\xe9\n",
            r"operators\.py:2 contains a byte that is not UTF-8 \(0xe9",
        ),
        (
            b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n",
            r":2 .* \(0xe9\); save .* and delete a line that says another coding\.",
        ),
        (b"x = 1\n\n\0", r"operators\.py:3 contains a NUL byte"),
        ("x = 1".encode("utf-16"), r"operators\.py:1 contains a NUL byte.*UTF-16"),
        (b"x" * (FILE_BYTES + 1), r"operators\.py is larger than 512 kB"),
        (b"x = 1\ndef f(:\n", r"operators\.py:2 does not compile: invalid syntax"),
        (b"(" * 100_000, r"operators\.py:1 does not compile: "),
        (b"-" * 400_000 + b"1", r"operators\.py:1 does not compile: "),
        (b"return 1\n", r"operators\.py:1 does not compile: 'return' outside function"),
        (None, r"operators\.py is not among the files handed in"),
    ],
)
def test_a_file_that_cannot_be_used_has_a_sentence(hand_in, data, said):
    found = hand_in(**{"minitorch/operators.py": data})
    assert not found.gradable
    assert set(found.broken) == {"minitorch/operators.py"}
    assert len(found.errors) == 1
    assert re.search(said, found.errors[0]), found.errors
    assert "kernels/scale.cu" in found.files


def test_a_missing_file_that_lies_elsewhere_is_told(hand_in):
    found = hand_in(**{"minitorch/operators.py": None, "operators.py": b"x = 1"})
    assert "There is operators.py." in found.errors[0]


def test_links_are_not_followed(hand_in, tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("x = 'canary'")
    folder = hand_in.write()
    (folder / "kernels/scale.cu").unlink()
    (folder / "kernels/scale.cu").symlink_to(secret)
    shutil.move(folder / "minitorch", tmp_path / "real")
    (folder / "minitorch").symlink_to(tmp_path / "real", target_is_directory=True)
    found = hand_in(folder)
    assert found.files == {}
    assert len(found.errors) == 3


def test_pipes_and_unreadable_names(hand_in):
    folder = hand_in.write(**{"kernels/scale.cu": None})
    (folder / "kernels").mkdir()
    os.mkfifo(folder / "kernels" / "scale.cu")
    (folder / b"\xff\xfe.py".decode("utf-8", "surrogateescape")).write_text("x")
    (folder / "line\nend\x1b[31m.py").write_text("x")
    found = hand_in(folder)
    assert list(found.broken) == ["kernels/scale.cu"]
    assert all(each.isprintable() for each in found.ignored)


def zipped(path, files, **attributes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes.get(name, 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, data)
    return path


@pytest.mark.parametrize("root", ["", "homework-main/"])
def test_zips(hand_in, tmp_path, root):
    path = zipped(tmp_path / "a.zip", {root + each: FILES[each] for each in FILES})
    found = hand_in(path)
    assert found.files == FILES
    assert found.sha256 == hand_in().sha256


def test_a_zip_in_a_students_folder_is_opened(hand_in, tmp_path):
    """As platforms give a class's uploads: a folder for each, a zip in it."""
    (tmp_path / "ada").mkdir()
    zipped(tmp_path / "ada" / "work.zip", FILES)
    assert hand_in(tmp_path / "ada").files == FILES
    beside = hand_in.write(**{"minitorch/operators.py": b"x = 1\n"})
    zipped(beside / "old.zip", FILES)
    assert hand_in(beside).files["minitorch/operators.py"] == b"x = 1\n"
    zipped(tmp_path / "ada" / "second.zip", FILES)  # which of the two?
    assert not hand_in(tmp_path / "ada").files


def test_a_zip_with_the_separator_of_windows(hand_in, tmp_path):
    files = {f"hw/{name}".replace("/", "\\"): FILES[name] for name in FILES}
    more = {"..\\outside.py": b"x", "\\rooted.py": b"x", "hw\\folder\\": b""}
    found = hand_in(zipped(tmp_path / "a.zip", files | more))
    assert found.files == FILES
    assert found.ignored == ()
    again = zipped(tmp_path / "b.zip", {"MINITORCH/operators.py": b"no"} | FILES)
    assert hand_in(again).files == FILES


def test_zips_with_ill_will(hand_in, tmp_path):
    name = "minitorch/operators.py"
    files = {
        **FILES,
        name: b"0" * (50 << 20),  # a small bomb
        "../outside.py": b"x",
        "/rooted.py": b"x",
        "kernels/scale.cu": b"/etc/passwd",
    }
    link = {"kernels/scale.cu": 0o120777}
    found = hand_in(zipped(tmp_path / "a.zip", files, **link))
    assert set(found.files) == {"minitorch/cuda_ops.py"}
    assert "is larger than 512 kB" in found.broken[name]
    assert "not among the files" in found.broken["kernels/scale.cu"]
    assert not (tmp_path.parent / "outside.py").exists()


def test_a_zip_of_very_many_names_is_not_read(hand_in, tmp_path):
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", *[0] * 18)
    names = (entry[:28] + b"\4\0" + entry[30:] + b"name") * 60_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 60_000, 60_000, len(names), 0, 0)
    (tmp_path / "a.zip").write_bytes(names + end)
    assert hand_in(tmp_path / "a.zip").errors == ("The zip has more than 5000 files.",)


@pytest.mark.parametrize("data", [b"", b"PK\3\4broken", b"no zip" * 100])
def test_what_is_no_zip(hand_in, tmp_path, data):
    (tmp_path / "a.zip").write_bytes(data)
    found = hand_in(tmp_path / "a.zip")
    assert "cannot be opened as a zip" in found.errors[0]
    assert set(found.broken) == set(FILES)


def test_a_zip_with_a_spoilt_member(hand_in, tmp_path):
    path = zipped(tmp_path / "a.zip", FILES)
    data = bytearray(path.read_bytes())
    data[60:64] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(data))
    assert "cannot be read" in " ".join(hand_in(path).errors)


def test_nothing_there_is_the_callers_fault(hand_in, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"\[grade\] .*does not exist"):
        hand_in(tmp_path / "nowhere")


WRITES = "%%writefile minitorch/cuda_ops.py\n"


def notebook(*cells):
    kinds = [("markdown", each[1:]) if each[0] == "#!" else each for each in cells]
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": text} for kind, text in kinds]}
    ).encode()


def test_a_notebook_may_write_whole_files(hand_in):
    book = notebook(
        ("code", "%%writefile minitorch/cuda_ops.py\nold = 1"),
        ("code", ["\n", "%%writefile minitorch/cuda_ops.py\n", "1/0"]),
        ("code", "\n%%writefile './minitorch/cuda_ops.py'\nnew = 2\n%time\n"),
        ("code", "%%writefile -a minitorch/cuda_ops.py\nmore = 3"),
        ("code", "%%writefile kernels/scale.cu\n// mine"),
        ("markdown", "%%writefile kernels/scale.cu\n// not"),
    )
    missing = {"minitorch/cuda_ops.py": None, "kernels/scale.cu": None}
    found = hand_in(**missing, **{"deep/lab.ipynb": book})
    assert found.files["kernels/scale.cu"] == b"// mine\n"
    assert found.files["minitorch/cuda_ops.py"] == b"new = 2\n%time\n"
    place = ("lab.ipynb, cell 3", 4)
    assert found.position("minitorch/cuda_ops.py", 2) == place
    assert found.position("minitorch/operators.py", 3) == ("minitorch/operators.py", 3)
    assert found.lines["lab.ipynb, cell 3"][3] == "%time"
    assert found.errors == ("lab.ipynb, cell 3:4 does not compile: invalid syntax.",)
    found = hand_in(**{"lab.ipynb": book})  # files count before cells
    assert found.files == FILES


def test_a_notebook_may_be_handed_in_alone(hand_in, tmp_path):
    cells = [("code", f"%%writefile {n}\n{text.decode()}") for n, text in FILES.items()]
    path = tmp_path / "lab (1).IPYNB"
    path.write_bytes(notebook(*cells))
    found = hand_in(path)
    assert found.gradable, found.errors
    assert found.files == FILES
    assert found.position("kernels/scale.cu", 1) == ("lab (1).IPYNB, cell 3", 2)
    path.write_bytes(b"no notebook")
    assert "is not a notebook" in hand_in(path).errors[0]


@pytest.mark.parametrize(
    ("book", "said"),
    [
        (b"{", "not a notebook"),
        (b"[" * 200_000, "not a notebook"),
        (b'{"cells": [1]}', "not a notebook"),
        (b'{"cells": [{"cell_type": "code"}]}', "not a notebook"),
        (notebook(("code", "x = 1")), "not among the files"),
        (notebook(("code", "x\n"), ("code", f"{WRITES}x = (")), "cell 2:2 does not"),
        (notebook(("code", f"{WRITES}x = '\0'")), "contains a NUL byte"),
        (notebook(("code", f"{WRITES}x = '\ud800'")), "not a notebook"),
    ],
)
def test_a_notebook_that_cannot_be_used(hand_in, book, said):
    found = hand_in(**{"minitorch/cuda_ops.py": None, "lab.ipynb": book})
    assert said in found.errors[0]


def test_literals_are_read_and_nothing_is_run():
    source = """
KINDS = {"5.1": "race_shared", "5.2": ["a", 1]}
n: int = 3
later = __import__("os").system("x")
spread = {**KINDS}
big = 10 ** 9
odd = {1: 2}
"""
    assert literal_assignments(source) == {
        "KINDS": {"5.1": "race_shared", "5.2": ["a", 1]},
        "n": 3,
    }
    assert literal_assignments("x = (") == {}


def test_syntax_errors():
    assert syntax_error("x = 1\n") is None
    assert syntax_error("if 1:\nx") == (
        2,
        "expected an indented block after 'if' statement on line 1",
    )
