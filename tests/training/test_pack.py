"""Packing: 4 bits a weight, close enough, and the scales of groups kept."""

from __future__ import annotations

import torch

from training.pack import _packed, unpacked


def test_a_delta_comes_back_within_half_a_step() -> None:
    torch.manual_seed(1)
    base = torch.randn(8, 64)
    change = torch.randn(8, 64) * 0.01
    packed = _packed("w", base + change, base)
    back = unpacked(packed["q4.w"], packed["s.w"])
    assert (back - change).abs().max() <= change.abs().max() / 14 + 1e-4


def test_small_tensors_and_new_ones_stay_whole() -> None:
    assert list(_packed("b", torch.ones(4), torch.zeros(4))) == ["add.b"]
    assert list(_packed("c", torch.ones(4, 4), None)) == ["full.c"]
