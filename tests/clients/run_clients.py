"""The real programs of others that must run on the emulator, and how many must.

    python tests/clients/run_clients.py --client tinygrad --client triton
    python tests/clients/run_clients.py --client quick   # those that CI runs
    python tests/clients/run_clients.py --client all

makes an environment for each client, installs its packages into it, runs its program
by `minitorch emulate`, and prints a line of a table. The exit status is 1 when a client
has fewer right results than it must have. Run it by a Python that has minitorch.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
NVRTC = ("nvidia-cuda-nvrtc==13.5.37", "nvidia-cuda-runtime==13.5.37")
# A part of Numba's tests that stands for all: docs/clients.md has their results.
NUMBA_MODULES = (
    "linker",
    "context_stack",
    "streams",
    "cuda_memory",
    "cuda_ndarray",
    "events",
    "warp_ops",
    "sync",
    "sm",
    "array",
    "powi",
    "ptds",
    "vectorize",
    "operator",
)


@dataclass(frozen=True)
class Client:
    """What to install, what to run, and what must come of it.

    Args:
        packages: of PyPI, with versions; the first is the client itself.
        minimum: cases that must be right; None: all.
        program: a file beside this one, run by the client's Python on the emulator; or
            a harness (run_*.py), run by this Python, which sees to the emulator itself.
        options: words behind the program.
        variables: of its environment; {site} is the client's site-packages.
        alone: packages to install without what they depend on.
        findings: kinds that the emulator may tell of it; others are false alarms.
        environment: whose environment it shares, if not its own.
        newest_python: that the packages have wheels for.
        quick: whether CI runs it.
        needs: a program that must be there, such as nvcc.
    """

    packages: tuple[str, ...]
    program: str
    minimum: int | None = None
    options: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    alone: tuple[str, ...] = ()
    findings: frozenset[str] = frozenset()
    environment: str = ""
    newest_python: tuple[int, int] = (3, 99)
    quick: bool = True
    needs: str = ""


TINYGRAD = ("tinygrad==0.14.0", "numpy==2.4.6", *NVRTC)
NUMBA_TESTS = tuple(f"--only=test_{name}" for name in NUMBA_MODULES)
CLIENTS = {
    "c": Client(("nvidia-cuda-runtime==13.5.37",), "run_programs.py", options=("c",)),
    "cuda-core": Client(
        ("cuda-core==1.2.2", "cuda-bindings==13.5.0", "numpy==2.4.6", *NVRTC),
        "run_programs.py",
        options=("cuda.core",),
    ),
    "numba": Client(
        ("numba==0.60.0", "numpy<2.1"),
        "run_numba.py",
        minimum=220,  # of 226; some of them measure time
        options=("--cuda-home={site}/nvidia/cuda_nvcc", "--limit=120", *NUMBA_TESTS),
        alone=("nvidia-cuda-nvcc-cu12==12.4.131",),  # NVVM, which Numba 0.60 needs
        newest_python=(3, 12),
    ),
    "numba-cuda": Client(
        (
            "numba-cuda[cu13]==0.30.4",
            "pytest==9.2.0",  # this and the rest are for its tests
            "cffi==2.1.1",
            "psutil==7.2.2",
            "filecheck==1.0.6",
        ),
        "run_numba.py",
        minimum=221,  # of 227
        options=("--limit=300", *NUMBA_TESTS),
        quick=False,
    ),
    "tinygrad": Client(
        TINYGRAD,
        "tinygrad_program.py",
        variables={
            "DEV": "CUDA",
            "CACHELEVEL": "0",
            "LD_LIBRARY_PATH": "{site}/nvidia/cu13/lib",
        },
    ),
    "tinygrad-ptx": Client(
        TINYGRAD,
        "tinygrad_program.py",
        variables={"DEV": "CUDA:PTX", "CACHELEVEL": "0"},
        environment="tinygrad",
    ),
    "triton": Client(("triton==3.9.0", "numpy==2.4.6"), "triton_program.py"),
    "triton-a100": Client(
        ("triton==3.9.0", "numpy==2.4.6"),
        "triton_program.py",
        variables={"MINITORCH_EMULATED_GPU": "a100"},
        environment="triton",
    ),
    "pycuda": Client(
        ("pycuda==2026.1", "numpy==2.4.6"),
        "pycuda_program.py",
        quick=False,  # pip compiles it
        needs="nvcc",
    ),
    "taichi": Client(
        ("taichi==1.7.4", "numpy==2.4.6"), "taichi_program.py", newest_python=(3, 13)
    ),
    "drjit": Client(
        ("drjit==1.5.0", "numpy==2.4.6"),
        "drjit_program.py",
        # Its reductions leave the kernel by warps, with a barrier to come.
        findings=frozenset({"barrier_divergence"}),
    ),
    "halide": Client(("halide==21.0.0", "numpy==2.4.6"), "halide_program.py"),
}


@dataclass
class Outcome:
    """What a run told."""

    passed: int = 0
    total: int = 0
    launches: int = 0
    wrong: str = ""  # why it is not right, whatever passed
    text: str = ""

    def right(self, client):
        need = self.total if client.minimum is None else client.minimum
        return not self.wrong and self.total > 0 and self.passed >= need


def installed(name, client, root):
    """The Python of the client's environment, with its packages."""
    folder = root / (client.environment or name)
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join((*client.packages, *client.alone))
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*install, *client.packages], check=True)
    if client.alone:
        subprocess.run([*install, "--no-deps", *client.alone], check=True)
    stamp.write_text(wanted)
    return python


