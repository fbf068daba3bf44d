"""The one direction of the house: who may include or import whom."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import cache

import pytest

from .source_tree import ROOT, name_of, source_files

# docs/architecture.md describes each room. A room includes only lower ranks.
CPP_RANKS = {
    "base": 0,
    "cuda_abi": 0,
    "findings": 1,
    "ptx": 1,
    "nvrtc": 1,
    "kernels": 1,
    "cpu": 2,
    "cuda_client": 2,
    "cudart": 2,
    "simt": 2,
    "array": 3,
    "libcuda": 3,
    "runtime": 4,
    "ops": 5,
    "autograd": 6,
    "bindings": 7,
}

# Folders of cpp/simt, and the rooms inside the emulator: each includes lower ones.
SIMT_RANKS = {
    "memory": 0,
    "lanes": 1,
    "observing": 2,
    "program": 3,
    "warp": 4,
    "run": 5,
    "observers": 6,
    "oracle": 6,
}

# Modules and rooms of minitorch/ from the ground up: each imports only those before it.
# Names of single modules are upstream MiniTorch's, which its programs import.
PYTHON_ORDER = [
    "_core",
    "operators",
    "autodiff",
    "datasets",
    "backends",
    "testing",
    "tensor",
    "tensor_data",
    "scalar_functions",
    "scalar",
    "cuda",
    "compat",
    "tools",
    "tensors",
    "autograd",
    "functional",
    "data",
    "tensor_ops",
    "tensor_functions",
    "fast_ops",
    "cuda_ops",
    "fast_conv",
    "upstream",
    "module",
    "nn",
    "optim",
    "models",
    "network",
    "profiler",
    "viz",
    "torch",
    "",  # minitorch/__init__.py: programs use it as a user does
    "learn",
    "minitorch_grading",
    "__main__",
]

# So many of them may be rooms, which are folders; lower it when one goes.
MOST_ROOMS = 15

# Parts of a package whose order is laid down, by the first part of a module's name
# below it: what is not named has rank 0, "" is the package itself. A part imports lower
# ranks and itself.
SUBPACKAGE_RANKS = {
    "cuda": {
        "device": 1,
        "language": 2,
        "arrays": 3,
        "compiling": 4,
        "launching": 5,
        "inspecting": 6,
        "raw": 7,
        "python_kernels": 8,
        "kernel_namespace": 9,
        "random": 9,
        "": 10,
        "numba_modules": 11,
    },
    "learn": {
        "puzzles": 0,
        "lessons": 1,
        "names": 2,
        "": 3,
    },
    "cuda.language": {
        "builtins": 1,
        "typing": 2,
        "emit": 3,
        "kernel": 4,
        "scalar_function": 4,
        "": 5,
    },
}

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/[^"]+"', re.MULTILINE)


def room_of(path):
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "cpp" else parts[0]


def cpp_sources():
    found = source_files(".h", ".cpp", ".inc", ".cu", ".cuh")
    return [path for path in found if name_of(path).startswith(("cpp/", "bindings/"))]


def test_rooms_include_only_lower_ranks():
    wrong = []
    for path in cpp_sources():
        room = room_of(path)
        for included in _INCLUDE.findall(path.read_text()):
            if included != room and CPP_RANKS[included] >= CPP_RANKS[room]:
                wrong.append(f"{name_of(path)} includes {included}/")
    assert not wrong, "\n".join(wrong)


# Modules (a header with its .cpp) that include each other in a circle. Take out what is
# untied; add nothing.
KNOTS = [
    "autograd/node autograd/region",
    "cpu/element_formulas cpu/element_rows cpu/elementwise",
    "findings/details findings/fields",
    "libcuda/streams/host_race_finding libcuda/streams/host_races "
    "libcuda/streams/memory_use",
    "nvrtc/compiler nvrtc/disk_cache nvrtc/includes nvrtc/location "
    "nvrtc/location_index nvrtc/program nvrtc/quotable",
    "ops/create ops/layout",
    "ptx/body_decoder ptx/constants ptx/declarations ptx/decode ptx/lexer ptx/parser",
    "simt/observers/races/access_history simt/observers/races/phase_orders "
    "simt/observers/races/thread_orders",
    "simt/observing/list simt/observing/observer",
    "simt/program/code simt/program/passes simt/program/values "
    "simt/program/warp_program",
    "simt/program/divisions simt/program/poison",
    "simt/warp/async_copies simt/warp/context simt/warp/findings simt/warp/mbarrier "
    "simt/warp/warp",
]


def module_graph():
    """Modules of cpp/ and those of the same room that each includes."""
    graph = defaultdict(set)
    for path in cpp_sources():
        module = path.relative_to(ROOT / path.relative_to(ROOT).parts[0])
        name, room = module.with_suffix("").as_posix(), module.parts[0]
        for included in re.findall(r'#include "([^"]+)\.\w+"', path.read_text()):
            if included.startswith(f"{room}/") and included != name:
                graph[name].add(included)
    return graph


def test_modules_of_a_room_include_without_a_circle():
    knots = {module: knot for knot in KNOTS for module in knot.split()}
    tied = defaultdict(set)
    within = defaultdict(set)
    for module, included in module_graph().items():
        for other in included:
            knot, lower = knots.get(module, module), knots.get(other, other)
            if knot == lower:
                within[module].add(other)
            else:
                tied[knot].add(lower)
    circle = find_circle(tied)
    assert not circle, " -> ".join(circle)
    untied = [module for module in knots if module not in reached(within, module)]
    assert not untied, f"no part of a circle any more: {untied}"


def reached(graph, start):
    """Return the nodes at the end of a way of at least one step from `start`."""
    found = set()
    ahead = list(graph.get(start, ()))
    while ahead:
        node = ahead.pop()
        if node not in found:
            found.add(node)
            ahead += graph.get(node, ())
    return found


_SIMT_INCLUDE = re.compile(r'#include "simt/(\w+)/(?:(\w+)/)?\w+\.(?:h|inc)"')


def test_rooms_of_the_emulator_include_only_lower_ranks():
    """The executor knows the list of observers; they do not know each other."""
    wrong = []
    found = set()
    for path in cpp_sources():
        parts = path.relative_to(ROOT).parts
        if parts[:2] != ("cpp", "simt"):
            continue
        room, own = parts[2], parts[3] if len(parts) > 4 else ""
        found.add(room)
        for included, folder in _SIMT_INCLUDE.findall(path.read_text()):
            known = included != room or folder in ("", own) or room != "observers"
            lower = SIMT_RANKS[included] < SIMT_RANKS[room] or included == room
            if not (lower and known):
                wrong.append(f"{name_of(path)} includes {included}/{folder}")
    assert not wrong, "\n".join(wrong)
    assert found == set(SIMT_RANKS)


def test_every_room_has_a_rank_and_stays_small(capsys):
    lines = Counter()
    for path in cpp_sources():
        lines[room_of(path)] += len(path.read_text().splitlines())
    with capsys.disabled():
        print()
        for room, count in sorted(lines.items(), key=lambda item: CPP_RANKS[item[0]]):
            print(f"  rank {CPP_RANKS[room]}  {room:<10} {count:>6} lines")
    assert set(lines) <= set(CPP_RANKS)


# Driver calls in which the host waits for the device. All of them stand in one file,
# where a wait says why and can be interrupted.
_WAITING = re.compile(
    r"[.>](ctx_synchronize|stream_synchronize|event_synchronize|memcpy_htod|memcpy_dtoh"
    r"|memcpy_dtod|memset_d8|memset_d16|memset_d32)\("
)
_CLIENTS = ("cuda_client", "array", "runtime", "ops", "autograd", "bindings")


def waits_in(text):
    return _WAITING.findall(text)


def test_the_host_waits_in_one_file():
    waiting = {
        name_of(path)
        for path in cpp_sources()
        if room_of(path) in _CLIENTS and waits_in(path.read_text())
    }
    assert waiting == {"cpp/runtime/stream.cpp"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api.ctx_synchronize();", ["ctx_synchronize"]),
        ("device->api().memcpy_dtoh(to, from, 4)", ["memcpy_dtoh"]),
        ("api.memcpy_dtoh_async(to, from, 4, stream)", []),
        ("void ctx_synchronize();", []),
    ],
)
def test_waits_in_itself(text, expected):
    assert waits_in(text) == expected


def module_name(path):
    """`cuda.random` for minitorch/cuda/random.py; a package has its folder's name."""
    folder = path.relative_to(ROOT).parts[0]  # minitorch or grading
    parts = list(path.relative_to(ROOT / folder).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def imports_of(path, modules):
    """Modules of the library and the grader that a file imports, wherever in it."""
    name = module_name(path)
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            targets = [below(alias.name) for alias in node.names]
            found |= {target for target in targets if target}
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, package)
            if base is not None:
                found |= submodules(base, [alias.name for alias in node.names], modules)
    return found - {name}


