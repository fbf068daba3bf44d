"""Compare random CUDA C++ kernels: NVRTC's optimised build, its `-G` build, and g++.

Every kernel is a list of phases separated by block barriers. g++ runs a phase for one
thread after another, so its results come neither from NVRTC nor from the emulator.
Kernels are free of races and of undefined behaviour by construction. A kernel whose
results differ, or that has a finding, is sorted:

- `undefined source`: g++'s UndefinedBehaviorSanitizer reports it; mend the generator;
- `ours`: a finding, or results that depend on the instruction set, or a `-G` build that
  differs from g++;
- `compiler`: only the optimised build differs, alike in all instruction sets. Read its
  PTX before you believe it.

    python tests/fuzz/fuzz_source.py --seed 1 --count 1000
    python tests/fuzz/fuzz_source.py --seed 77 --count 1 --show
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

CELLS = 8  # of `out` for each thread
INPUTS = 64
TYPES = {
    "int": ("a", "b", "c"),
    "unsigned": ("u", "v"),
    "long long": ("l",),
    "unsigned long long": ("w",),
    "short": ("h",),
    "unsigned char": ("y",),
}
VARIABLES = {name: kind for kind, names in TYPES.items() for name in names}
ATOMICS = ("atomicAdd", "atomicMax", "atomicMin", "atomicXor", "atomicOr")
INSTRUCTION_SETS = ("portable", "avx2", "avx512")

HOST_HEAD = """
template <class T> static void atomicAdd(T* p, T v) { *p = T(0u + *p + v); }
template <class T> static void atomicMax(T* p, T v) { if (v > *p) *p = v; }
template <class T> static void atomicMin(T* p, T v) { if (v < *p) *p = v; }
template <class T> static void atomicXor(T* p, T v) { *p ^= v; }
template <class T> static void atomicOr(T* p, T v) { *p |= v; }
"""


@dataclass
class Program:
    """One random kernel `k<seed>`, as CUDA C++ and as C++ for the host."""

    seed: int
    blocks: int = 1
    threads: int = 32
    phases: list[str] = field(default_factory=list)
    drawn: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """Name of the kernel, and of the host function with `_host` behind it."""
        return f"k{self.seed}"

    @property
    def inputs(self) -> np.ndarray:
        """The numbers in `in`; zeros and negative ones are frequent."""
        draw = np.random.default_rng(self.seed)
        wide = draw.integers(-(2**31), 2**31, INPUTS)
        return np.where(wide % 3 == 0, wide, wide % 9 - 4).astype(np.int32)

    @property
    def shared(self) -> str:
        """Declarations of the shared arrays."""
        return (
            f"  {{0}} int s[{self.threads}];\n  {{0}} unsigned bins[8];\n"
            f"  {{0}} long long ring[3][{self.threads}];\n"
        )

    def cuda(self) -> str:
        """CUDA C++ as a learner writes it: local variables and barriers."""
        barrier = "  __syncthreads();\n"
        return (
            f'extern "C" __global__ void {self.name}(const int* in, '
            "long long* out) {\n"
            + self.shared.format("__shared__")
            + "  int t = threadIdx.x, block = blockIdx.x;\n"
            + "".join(f"  {kind} {name} = 0;\n" for name, kind in VARIABLES.items())
            + "  int own[4] = {};\n"
            + barrier.join(self.phases)
            + "}\n"
        )

    def host(self) -> str:
        """The same phases as C++: a function each, called for one thread at a time."""
        fields = "".join(f"{kind} {name}; " for name, kind in VARIABLES.items())
        names = "".join(f"auto& {name} = x.{name}; " for name in [*VARIABLES, "own"])
        text = f"namespace n{self.seed} {{\nstruct State {{ {fields}int own[4]; }};\n"
        text += self.shared.format("static")
        for number, phase in enumerate(self.phases):
            text += (
                f"static void phase{number}(State& x, int t, int block, const int* in, "
                f"long long* out) {{ {names}\n{phase}}}\n"
            )
        text += (
            f'}}\nextern "C" void {self.name}_host(const int* in, long long* out) {{\n'
            f"  using namespace n{self.seed};\n"
            f"  for (int block = 0; block < {self.blocks}; ++block) {{\n"
            f"    State x[{self.threads}] = {{}};\n"
        )
        for number in range(len(self.phases)):
            text += (
                f"    for (int t = 0; t < {self.threads}; ++t) "
                f"phase{number}(x[t], t, block, in, out);\n"
            )
        return text + "  }\n}\n"


class Generator:
    """Draw a `Program` from a seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.loops = 0
        self.program = Program(
            seed, self.draw.choice([1, 1, 2]), self.draw.choice([32, 32, 33, 64, 96])
        )
        count = self.draw.choice([2, 2, 3, 4])
        for number in range(count):
            self.program.phases.append(self.phase(number, number == count - 1))
        self.note("barriers", count - 1)

    def note(self, feature: str, count: int = 1) -> None:
        self.program.drawn[feature] += count

    def one_in(self, number: int) -> bool:
        return self.draw.randrange(number) == 0

    def phase(self, number: int, last: bool) -> str:
        """Statements between two barriers; shared arrays have one use in each phase."""
        self.atomic = self.draw.choice(ATOMICS)
        self.column = self.draw.choice(["t", "TOP - t", "TOP - t"])
        self.column = self.column.replace("TOP", str(self.program.threads - 1))
        if number == 0:
            self.use = {"s": "own", "bins": "none", "ring": "own"}
            text = "  a = in[t & 63]; u = in[(t + 7) & 63]; l = in[(63 - t) & 63];\n"
            text += "  b = in[block]; c = in[5];\n"
            text += f"  s[{self.column}] = a; if (t < 8) bins[t] = 0;\n"
            text += f"  for (int r = 0; r < 3; ++r) ring[r][{self.column}] = r - t;\n"
        else:
            text = ""
            self.use = {
                "s": self.draw.choice(["own", "read", "atomic"]),
                "bins": self.draw.choice(["read", "atomic", "atomic"]),
                "ring": self.draw.choice(["own", "own", "read"]),
            }
        for _ in range(self.draw.choice([2, 3, 4, 5])):
            text += self.statement("  ", 2)
        if last:
            for cell, name in enumerate(["a", "u", "l", "w", "h"]):
                text += f"  out[{self.cell(str(cell))}] = {name};\n"
        return text

    def cell(self, index: str) -> str:
        return f"(block * {self.program.threads} + t) * {CELLS} + {index}"

    def statement(self, indent: str, depth: int) -> str:
        kinds = ["assign"] * 4 + ["own", "shared", "shared", "guarded_division"]
        if depth:
            kinds += ["branch", "branch", "loop", "loop", "choice"]
        return getattr(self, self.draw.choice(kinds))(indent, depth)

    def block(self, indent: str, depth: int) -> str:
        lines = (self.statement(indent + "  ", depth - 1) for _ in range(2))
        return "{\n" + "".join(lines) + indent + "}"

    def assign(self, indent: str, depth: int) -> str:
        name = self.draw.choice(list(VARIABLES))
        return f"{indent}{name} = ({VARIABLES[name]})({self.expression(2)});\n"

    def own(self, indent: str, depth: int) -> str:
        self.note("local arrays")
        return f"{indent}own[{self.expression(1)} & 3] = (int)({self.expression(2)});\n"

    def shared(self, indent: str, depth: int) -> str:
        self.note("shared memory")
        array = self.draw.choice(["s", "bins", "ring"])
        use = self.use[array]
        if use == "atomic":
            self.note("atomics")
            size = 8 if array == "bins" else self.program.threads
            kind = "unsigned" if array == "bins" else "int"
            place = f"(unsigned)({self.expression(1)}) % {size}u"
            function = self.atomic  # one: add and xor do not commute
            return (
                f"{indent}{function}(&{array}[{place}], ({kind})({self.number()}));\n"
            )
        if use == "none" or (use == "read" and array == "bins"):
            return f"{indent}u += bins[(unsigned)u % 8u];\n" if use == "read" else ""
        if use == "read":
            return f"{indent}l = l ^ (long long)({self.shared_read(array)});\n"
        self.note("negative bases", "-" in self.column)
        place = f"s[{self.column}]"
        if array == "ring":
            place = f"ring[(unsigned)({self.expression(1)}) % 3u][{self.column}]"
        kind = "long long" if array == "ring" else "int"
        return f"{indent}{place} = ({kind})({self.expression(2)});\n"

    def shared_read(self, array: str) -> str:
        size = self.program.threads
        place = self.draw.choice(
            [f"(t + {self.draw.randrange(64)}) % {size}", f"{size - 1} - t", "0", "t"]
        )
        if self.use[array] == "own":
            place = self.column
        self.note("negative bases", "- t" in place)
        if array == "ring":
            return f"ring[(unsigned)({self.variable()}) % 3u][{place}]"
        return f"s[{place}]"

    def guarded_division(self, indent: str, depth: int) -> str:
        self.note("guarded divisions")
        x, y = self.draw.choice(
            [("a", "b"), ("b", "c"), ("u", "v"), ("l", "l"), ("c", "b")]
        )
        sign = self.draw.choice("/%")
        one = "" if x == "u" else f" || {y} == -1"
        return f"{indent}{x} = {y} == 0{one} ? 7 : {x} {sign} {y};\n"

    def branch(self, indent: str, depth: int) -> str:
        self.note("divergence")
        text = f"{indent}if ({self.condition()}) {self.block(indent, depth)}"
        if self.one_in(2):
            text += f" else {self.block(indent, depth)}"
        return text + "\n"

    def choice(self, indent: str, depth: int) -> str:
        self.note("divergence")
        text = f"{indent}switch ((int)({self.expression(1)}) & 3) {{\n"
        for case in range(self.draw.choice([2, 3])):
            text += f"{indent}  case {case}: {self.block(indent + '  ', depth)}"
            text += "\n" if self.one_in(4) else " break;\n"
        return text + f"{indent}  default: {self.assign('', 0)}{indent}}}\n"

    def loop(self, indent: str, depth: int) -> str:
        self.note("loops")
        self.loops += 1
        i = f"i{self.loops}"
        bound = self.draw.choice(["3", "7", "(a & 7)", "(int)(u & 15)", "(t & 3) + 1"])
        head = (
            f"for (int {i} = 0, n{self.loops} = {bound}; {i} < n{self.loops}; ++{i}) "
        )
        if self.one_in(3):
            head = f"{indent}#pragma unroll 1\n{indent}" + head
        else:
            head = indent + head
        # The first one times 6 wraps; NVRTC may widen it (docs/checks.md).
        factor = self.draw.choice(["0x26b3817fu"] + 9 * ["3u", "0x80000001u", "17u"])
        cell = self.cell(f"5 + {i} % 3")
        body = self.draw.choice(
            [
                f"out[{cell}] = (int)({factor} * (unsigned){i});",
                f"out[{cell}] = {self.expression(1)};",
                f"l += (int)({factor} * (unsigned){i} + u);",
                f"own[{i} & 3] += (int)({i} ^ t);",
                f"ring[{i} % 3][{self.column}] += {i};"
                if self.use["ring"] == "own"
                else f"w = w * 31u + {i};",
                f"c = b == 0 ? 7 : (b == -1 ? 1 : a % b) + ({i} & 1);",
                f"if ({self.condition()}) {self.draw.choice(['break', 'continue'])};",
            ]
        )
        nested = self.block(indent + "  ", depth)
        return f"{head}{{\n{indent}  {body}\n{indent}  {nested}\n{indent}}}\n"

    def condition(self) -> str:
        sign = self.draw.choice(["<", ">", "==", "!=", "<=", ">="])
        left = self.draw.choice(["t", "(t & 3)", "(int)(u & 7)", self.variable()])
        return f"(long long)({left}) {sign} (long long)({self.number()})"

    def variable(self) -> str:
        return self.draw.choice(list(VARIABLES))

    def number(self) -> str:
        names = ["t", "block", "0x7fffffff"]
        return str(self.draw.choice([0, 1, -1, 3, 7, 16, 31, 255, -100, 12345, *names]))

    def expression(self, depth: int) -> str:
        """An integer expression without undefined behaviour in C++17."""
        if depth == 0 or self.one_in(4):
            leaf = self.draw.randrange(6)
            if leaf == 0:
                return self.number()
            if leaf == 1:
                return f"own[{self.draw.choice(['t', 'a', 'u', '1'])} & 3]"
            if leaf == 2:
                return f"in[(t * {self.draw.choice([1, 3, -1])} + 64) & 63]"
            readable = [x for x in ("s", "ring") if self.use[x] in ("own", "read")]
            if leaf == 3 and readable:
                return self.shared_read(self.draw.choice(readable))
            return self.variable()
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        wide = self.draw.choice(["unsigned", "unsigned", "unsigned long long"])
        back = "int" if wide == "unsigned" else "long long"
        kind = self.draw.randrange(8)
        if kind < 3:
            return f"({back})(({wide})({left}) {'+-*'[kind]} ({wide})({right}))"
        if kind == 3:
            return f"(({left}) {self.draw.choice('&|^')} ({right}))"
        if kind == 4:
            return (
                f"(({wide})({left}) {self.draw.choice(['<<', '>>'])} (({right}) & 31))"
            )
        if kind == 5:
            return f"(({self.condition()}) ? ({left}) : ({right}))"
        if kind == 6:
            narrow = self.draw.choice(list(TYPES))
            return f"({narrow})({left})"
        return f"(({wide})({left}) / ((({wide})({right}) & 255) | 1))"


