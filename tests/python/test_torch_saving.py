"""The tests of `torch.save` and `torch.load` of PyTorch's dialect.

That PyTorch reads these files is tried where it is installed: data/torch_saved.pth is
one that it wrote; the form written here is compared with that file's.
"""

from __future__ import annotations

import collections
import io
import pickle
import pickletools
import zipfile
from pathlib import Path

import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn, optim

THEIRS = Path(__file__).parent / "data" / "torch_saved.pth"


def there_and_back(obj, **options):
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


class Scaled(nn.Module):
    """A module of a learner."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 2)
        self.factor = 2.0

    def forward(self, x):
        return self.inner(x) * self.factor


def test_a_checkpoint_goes_on(tmp_path):
    torch.manual_seed(0)
    net, x = Scaled(), torch.ones(4, 3)
    o = optim.Adam(net.parameters(), lr=0.1)
    s = optim.lr_scheduler.StepLR(o, 2)

    def train(net, o, s):
        for _ in range(3):
            o.zero_grad()
            loss = (net(x) ** 2).sum()
            loss.backward()
            o.step()
            s.step()
        return loss.item()

    train(net, o, s)
    file = tmp_path / "checkpoint.pth"
    saved = {"epoch": 3, "net": net.state_dict(), "o": o.state_dict()}
    torch.save({**saved, "s": s.state_dict(), "notes": ["a", None, True]}, file)
    found = torch.load(str(file), map_location=torch.device("cpu"))
    assert (found["epoch"], found["notes"]) == (3, ["a", None, True])
    other = Scaled()
    other.load_state_dict(found["net"])
    o2 = optim.Adam(other.parameters())
    s2 = optim.lr_scheduler.StepLR(o2, 5)
    o2.load_state_dict(found["o"])
    s2.load_state_dict(found["s"])
    assert train(other, o2, s2) == train(net, o, s)


@pytest.mark.parametrize(
    "name",
    ["float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8", "bool"],
)
def test_each_dtype_and_shape(name):
    dtype = getattr(torch, name)
    for shape in [(2, 3), (), (0, 4)]:
        made = torch.ones(shape, dtype=dtype)
        back = there_and_back(made)
        assert isinstance(back, torch.Tensor)
        assert (back.dtype, back.shape) == (dtype, made.shape)
        assert back.tolist() == made.tolist()
    assert there_and_back(dtype) is dtype


def test_shared_memory_is_shared_again():
    base = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    found = there_and_back([base[1:], base.permute(1, 0), base, base.clone()])
    row, turned, whole, other = found
    whole[1, 1] = 9.0
    assert row.tolist() == [[3, 9, 5]]
    assert turned.tolist() == [[0, 3], [1, 9], [2, 5]]
    assert other.tolist() == base.tolist()


def test_kinds_come_back():
    weight = nn.Parameter(torch.ones(2), requires_grad=False)
    found = there_and_back(
        {
            "weight": weight,
            "leaf": torch.ones(2, requires_grad=True),
            "size": torch.Size([2, 3]),
            "device": torch.device("cpu"),
            "ordered": collections.OrderedDict(a=1),
            "counter": collections.Counter("aab"),
            "lists": collections.defaultdict(None, {"a": [1]}),
            "set": {1, "b"},
            "bytes": b"\x00\xff",
            5: (1.5, 2**70, -1, float("inf")),
        }
    )
    assert isinstance(found["weight"], nn.Parameter)
    assert not found["weight"].requires_grad
    assert type(found["leaf"]) is torch.Tensor
    assert found["leaf"].requires_grad
    assert isinstance(found["size"], torch.Size)
    assert found["device"] == torch.device("cpu")
    assert isinstance(found["ordered"], collections.OrderedDict)
    assert found["counter"] == {"a": 2, "b": 1}
    assert found["set"] == {1, "b"}
    assert found["bytes"] == b"\x00\xff"
    assert found[5] == (1.5, 2**70, -1, float("inf"))


def test_modules_need_trust():
    net = Scaled()
    file = io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"Scaled.*weights_only=False"):
        torch.load(file)
    file.seek(0)
    found = torch.load(file, weights_only=False)
    assert isinstance(found, Scaled)
    assert found.inner.weight.tolist() == net.inner.weight.tolist()
    x = torch.ones(1, 3)
    assert found(x).tolist() == net(x).tolist()


def test_a_file_that_pytorch_wrote():
    found = torch.load(THEIRS)
    base, turned, part, _ = found["views"]
    assert isinstance(base, torch.Tensor)
    assert base.dtype is torch.float32
    base[1, 2] = 50.0
    assert turned.tolist()[2][1] == part.tolist()[0] == 50.0
    kinds = found["dtypes"]
    assert {str(t.dtype) for t in kinds.values()} == {f"torch.{k}" for k in kinds}


def test_the_form_is_pytorchs():
    file = io.BytesIO()
    torch.save({"w": torch.ones(2), "size": torch.Size([1])}, file)

    def form(archive):
        names = {name.partition("/")[2] for name in archive.namelist()}
        prefix = archive.namelist()[0].partition("/")[0]
        ops = pickletools.genops(archive.read(f"{prefix}/data.pkl"))
        return names, {arg for op, arg, _ in ops if op.name == "GLOBAL"}

    with zipfile.ZipFile(file) as ours, zipfile.ZipFile(THEIRS) as theirs:
        names, called = form(ours)
        wanted, known = form(theirs)
        assert {n for n in wanted if n[:5] != "data/"} - names <= {
            ".format_version",
            ".storage_alignment",
        }
        assert called <= known
        for entry in ours.infolist():
            if "/data/" in entry.filename:
                first = entry.header_offset + 30 + len(entry.filename)
                assert (first + len(entry.extra)) % 64 == 0
        assert ours.read("archive/version") == b"3\n"


@pytest.mark.cuda
def test_tensors_go_back_to_their_device():
    x = torch.ones(2, device="cuda")
    assert there_and_back(x).device.type == "cuda"
    moved = there_and_back([x, x], map_location="cpu")
    assert moved[0].device.type == "cpu"
    assert moved[0].data_ptr() == moved[1].data_ptr()
    there = there_and_back(torch.ones(2), map_location=lambda s, w: s.cuda(0))
    assert there.device.type == "cuda"


def test_minitorchs_own_loader_reads_them(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "w.pth")
    found = minitorch.load(tmp_path / "w.pth")
    assert isinstance(found["w"], minitorch.Tensor)


BAD = [
    (lambda: torch.load(io.BytesIO(b"nothing")), pickle.UnpicklingError, "a zip file"),
    (lambda: torch.load(io.BytesIO()), pickle.UnpicklingError, "a zip file"),
    (lambda: torch.load(3), TypeError, "got int; need a file name"),
    (lambda: torch.load("/nowhere/at/all.pth"), FileNotFoundError, "nowhere"),
    (lambda: torch.load(io.BytesIO(), map_location=2.5), TypeError, "map_location 2.5"),
    (lambda: torch.save(1, 5), TypeError, "got int; need a file name"),
    (lambda: torch.save(lambda: 1, io.BytesIO()), Exception, "pickle"),
    (
        lambda: there_and_back(torch.ones(1), map_location="nowhere"),
        RuntimeError,
        "need 'cpu' or 'cuda'",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), BAD)
def test_bad_files(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


class Evil:
    """Whose pickle calls a function."""

    def __reduce__(self):
        return print, ("called",)


def test_no_code_of_a_file_runs(capsys):
    with pytest.raises(pickle.UnpicklingError, match="print"):
        there_and_back([Evil()])
    assert capsys.readouterr().out == ""


def test_a_failed_save_leaves_the_old_file(tmp_path):
    file = tmp_path / "w.pth"
    torch.save(torch.ones(1), file)
    with pytest.raises(Exception, match="pickle"):
        torch.save([torch.ones(1), lambda: 1], file)
    assert torch.load(file).tolist() == [1.0]