def below(name):
    """The name of a module without the library's; None for other packages."""
    first, _, rest = name.partition(".")
    if first == "minitorch_grading":
        return name
    return rest if first in ("minitorch", "minitorch_cuda") else None


def absolute(node, package):
    """The module imported from, below `minitorch`; None for other packages."""
    if node.level == 0:
        return below(node.module or "")
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join(kept + ([node.module] if node.module else []))


def submodules(base, names, modules):
    """`from base import name`: the submodule of that name, else `base` itself."""
    found = set()
    for name in names:
        full = f"{base}.{name}" if base else name
        found.add(full if full in modules else base)
    return found


@cache
def import_graph():
    folders = ("minitorch", "grading/minitorch_grading")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    modules = {module_name(path) for path in paths} | {"_core"}
    return {module_name(path): imports_of(path, modules) for path in paths}


def upward(order, graph):
    """Return the imports of a module by one that stands before it."""
    ranks = {name: rank for rank, name in enumerate(order)}
    wrong = []
    for module, imported in graph.items():
        for other in imported:
            lower, higher = ranks[other.split(".")[0]], ranks[module.split(".")[0]]
            if lower > higher:
                wrong.append(f"{module or '__init__'} imports {other or 'minitorch'}")
    return sorted(wrong)


def test_python_imports_only_what_stands_below():
    wrong = upward(PYTHON_ORDER, import_graph())
    assert not wrong, "\n".join(wrong)