def compile_host(programs: list[Program], folder: Path, *options: str) -> Path:
    """Compile the host side of `programs` into a shared library; return its path."""
    source, library = folder / "host.cpp", folder / f"host{programs[0].seed}.so"
    source.write_text(HOST_HEAD + "".join(program.host() for program in programs))
    command = ["g++", "-std=c++17", "-O1", "-w", "-shared", "-fPIC", *options]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    return library


def host_result(library: Path, program: Program) -> np.ndarray:
    """What g++'s build of `program` writes to `out`."""
    out = np.zeros(program.blocks * program.threads * CELLS, np.int64)
    function = getattr(ctypes.CDLL(str(library)), f"{program.name}_host")
    function(
        ctypes.c_void_p(program.inputs.ctypes.data), ctypes.c_void_p(out.ctypes.data)
    )
    return out


def device_results(programs: list[Program], *options: str) -> list[np.ndarray | str]:
    """What the emulator or GPU writes to `out` for each program, or its finding."""
    from minitorch import cuda

    code = "".join(program.cuda() for program in programs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cuda.KernelWarning)  # of variables never used
        module = cuda.RawModule(code=code, options=("-std=c++17", *options))
    results: list[np.ndarray | str] = []
    for program in programs:
        out = cuda.to_device(
            np.zeros(program.blocks * program.threads * CELLS, np.int64)
        )
        numbers = cuda.to_device(program.inputs)
        try:
            kernel = module.get_function(program.name)
            kernel((program.blocks,), (program.threads,), (numbers, out))
            results.append(out.copy_to_host())
        except cuda.KernelError as error:
            results.append(str(error))
    return results


