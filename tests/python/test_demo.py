"""The main job: it learns, devices agree, the mistake is named, the page is whole."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda
from minitorch.__main__ import _parser

from .picture import words
from .source_tree import ROOT

pytest.importorskip("sklearn")

from demo import (
    __main__ as program,
)
from demo import (
    at_work,
    curves,
    kernel_table,
    machine,
    next_steps,
    report,
    training,
)
from demo.digits import MOST_WRONG, Reading, draw_digits

from minitorch.data import load_digits

emulated = pytest.mark.skipif(
    cuda.is_available() and not cuda.is_emulated(), reason="a GPU may not notice it"
)


@pytest.fixture(scope="module")
def digits():
    return load_digits()


@pytest.fixture(scope="module")
def trained(digits):
    trainer = training.Trainer("cpu")
    return trainer, training.train(trainer, digits, training.EPOCHS, lambda loss: None)


@pytest.fixture(scope="module")
def found(digits):
    return program.run(digits)


def conv(images, weights, bias):
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weights) + bias.reshape(1, -1, 1, 1)


def leaky_and_halved(x):
    x = np.where(x > 0, x, 0.1 * x)
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))


def read_by_numpy(trainer, images):
    """What the network reads, without minitorch."""
    state = {k: v.numpy() for k, v in trainer.network.state_dict().items()}
    x = leaky_and_halved(conv(images, state["first.weight"], state["first.bias"]))
    x = leaky_and_halved(conv(x, state["second.weight"], state["second.bias"]))
    scores = x.reshape(len(x), -1) @ state["scores.weight"].T + state["scores.bias"]
    return scores.argmax(1)


def test_it_reads_what_numpy_reads(digits, trained):
    trainer, history = trained
    read = trainer.read(digits.test_images)
    assert (read == read_by_numpy(trainer, digits.test_images)).all()
    share = float(np.mean(read == digits.test_labels))
    assert share == history.accuracy[-1] >= 0.97
    parts = trainer.network.state_dict().values()
    assert trainer.size == sum(part.numpy().size for part in parts)


@pytest.mark.cuda
def test_devices_agree(digits):
    same = training.compare_devices(digits, 5)
    # float64 on both sides; only the order of sums differs.
    assert same.loss < 1e-12
    assert same.gradient < 1e-12


@pytest.mark.cuda
def test_the_page_shows_all_misread_digits_and_one_of_each(found, digits, trained):
    trainer, _ = trained
    read = read_by_numpy(trainer, digits.test_images)
    wrong = np.flatnonzero(read != digits.test_labels)
    page = report.to_html(found, [])
    assert 0 < len(wrong) <= MOST_WRONG
    named = re.findall(r'aria-label="digit (\d), read as (\d)"', page)
    assert named == [(str(digits.test_labels[i]), str(read[i])) for i in wrong]
    said = re.findall(r"</b> read (\d), is (\d)</span>", page)
    assert said == [(is_read, label) for label, is_read in named]
    right = re.findall(r'aria-label="digit (\d), read right"', page)
    assert right == [str(each) for each in range(10)]
    total = len(read)
    score = f"{total - len(wrong)} of {total} new digits right"
    percent = 100 * np.mean(read == digits.test_labels)
    assert f"{score} ({percent:.1f} %)" in page
    assert found.alike == total
    assert f"{total} digits read, all of them as device cpu did" in page
    worse = report.Results(**{**vars(found), "alike": 300})
    assert "300 of them as device cpu did" in report.to_html(worse, [])


@pytest.mark.cuda
def test_the_kernel_at_work_filters(digits):
    image = np.rint(digits.test_images[3, 0] * 16).astype(np.int32)
    weights = np.arange(-4, 5, dtype=np.int32).reshape(3, 3)
    out = cuda.device_array((8, 8), np.int32)
    given = (cuda.to_device(image), cuda.to_device(weights))
    at_work.convolve[(2, 2), (4, 4)](*given, out)
    expected = conv(image[None, None], weights[None, None], np.zeros(1))[0, 0]
    assert (out.copy_to_host() == expected).all()
    figure = at_work.draw(image / 16, weights / 4)
    assert "reads image[0–2, 2–4] and rows 0–2 of weights" in figure.answer
    assert at_work.source().startswith("@cuda.jit\ndef convolve(image, weights, out):")


@pytest.mark.cuda
@emulated
def test_the_page_says_who_left_the_array(found):
    page = report.to_html(found, [])
    assert (
        "thread 16 of block 1 ran past the end of the array: the message names line 4"
        in page
    )
    assert re.findall(r'line wrong"><i>▲ (\d)</i>', page) == ["4"]


@pytest.mark.cuda
@emulated
def test_the_page_maps_the_network_that_was_trained(found):
    """conv 3 x 3 over 8 and 16 channels, 10 scores of 64: multiply-adds by hand."""
    useful = 8 * 8 * 8 * 9 + 16 * 4 * 4 * 8 * 9 + 64 * 10
    assert found.network is not None
    shown = words(found.network)
    assert "All 8 kernels" in shown
    assert any(each.startswith(f"{useful:,} of ") for each in shown)
    page = report.to_html(found, [])
    assert "How is the network mapped onto the GPU?" in page
    assert found.network.answer in page
    without = report.Results(**{**vars(found), "network": None})
    assert "mapped onto the GPU" not in report.to_html(without, [])


@pytest.mark.cuda
@emulated
def test_the_program_writes_one_page_and_ends_with_a_command(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert program.main() == 0
    page = (tmp_path / "demo.html").read_text("utf-8")
    assert not re.search(r'(src|href)="?(https?:)?//', page)
    assert not re.search(r"@import|url\((?!#)", page)
    assert len(page.encode()) < 800_000
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 8
    assert lines[-2].endswith((tmp_path / "demo.html").as_uri())
    assert lines[-1].endswith("minitorch lessons")
    assert len(page.split("<section>")) == 8


def refusal(capsys):
    """What the program says instead of starting: one line."""
    assert program.main() == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.cuda
def test_a_page_that_cannot_be_written_is_refused_before_the_training(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(program, "run", lambda digits: pytest.fail("it trains"))
    for page in (tmp_path, tmp_path / "missing" / "demo.html"):
        monkeypatch.setattr(program, "PAGE", page)
        said = refusal(capsys)
        assert said.startswith(f"[demo] {page} cannot be written (")
        assert "need a writable folder" in said


@pytest.mark.cuda
def test_a_full_disk_is_told_in_one_sentence_and_gets_no_half_page(
    tmp_path, monkeypatch, capsys, found
):
    """A limit of the process stands for the disk's: the same call fails in a write."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "run", lambda digits: found)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for old in (None, "old"):
        if old:
            Path("demo.html").write_text(old)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        try:
            said = refusal(capsys)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        page = tmp_path / "demo.html"
        assert said.startswith(f"[demo] {page} cannot be written (File too large); ")
        assert [each.read_text() for each in tmp_path.iterdir()] == [old] * bool(old)