def test_upward_itself():
    graph = {"low": {"high.part"}, "high": {"low"}, "high.part": {"high"}}
    assert upward(["low", "high"], graph) == ["low imports high.part"]


def test_rooms_stay_few():
    rooms = {path.parent.name for path in (ROOT / "minitorch").glob("*/__init__.py")}
    assert len(rooms) == MOST_ROOMS, sorted(rooms)


@pytest.mark.parametrize("package", sorted(SUBPACKAGE_RANKS))
def test_parts_of_a_package_import_only_lower_ranks(package):
    ranks = SUBPACKAGE_RANKS[package]
    graph = import_graph()
    parts = {
        module: module[len(package) + 1 :].partition(".")[0]
        for module in graph
        if module == package or module.startswith(f"{package}.")
    }
    wrong = []
    for module, part in parts.items():
        for other in graph[module] & parts.keys():
            lower = ranks.get(parts[other], 0) < ranks.get(part, 0)
            front = part not in ranks and parts[other] not in ranks
            if not (lower or front or parts[other] == part):
                wrong.append(f"{module} imports {other}")
    assert not wrong, "\n".join(wrong)
    assert set(ranks) <= set(parts.values())


def parts_of(package, graph):
    """Return which parts of a package import which; "" is the package itself."""
    inside = f"{package}." if package else ""
    parts = {
        module: module[len(inside) :].partition(".")[0]
        for module in graph
        if module.startswith(inside) or module == package
    }
    tied = defaultdict(set)
    for module, part in parts.items():
        tied[part] |= {parts[each] for each in graph[module] & parts.keys()} - {part}
    return tied


def test_no_package_has_parts_that_import_in_a_circle():
    graph = import_graph()
    for package in {module.rpartition(".")[0] for module in graph}:
        circle = find_circle(parts_of(package, graph))
        assert not circle, f"{package}: {' -> '.join(circle)}"


def test_parts_of_itself():
    graph = {"a.b.c": {"a.d"}, "a.d": {"a.b.e"}, "a.b.e": set(), "x": {"a.d"}}
    assert parts_of("a", graph) == {"b": {"d"}, "d": {"b"}}


# Folders of minitorch/viz, and views that use what another view counts or shows.
VIZ_RANKS = {"scene": 0, "figure": 1, "traces": 2, "views": 3, "": 4}
VIEWS_BESIDE = {"reduction": {"step"}, "step": {"race"}}


def viz_place(module):
    """Folder and view of a module of `minitorch.viz`; "" for none."""
    parts = [*module.split(".")[1:], "", ""]
    return parts[0], parts[1] if parts[0] == "views" else ""


def test_pictures_import_in_one_direction():
    wrong = []
    for module, imported in import_graph().items():
        for other in imported:
            if not (module.startswith("viz") and other.startswith("viz")):
                continue
            (room, view), (lower, beside) = viz_place(module), viz_place(other)
            known = beside in {"", view} | VIEWS_BESIDE.get(view, set())
            if VIZ_RANKS[lower] > VIZ_RANKS[room] or (room == "views" and not known):
                wrong.append(f"{module} imports {other}")
    assert not wrong, "\n".join(wrong)


def test_every_rank_is_of_a_module_that_is_there():
    found = {name.split(".")[0] for name in import_graph()} | {"_core"}
    assert set(PYTHON_ORDER) == found
    assert len(PYTHON_ORDER) == len(found)


def find_circle(graph):
    """Modules of one circle, or an empty list. A package is not its submodules."""
    state = defaultdict(int)  # 1 being visited, 2 done
    path = []

    def visit(module):
        state[module] = 1
        path.append(module)
        for other in sorted(graph.get(module, ())):
            if state[other] == 1:
                return [*path[path.index(other) :], other]
            if state[other] == 0 and (circle := visit(other)):
                return circle
        path.pop()
        state[module] = 2
        return []

    for module in sorted(graph):
        if state[module] == 0 and (circle := visit(module)):
            return circle
    return []


def test_python_imports_have_no_circle():
    circle = find_circle(import_graph())
    assert not circle, " -> ".join(circle)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"]),
    ],
)
def test_find_circle_itself(graph, expected):
    assert find_circle(graph) == expected
