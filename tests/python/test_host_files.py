"""The tests that a kernel's text shows nothing of the host's files, and that its
findings name lines of its own.
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

SECRET = "s3cret t0ken"
PUT = 'extern "C" __global__ void put(int* x, int i) { x[i] = 1; }\n'


def refused(code, **options):
    with pytest.raises(cuda.CompileError) as caught:
        cuda.RawModule(code=code, **options)
    return caught.value


def everything(error):
    parts = [str(error), error.log]
    for each in error.diagnostics:
        parts += [str(each), each.message, each.source_line]
    return "\n".join(parts)


@pytest.fixture
def secret(tmp_path):
    (file := tmp_path / "outside" / "secret").parent.mkdir()
    file.write_text(SECRET + "\n")
    return file


class TestCompileErrors:
    @pytest.mark.parametrize(
        "include",
        [
            '#include "{file}"',
            '#define WHERE "{file}"\n#include WHERE',
            '#line 1 "mine.h"\n#include "{file}"',
            'asm(\n#include "{file}"\n);',
        ],
    )
    def test_quote_no_host_file(self, include, secret):
        error = refused(include.format(file=secret) + "\n" + PUT)
        for word in SECRET.split():
            assert word not in everything(error)
        assert str(secret) in error.log
        assert "secret(1)" in str(error)
        assert "-I" in str(error)

    def test_quote_no_file_behind_a_link(self, secret, tmp_path):
        (own := tmp_path / "own").mkdir()
        (own / "link.h").symlink_to(secret)
        error = refused('#include "link.h"\n' + PUT, options=(f"-I{own}",))
        assert "s3cret" not in everything(error)

    def test_quote_the_toolkits_headers(self):
        error = refused(
            "#include <cuda_fp16.h>\n"
            "__device__ __half f(__half h) { return __hadd(h); }\n" + PUT
        )
        notes = [each for each in error.diagnostics if "cuda_fp16" in each.file]
        assert all("__hadd" in each.source_line for each in notes)
        assert notes


class TestLines:
    def fault(self, code, name="put"):
        kernel = cuda.RawModule(code=code).get_function(name)
        kernel((1,), (1,), (cuda.to_device(np.zeros(1, np.int32)), 5))
        with pytest.raises(cuda.KernelError) as caught:
            cuda.synchronize()
        return caught.value

    @pytest.mark.parametrize(
        "directive",
        [
            '#line 50 "/etc/passwd"',
            '#define PLACE 50 "/etc/passwd"\n#line PLACE',
            '/* */ # /* */ line 50 "/etc/passwd"',
            '#line 50 "/minitorch/../etc/passwd"',
        ],
    )
    def test_are_not_those_of_another_file(self, directive):
        error = self.fault(f"{directive}\n{PUT}")
        assert error.file == "/minitorch/user/module.cu"
        assert error.line == directive.count("\n") + 2

    @pytest.mark.parametrize(
        "text",
        [
            r'"// end inline asm\n.loc 1 99 1\n// begin inline asm"',
            'R"(// end inline asm\n.loc 1 99 1\n// begin inline asm)"',
            r'"// begin inline asm\n"',
        ],
    )
    def test_marks_of_the_compiler_are_refused(self, text):
        code = f'extern "C" __global__ void put(int* x) {{\n asm volatile({text}); }}\n'
        error = refused(code)
        assert "inline asm" in str(error)
        assert error.diagnostics[0].line == 2

    def test_local_memory_beside_assembly_is_no_mark(self):
        # The slow road of sinf has an array in local memory: .local, and not .loc.
        read = 'asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); x[1] += lane;'
        code = (
            'extern "C" __global__ void put(float* x) {\n'
            f"  unsigned lane; {read} {read} x[0] = sinf(x[0]);\n}}\n"
        )
        x = cuda.to_device(np.array([1e6, 5], np.float32))
        cuda.RawKernel(code, "put")[1, 1](x)
        assert x.copy_to_host() == pytest.approx([np.sin(1e6), 5], rel=1e-6)