@pytest.mark.cuda
def test_what_is_missing_is_named_with_its_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as without:
        without.setattr(machine, "locate", lambda: ("", []))
        assert "pip install 'minitorch-cuda[nvrtc13]'" in refusal(capsys)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "sklearn", None)
        assert 'pip install "minitorch-cuda[data]"' in refusal(capsys)
    with monkeypatch.context() as without:
        without.setattr(machine.cuda, "is_available", lambda: False)
        assert "Reinstall minitorch-cuda" in refusal(capsys)
    assert list(tmp_path.iterdir()) == []


def test_a_bad_reading_stays_short_and_a_perfect_one_shows_no_wrong_digit():
    labels = np.arange(100) % 10
    images = np.zeros((100, 8, 8))
    bad = Reading(images, labels, (labels + 1) % 10)
    assert bad.one_of_each == []
    assert bad.percent == "0.0 %"
    shown = draw_digits(bad)
    assert shown.count("<svg") == MOST_WRONG
    assert f"Misread: 100, {MOST_WRONG} of them shown" in shown
    assert "Read right" not in shown
    good = Reading(images, labels, labels)
    assert good.score == "100 of 100"
    assert "Misread" not in draw_digits(good)


def test_curves_go_through_their_numbers_and_leave_gaps():
    svg = curves.draw_loss([2.0, float("nan"), 1.0, 0.0], 2)
    path = re.findall(r'd="([^"]+)"[^>]*stroke-linejoin', svg)[0]
    points = re.findall(r"([ML])([\d.]+) ([\d.]+)", path)
    assert [kind for kind, _, _ in points] == ["M", "M", "L"]
    heights = [float(y) for _, _, y in points]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2], abs=0.2)
    assert "2.00 at first, 0.000 at last" in svg
    assert "nan" not in curves.draw_loss([float("nan")] * 3, 1).split(">", 1)[1]
    shares = curves.draw_accuracy([0.5, 1.0])
    assert shares.count("<circle") == 2
    assert "50.0 %, 100.0 %" in shares


