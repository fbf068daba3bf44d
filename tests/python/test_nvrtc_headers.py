"""Tests of the headers that go with an NVRTC: PyTorch's wheels beside a toolkit."""

from __future__ import annotations

import pytest

from minitorch.cuda.device import nvrtc


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """NVRTC 12 as PyTorch brings it, and CUDA_HOME with a toolkit of 12.4."""
    library = tmp_path / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
    for folder in (library.parent, tmp_path / "nvidia" / "cuda_runtime" / "include"):
        folder.mkdir(parents=True)
    library.touch()
    toolkit = tmp_path / "toolkit" / "include"
    (toolkit / "crt").mkdir(parents=True)
    (toolkit / "cuda.h").write_text("#define CUDA_VERSION 12040\n")
    monkeypatch.setenv("CUDA_HOME", str(toolkit.parent))
    return library


def _toolkit_is_used(library):
    root = library.parents[3]
    own = str(root / "nvidia" / "cuda_runtime" / "include")
    folders = nvrtc._header_folders(library)
    assert folders.index(own) == 0
    return str(root / "toolkit" / "include") in folders


def test_a_toolkit_has_the_headers_that_pytorchs_wheels_lack(wheel):
    assert _toolkit_is_used(wheel)


def test_a_toolkit_of_another_major_version_is_not_mixed_in(wheel):
    toolkit = wheel.parents[3] / "toolkit" / "include" / "cuda.h"
    toolkit.write_text("#define CUDA_VERSION 13000\n")
    assert not _toolkit_is_used(wheel)


def test_whole_wheels_need_no_toolkit(wheel):
    (wheel.parents[2] / "cuda_runtime" / "include" / "crt").mkdir()
    assert not _toolkit_is_used(wheel)
