"""Record torch_layers.json anew with PyTorch, which no test needs.

    python tests/python/data/make_torch_layers.py

Results and gradients of its sentences are recorded in float64. A new sentence is added
as a row with an empty result; layer_sentences.py says how one is run.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from layer_sentences import RECORDED, Library, recorded, run  # noqa: E402


def tensor(array: np.ndarray) -> torch.Tensor:
    """A tensor of an array's numbers; of floats one that learns."""
    made = torch.tensor(array)
    return made.requires_grad_(made.is_floating_point())


def main() -> None:
    """Runs every sentence and writes the file."""
    torch.set_default_dtype(torch.float64)
    library = Library(torch.nn, torch.nn.functional, tensor)
    kept = {}
    for sentence in recorded():
        try:
            kept[sentence] = run(library, sentence)
        except Exception as error:
            raise RuntimeError(sentence) from error
    rows = [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in kept.items()]
    text = f'{{"torch": "{torch.__version__}", "sentences": {{\n' + ",\n".join(rows)
    RECORDED.write_text(text + "\n}}\n")
    print(f"{len(kept)} sentences, {RECORDED.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