def alike(result: np.ndarray | str, expected: np.ndarray) -> bool:
    return not isinstance(result, str) and np.array_equal(result, expected)


def has_undefined_behaviour(program: Program, folder: Path) -> bool:
    """Does UndefinedBehaviorSanitizer stop the host side of `program`?"""
    library = compile_host(
        [program], folder, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"
    )
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # it would print the trap that is looked for
        host_result(library, program)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def sort_difference(
    program: Program,
    expected: np.ndarray,
    optimised: np.ndarray | str,
    debug: np.ndarray | str,
    folder: Path,
) -> str:
    """Return whose fault a difference is: `undefined source`, `ours` or `compiler`."""
    if has_undefined_behaviour(program, folder):
        return "undefined source"
    if isinstance(optimised, str) or not alike(debug, expected):
        return "ours"
    for name in INSTRUCTION_SETS:
        command = [sys.executable, __file__, "--seed", str(program.seed)]
        environment = {**os.environ, "MINITORCH_ISA": name}
        answer = subprocess.run(
            [*command, "--optimised"], capture_output=True, text=True, env=environment
        )
        if answer.stdout.split() != [str(cell) for cell in optimised]:
            return "ours"
    return "compiler"


def compare(seeds: range, batch: int) -> tuple[Counter[str], Counter[str]]:
    """Run the kernels of `seeds`, `batch` in a module, and print those that differ.

    Returns:
        How many kernels draw each feature, and how many are sorted as what.
    """
    drawn: Counter[str] = Counter()
    sorted_as: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for start in range(seeds.start, seeds.stop, batch):
            some = seeds[start - seeds.start :][:batch]
            programs = [Generator(seed).program for seed in some]
            library = compile_host(programs, folder)
            optimised = device_results(programs)
            debug = device_results(programs, "-G")
            for program, fast, slow in zip(programs, optimised, debug, strict=True):
                drawn += Counter(dict.fromkeys(+program.drawn, 1))
                expected = host_result(library, program)
                if alike(fast, expected) and alike(slow, expected):
                    sorted_as["right"] += 1
                    continue
                kind = sort_difference(program, expected, fast, slow, folder)
                sorted_as[kind] += 1
                print(f"seed {program.seed}: {kind}", flush=True)
                for build, result in (("optimised", fast), ("-G", slow)):
                    if isinstance(result, str):
                        print(f"  {build}: {result}")
            library.unlink()
    return drawn, sorted_as


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--batch", type=int, default=50, help="kernels of one module")
    parser.add_argument("--show", action="store_true", help="print the first kernel")
    parser.add_argument("--optimised", action="store_true", help="print its results")
    arguments = parser.parse_args()
    first, end = arguments.seed, arguments.seed + arguments.count
    if arguments.show:
        print(Generator(first).program.cuda())
    if arguments.optimised:
        result = device_results([Generator(first).program])[0]
        print(*(result if not isinstance(result, str) else [result]))
        return 0
    drawn, sorted_as = compare(range(first, end), arguments.batch)
    print("drawn in:", dict(drawn.most_common()))
    print("sorted:", dict(sorted_as.most_common()))
    return 1 if sorted_as["ours"] else 0


if __name__ == "__main__":
    sys.exit(main())