def test_kernels_are_added_up_by_name():
    rows = [
        cuda.LaunchRow("add", "add.cu", (4, 2, 1), (16, 16, 1), 3, 0.25),
        cuda.LaunchRow("mul", "mul.cu", (1, 1, 1), (32, 1, 1), 1, 1.0),
        cuda.LaunchRow("add", "add.cu", (1, 1, 1), (7, 1, 1), 2, 0.5),
    ]
    # 4 * 2 blocks of 16 * 16 threads, three times; and 7 threads, twice.
    assert kernel_table.totals(rows) == [
        kernel_table.KernelTotal("mul", 1, 32, 1.0),
        kernel_table.KernelTotal("add", 5, 4 * 2 * 16 * 16 * 3 + 14, 0.75),
    ]
    text = kernel_table.draw_kernels(rows)
    assert "<td>4 × 2</td><td>16 × 16</td><td>3</td><td>250.0</td>" in text
    assert "57 %" in text


@pytest.mark.cuda
def test_a_gpu_that_says_nothing_is_told_as_such(found):
    silent = report.Results(**{**vars(found), "error": None})
    assert "this GPU reported nothing" in report.to_html(silent, [])
    card = machine.Machine("a processor", "NVIDIA H200", emulated=False)
    page = report.to_html(report.Results(**{**vars(found), "machine": card}), [])
    assert "the GPU (NVIDIA H200) repeated the first 45" in page
    assert "emulat" not in page.split("What does a kernel do?")[0]


def test_next_steps_are_commands_that_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(next_steps.metadata, "metadata", lambda name: _Urls(""))
    alone = [each.command for each in next_steps.next_steps()]
    assert alone == ["minitorch lessons", "minitorch doctor"]
    for command in alone:
        _, name = command.split()
        assert _parser().parse_args([name]).command == name

    for name in ("docs/index.md", "Makefile", ".venv/bin/python"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert Path(program.__file__).parents[2].joinpath("docs/index.md").is_file()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    lesson, doctor, docs = next_steps.next_steps()
    assert lesson.command == "make lessons"
    assert "\nlessons:\n\t.ci/setup lessons\n" in (ROOT / "Makefile").read_text()
    assert doctor.command == ".venv/bin/minitorch doctor"
    assert docs.command == "make docs"


class _Urls:
    """A package's metadata with one address."""

    def __init__(self, address):
        self.address = address

    def get_all(self, name):
        assert name == "Project-URL"
        return [f"Documentation, {self.address}"]


def test_the_documentation_is_named_when_its_address_is_known(monkeypatch):
    def known(address):
        monkeypatch.setattr(next_steps.metadata, "metadata", lambda _: _Urls(address))
        return next_steps.documentation()

    assert known("https://OWNER.github.io/minitorch-cuda/") == ""
    address = "https://somebody.github.io/minitorch-cuda/"
    assert known(address) == address
    assert next_steps.next_steps()[-1].address == address

    def missing(name):
        raise next_steps.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(next_steps.metadata, "metadata", missing)
    assert next_steps.documentation() == ""


def test_options_are_answered_before_anything_runs(monkeypatch, capsys):
    monkeypatch.setattr(program.machine, "require", lambda page: pytest.fail("it runs"))
    for arguments, status in ((["--help"], 0), (["--epochs", "3"], 2), (["x"], 2)):
        with pytest.raises(SystemExit) as caught:
            program.main(arguments)
        assert caught.value.code == status
        said = capsys.readouterr()
        assert "usage: python -m examples.demo" in said.out + said.err
