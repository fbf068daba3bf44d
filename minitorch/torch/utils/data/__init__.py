"""`torch.utils.data`: datasets, samplers and loaders."""

from __future__ import annotations

from . import collate, dataloader, dataset, sampler
from .collate import default_collate, default_convert
from .dataloader import DataLoader, get_worker_info
from .dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "collate",
    "dataloader",
    "dataset",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
    "sampler",
]


def __dir__() -> list[str]:
    return sorted(__all__)