def site_of(python):
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    return subprocess.check_output([python, "-c", code], text=True).strip()


def run(client, python, limit):
    """Run the client's program; a hang is an outcome, too."""
    site = site_of(python)
    program, options = (
        str(HERE / client.program),
        [word.format(site=site) for word in client.options],
    )
    if client.program.startswith("run_"):
        command = [sys.executable, program, "--python", str(python), *options]
    else:
        command = [sys.executable, "-m", "minitorch", "emulate", "--", str(python)]
        command += ["-W", "ignore", program, *options]
    variables = {
        name: word.format(site=site) for name, word in client.variables.items()
    }
    with tempfile.TemporaryDirectory() as scratch:
        # What a client keeps for its next run stays out of the way of its user's.
        kept = {"TRITON_CACHE_DIR": scratch, "XDG_CACHE_HOME": scratch}
        try:
            process = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=limit,
                env={**os.environ, **kept, **variables},
            )
        except subprocess.TimeoutExpired:
            return Outcome(wrong=f"longer than {limit:.0f} s")
    outcome = counted(process.stdout, process.stderr)
    if process.returncode and not outcome.wrong:
        outcome.wrong = f"exit status {process.returncode}"
    kinds = set(
        re.findall(r"^    ([a-z_]+)(?: \(seen \d+ times\))?$", process.stderr, re.M)
    )
    if kinds - client.findings:
        outcome.wrong = f"findings: {', '.join(sorted(kinds - client.findings))}"
    return outcome


def counted(output, errors):
    """Read the lines of client_cases.py, or the sum of a harness."""
    outcome = Outcome(text=output + errors)
    outcome.launches = sum(map(int, re.findall(r"saw (\d+) launch", errors)))
    if sums := re.findall(r"^.*: (\d+) of (\d+) passed", output, re.M):
        outcome.passed, outcome.total = map(int, sums[-1])
        return outcome
    outcome.passed = len(re.findall(r"^passed ", output, re.M))
    announced = re.search(r"^cases (\d+)$", output, re.M)
    if announced is None:
        outcome.wrong = "it did not come to its first case"
    else:
        outcome.total = int(announced[1])
        # Programs that fall back to a CPU are right, too.
        if outcome.launches < outcome.total // 2:
            outcome.wrong = f"the emulator saw {outcome.launches} launches"
    return outcome


ROW = "{:13} {:26} {:>6} {:>6} {:>6} {:>6} {:>8} {:>7}  {}"


def told(name, client, root, limit):
    """Install and run a client and print its line; whether it is as it must be."""
    if sys.version_info[:2] > client.newest_python:
        print(f"{name:13} skipped: needs Python {client.newest_python} or older")
        return True
    if client.needs and not shutil.which(client.needs):
        print(f"{name:13} skipped: needs {client.needs}")
        return True
    try:
        python = installed(name, client, root)
    except subprocess.CalledProcessError as error:
        print(f"{name:13} FAILED: its packages cannot be installed: {error}")
        return False
    start = time.monotonic()
    outcome = run(client, python, limit)
    need = outcome.total if client.minimum is None else client.minimum
    counts = outcome.passed, outcome.total - outcome.passed, outcome.total, need
    seconds = f"{time.monotonic() - start:.0f} s"
    right = outcome.right(client)
    verdict = "ok" if right else f"FAILED {outcome.wrong}"
    print(
        ROW.format(
            name, client.packages[0], *counts, outcome.launches, seconds, verdict
        ),
        flush=True,
    )
    if not right:
        print(outcome.text)
    return right


def main():
    parser = argparse.ArgumentParser(description="Clients of the driver, emulated")
    parser.add_argument(
        "--client", action="append", required=True, choices=[*CLIENTS, "quick", "all"]
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build", "clients"),
        help="where the environments are made",
    )
    parser.add_argument("--limit", type=float, default=600, help="seconds for each")
    options = parser.parse_args()
    chosen = [
        name
        for name, client in CLIENTS.items()
        if name in options.client
        or "all" in options.client
        or ("quick" in options.client and client.quick)
    ]
    titles = "passed", "failed", "cases", "need", "launches", "time"
    print(ROW.format("client", "package", *titles, "").rstrip())
    outcomes = [
        told(name, CLIENTS[name], options.folder.resolve(), options.limit)
        for name in chosen
    ]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
