"""Pack what training changed as a 4-bit delta over the packaged base, and add it back."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from training.common import base_folder, base_identity, say

GROUP = 32


def base_state(names: list[str]) -> dict[str, torch.Tensor]:
    """Return the base's weights under the names that a model gives them."""
    base = load_file(base_folder() / "model.safetensors")
    return {
        name: base[name.removeprefix("bert.")]
        for name in names
        if name.removeprefix("bert.") in base
    }


def delta_of(tuned: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the packed difference of tuned weights to the base."""
    kept = [n for n in tuned if "embeddings." not in n and tuned[n].is_floating_point()]
    if not any(name.startswith("classifier") for name in kept):
        kept = [name for name in kept if name.startswith("encoder.")]
    base = base_state(kept)
    packed: dict[str, torch.Tensor] = {}
    for name in kept:
        packed.update(_packed(name, tuned[name].float().cpu(), base.get(name)))
    return packed


def _packed(name: str, tuned: torch.Tensor, base: torch.Tensor | None) -> dict[str, torch.Tensor]:
    if base is None:
        return {f"full.{name}": tuned.half().contiguous()}
    change = tuned - base.float()
    if change.dim() < 2:
        return {f"add.{name}": change.half()}
    grouped = change.reshape(change.shape[0], -1, GROUP)
    scale = grouped.abs().amax(2, keepdim=True).clamp_min(1e-6) / 7
    steps = ((grouped / scale).round().clamp(-7, 7) + 8).to(torch.uint8).reshape(change.shape)
    nibbles = (steps[:, ::2] | (steps[:, 1::2] << 4)).contiguous()
    return {f"q4.{name}": nibbles, f"s.{name}": scale[..., 0].half().contiguous()}


def unpacked(nibbles: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the difference that 4-bit steps and their scales stand for."""
    low, high = (nibbles & 15).float() - 8, (nibbles >> 4).float() - 8
    steps = torch.stack((low, high), 2).reshape(nibbles.shape[0], -1)
    grouped = steps.reshape(nibbles.shape[0], -1, GROUP) * scale.float()[..., None]
    return grouped.reshape(steps.shape)


@torch.no_grad()
def add_delta(model: torch.nn.Module, path: Path) -> None:
    """Add a packed delta to a model that holds the base's weights."""
    state, delta = model.state_dict(), load_file(path)
    for key, value in delta.items():
        form, name = key.split(".", 1)
        if form == "full":
            state[name].copy_(value)
        elif form == "add":
            state[name].add_(value.float())
        elif form == "q4":
            state[name].add_(unpacked(value, delta[f"s.{name}"]))


def write(delta: dict[str, torch.Tensor], path: Path, name: str) -> str:
    """Write a delta with its identity and return its revision."""
    digest = hashlib.sha256()
    for key in sorted(delta):
        digest.update(key.encode() + delta[key].numpy().tobytes())
    revision = digest.hexdigest()[:12]
    about = {**base_identity(), "form": "int4", "name": name, "revision": revision}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(delta, path, metadata=about)
    return revision


def identity(path: Path) -> dict[str, str]:
    """Return what a delta says about itself."""
    with safe_open(path, "pt") as file:
        return dict(file.metadata() or {})


def main() -> None:
    """Pack the weights that a training run left, or stamp a delta that has no identity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tuned", type=Path, help="weights of a run (.pt) or a delta")
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", required=True)
    args = parser.parse_args()
    if args.tuned.suffix == ".pt":
        delta = delta_of(torch.load(args.tuned, map_location="cpu", weights_only=True))
    else:
        delta = load_file(args.tuned)
    revision = write(delta, args.out, args.name)
    say(f"{args.out.name} {args.out.stat().st_size / 1e6:.2f} MB revision {revision}")


if __name__ == "__main__":
    main()
