"""Running a kernel case and saying whether what was reported is right."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace

import numpy as np

from minitorch import _core, cuda

from .case import expected_value, initial_values, needs_filling

_CANARY = """
extern "C" __global__ void canary(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * i + 1;
}
"""
_CANARY_SIZE = 100


@dataclass(frozen=True)
class Report:
    """One thing said about a case; `lines` are those of its sites."""

    kind: str
    severity: str
    lines: tuple[int, ...]
    text: str = field(repr=False)


@dataclass(frozen=True)
class Verdict:
    """What became of a case. `kind_found` and `line_found` are about wrong cases;
    `unnamed` are texts that do not name the line of their finding.
    """

    passed: bool
    why: str
    kind_found: bool = False
    line_found: bool = False
    unnamed: tuple[str, ...] = ()


def _options(case):
    """The case's own options; the architecture is that of the device."""
    options = case.fields["nvrtc_options"]
    return tuple(each for each in options if not each.startswith("--gpu-arch"))


def compile_case(case):
    """Compile a case; a refusal is a report. Warnings come with the module."""
    expressions = (case.entry,) if "<" in case.entry else ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cuda.KernelWarning)
            return cuda.RawModule(
                code=case.source,
                options=_options(case),
                name_expressions=expressions,
            )
    except cuda.CompileError as error:
        lines = tuple(each.line for each in error.diagnostics)
        return Report("compile_error", "error", lines, str(error))
    except cuda.PtxError as error:
        return Report("compile_error", "error", (), str(error))


def _lines(site):
    return (site.line,) if site and site.line else ()


def _found(finding):
    lines = _lines(finding.site) + _lines(finding.other)
    return Report(finding.kind, finding.severity, lines, finding.message)


def _argument(argument, value):
    if value is None or argument["kind"] == "scalar":
        return value
    if needs_filling(argument):
        array = cuda.to_device(value)
    else:
        array = cuda.device_array(value.shape, value.dtype)
    if argument.get("freed"):
        array.free()
    return array


def _launch(case, module, values):
    """Run to the end; the device buffer to check, or None."""
    fields = case.fields
    arrays = {
        each["name"]: _argument(each, values[each["name"]]) for each in fields["args"]
    }
    kernel = module.get_function(case.entry)
    smem = fields.get("smem") or 0
    kernel(fields["grid"], fields["block"], tuple(arrays.values()), shared_mem=smem)
    cuda.synchronize()
    check = fields.get("check")
    return arrays[check["arg"]] if check and not check.get("skip") else None


def _wrong_value(case, array, values):
    check = case.fields["check"]
    got, want = array.copy_to_host(), expected_value(check, values)
    if check.get("sort"):
        got, want = np.sort(got), np.sort(want)
    if got.dtype.kind == "f":
        same = np.allclose(got, want, rtol=1e-4, atol=1e-5, equal_nan=True)
    else:
        same = np.array_equal(got, want)
    return "" if same else f"'{check['arg']}' holds {got[:8]}..., need {want[:8]}..."


def observe(case, module):
    """Run a compiled case.

    Returns:
        What was said; and what its buffer holds wrong, "" when it is right or not
        known after an error.
    """
    if isinstance(module, Report):
        return [module], ""
    values = initial_values(case)
    cuda.synchronize()
    _core.clear_findings()
    reports = [
        Report("compile_warning", "warning", (each.line,), each.message)
        for each in module.warnings
    ]
    array, fault = None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cuda.KernelWarning)
            array = _launch(case, module, values)
    except cuda.LaunchError as error:
        reports.append(Report(error.kind, "error", (), str(error)))
    except cuda.KernelError as error:
        fault = error
    reports += [_found(finding) for finding in cuda.last_findings()]
    errors = any(report.severity == "error" for report in reports)
    if fault is not None and not errors:  # a GPU's: it is not among the findings
        return [*reports, Report(fault.kind, "error", (), str(fault))], ""
    wrong = _wrong_value(case, array, values) if array and not errors else ""
    return reports, wrong


def run_case(case, module):
    """Run a compiled case and judge what was said and what its buffer holds."""
    reports, wrong = observe(case, module)
    unnamed = [
        each.text
        for each in reports
        if not each.kind.startswith("compile_")
        and each.lines
        and f":{each.lines[0]}" not in each.text
    ]
    return replace(_judge(case, reports, wrong), unnamed=tuple(unnamed))


def _judge(case, reports, wrong):
    told = "; ".join(f"{each.kind} {list(each.lines)} {each.text}" for each in reports)
    if case.expect == "ok":
        allowed = {*case.accept, "compile_warning"}
        unwanted = [
            each
            for each in reports
            if each.kind not in allowed or each.severity == "error"
        ]
        return Verdict(not unwanted and not wrong, told if unwanted else wrong)
    right_kind = [report for report in reports if report.kind in case.kinds]
    right_line = [
        report
        for report in right_kind
        if not case.lines or set(report.lines) & set(case.lines)
    ]
    silent = "ok" in case.accept and not reports and not wrong
    return Verdict(
        passed=bool(right_line) or silent,
        why=f"need {sorted(case.kinds)} at {case.lines}, got: {told or 'silence'}",
        kind_found=bool(right_kind) or silent,
        line_found=bool(right_line) or silent,
    )


def next_launch_is_right():
    """Whether a plain kernel runs as if nothing had happened before."""
    out = cuda.device_array(_CANARY_SIZE, np.int32)
    cuda.RawKernel(_CANARY, "canary")(2, 64, (out, _CANARY_SIZE))
    return bool(np.array_equal(out.copy_to_host(), 3 * np.arange(_CANARY_SIZE) + 1))
