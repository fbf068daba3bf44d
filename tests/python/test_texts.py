"""The tests of texts that are not plain: accents, cuts, bytes that are no UTF-8.

Whatever a kernel, a file or PTX says, the finding arrives.
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

PUT = "__global__ void put(int* x, int i) {{ {body} }}\n"


def run(kernel, *arguments):
    kernel((1,), (1,), arguments)
    cuda.synchronize()


def fault_of(module, index=0, name="put"):
    x = cuda.to_device(np.zeros(1, np.int32))
    kernel = module.get_function(name)
    with pytest.raises(cuda.KernelError) as caught:
        run(kernel, x, index)
    return caught.value


def asserting(text):
    return cuda.RawModule(
        code="#include <cassert>\n" + PUT.format(body=f'assert(i == 1 && "{text}");')
    )


class TestCuts:
    @pytest.mark.parametrize("character", ["é", "€", "😀"])
    @pytest.mark.parametrize("before", range(4))
    def test_between_characters(self, character, before):
        error = fault_of(asserting("x" * before + character * 200))
        assert error.kind == "assert"
        detail = error.finding.detail
        assert character * 40 in detail
        assert "\ufffd" not in detail
        assert 250 < len(detail.encode()) < 256

    def test_of_long_file_names(self, tmp_path):
        folder = tmp_path
        for _ in range(4):
            folder = folder / ("é" * 60)
        for before in range(2):
            (place := folder / ("x" * before)).mkdir(parents=True, exist_ok=True)
            (place / "put.cu").write_text(PUT.format(body="x[i] = 1;"))
            module = cuda.RawModule(path=place / "put.cu")
            error = fault_of(module, 5)
            assert error.kind == "oob_global"
            assert str(place).startswith(error.file)
            assert len(error.file) > 100

    def test_of_kernel_names(self):
        name = "k" * 300
        code = PUT.format(body="x[i] = 1;").replace("put", name)
        error = fault_of(cuda.RawModule(code=code), 9, name)
        assert error.kernel == "k" * 255


class TestFileNames:
    @pytest.mark.parametrize("name", ["josé", "你好", 'quo"te', "back\\slash", "tab\t"])
    def test_are_those_of_the_disk(self, name, tmp_path):
        (file := tmp_path / f"{name}.cu").write_text(PUT.format(body="x[i] = 1;"))
        error = fault_of(cuda.RawModule(path=file), 5)
        assert error.file == str(file)
        assert error.line == 1
        assert f"{name}.cu:1" in str(error)


class TestBytes:
    def test_of_an_assertion(self):
        error = fault_of(asserting(r"caf\xe9"))
        assert error.kind == "assert"
        assert "caf" in str(error)

    def test_of_printf(self, capfdbinary):
        module = cuda.RawModule(
            code=PUT.format(body=r'printf("%c%s\x80%d\n", 0xff, "caf\xe9", i);')
        )
        run(module.get_function("put"), None, 7)
        assert b"\xffcaf\xe9\x807\n" in capfdbinary.readouterr().out

    def test_of_ptx(self, tmp_path):
        module = cuda.RawModule(code=PUT.format(body="x[i] = 1;"))
        file = tmp_path / "put.ptx"
        text = module.ptx.replace("module.cu", "caf\xe9.cu").encode("latin-1")
        file.write_bytes(b"// \xff\xfe\n" + text)
        from_ptx = cuda.RawModule(path=file)
        assert "\ufffd" in from_ptx.ptx
        error = fault_of(from_ptx, 5)
        assert error.kind == "oob_global"
        assert error.file.endswith("caf\ufffd.cu")

    def test_of_refused_ptx(self, tmp_path):
        (file := tmp_path / "put.ptx").write_bytes(b".version 8.0\n.caf\xe9\n")
        with pytest.raises(cuda.PtxError):
            cuda.RawModule(path=file)

    def test_of_headers(self, tmp_path):
        (tmp_path / "latin.h").write_bytes(b"#error caf\xe9\n")
        with pytest.raises(cuda.CompileError) as caught:
            cuda.RawModule(code='#include "latin.h"\n', options=(f"-I{tmp_path}",))
        assert "caf" in str(caught.value)
        assert "caf" in caught.value.diagnostics[0].message
        assert "caf" in caught.value.log

    def test_of_warnings(self, tmp_path):
        (tmp_path / "latin.h").write_bytes(b"#warning caf\xe9\n")
        code = '#include "latin.h"\n' + PUT.format(body="x[i] = 1;")
        with pytest.warns(cuda.KernelWarning, match="caf"):
            cuda.RawModule(code=code, options=(f"-I{tmp_path}",))

    def test_of_launch_sites(self):
        module = cuda.RawModule(code=PUT.format(body="x[i] = 1;"))
        names = {
            "put": module.get_function("put"),
            "x": cuda.to_device(np.zeros(1, np.int32)),
        }
        exec(compile("put((1,), (1,), (x, 5))", "caf\udce9.py", "exec"), names)
        with pytest.raises(cuda.KernelError) as caught:
            cuda.synchronize()
        assert caught.value.kind == "oob_global"
        assert caught.value.launch_site == "caf?.py:1"
