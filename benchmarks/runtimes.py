"""torch beside ONNX Runtime: the shipped models on this processor, in every form, at equal text.

Needs the packages onnx and onnxruntime, which the product does not use:
`pip install onnx onnxruntime`. Milliseconds are wall time; CPU milliseconds stand beside
them, since a busy machine makes wall time say little.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory_core.recall import meaning, rerank

PAIRS, THREADS = 24, 2
Run = Callable[[], np.ndarray]


@dataclass
class Timed:
    """A form of a model: milliseconds p50, p95 and CPU p50, and what it gave."""

    name: str
    p50: float
    p95: float
    cpu: float
    values: np.ndarray


def timed(name: str, run: Run, times: int) -> Timed:
    """Run twice to warm up, then `times` times."""
    run(), run()
    wall, cpu = [], []
    for _ in range(times):
        began, used = time.perf_counter(), time.process_time()
        values = run()
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    p50, p95 = np.percentile(wall, [50, 95])
    return Timed(name, float(p50), float(p95), float(np.median(cpu)), values)


def texts(count: int = PAIRS) -> tuple[list[str], list[str]]:
    """Requests and passages of the demo vault, passages of one request's pool in length."""
    from memory_core.vault.passages import split
    from memory_core.vault.vault import Vault

    root = Path(__file__).parents[1] / "demo" / "vault"
    notes = Vault(root).scan().notes
    passages = [passage.text for note in notes for passage in split(note)]
    return [note.description for note in notes[:count]], passages[:: len(passages) // count][:count]


class Batches:
    """Tokenized texts in small batches of like length, as recall reads them."""

    def __init__(self, tokenizer: Any, rows: Sequence[Any], size: int, limit: int) -> None:
        self.order = sorted(range(len(rows)), key=lambda at: len(str(rows[at])))
        self.parts = []
        for at in range(0, len(rows), size):
            part = [rows[i] for i in self.order[at : at + size]]
            read = tokenizer(part, padding=True, truncation=True, max_length=limit)
            self.parts.append({name: np.array(value) for name, value in read.items()})

    def through(self, model: Callable[[dict[str, np.ndarray]], np.ndarray]) -> np.ndarray:
        """The model's rows, in the order of the texts."""
        found = np.concatenate([model(part) for part in self.parts])
        return found[np.argsort(self.order)]


def torch_form(network: Any) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """A torch module over a batch of numpy arrays."""
    import torch

    def run(part: dict[str, np.ndarray]) -> np.ndarray:
        with torch.inference_mode():
            out = network(**{name: torch.from_numpy(value) for name, value in part.items()})
        return np.asarray(out[0].float().numpy())

    return run


def onnx_form(file: Path, threads: int) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """An ONNX session over a batch of numpy arrays."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def run(part: dict[str, np.ndarray]) -> np.ndarray:
        wanted = {name: value.astype(np.int64) for name, value in part.items()}
        return np.asarray(session.run(None, wanted)[0])

    return run


def exported(network: Any, part: dict[str, np.ndarray], file: Path) -> Path:
    """Write a module as ONNX with free batch and length; returns the file."""
    import torch

    class Ordered(torch.nn.Module):
        """The network with its inputs by place, as tracing wants them."""

        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, *values: Any) -> Any:
            return self.network(**dict(zip(part, values, strict=True)))[0]

    free = {name: {0: "batch", 1: "length"} for name in part}
    inputs = tuple(torch.from_numpy(value) for value in part.values())
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(
            Ordered().eval(), inputs, str(file), input_names=list(part), output_names=["out"],
            dynamic_axes=free, opset_version=17, dynamo=False,
        )  # fmt: skip
    return file


def eight_bits(file: Path, keep: Sequence[str]) -> Path:
    """The same model with int8 linear layers, weights by channel; nodes of `keep` stay fp32."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    nodes = [node.name for node in onnx.load(file, load_external_data=False).graph.node]
    left = [name for name in nodes if any(part in name for part in keep)]
    small = file.with_name(f"{file.stem}.int8.onnx")
    quantize_dynamic(
        file, small, per_channel=True, weight_type=QuantType.QInt8, nodes_to_exclude=left,
        op_types_to_quantize=["MatMul", "Gemm"],
    )  # fmt: skip
    return small


def forms(network: Any, batches: Batches, folder: Path, name: str, times: int) -> list[Timed]:
    """torch fp32 and ONNX fp32 and int8 (whole, and from the same layer up as the product's)."""
    file = exported(network, batches.parts[0], folder / f"{name}.onnx")
    low = [f"layer.{at}/" for at in range(rerank.FIRST_INT8_LAYER)]
    models = {
        "torch fp32": torch_form(network),
        "ONNX fp32": onnx_form(file, THREADS),
        "ONNX int8, all": onnx_form(eight_bits(file, ()), THREADS),
        "ONNX int8, from layer 2": onnx_form(eight_bits(file, [*low, "classifier"]), THREADS),
    }
    return [timed(n, lambda m=m: batches.through(m), times) for n, m in models.items()]  # type: ignore[misc]


def report(title: str, found: list[Timed]) -> None:
    """Print a table; differences are to the first row."""
    print(f"\n{title}\n| form | p50 ms | p95 ms | CPU p50 ms | most off fp32 | mean off |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in found:
        off = np.abs(row.values - found[0].values)
        times = f"{row.p50:.0f} | {row.p95:.0f} | {row.cpu:.0f}"
        print(f"| {row.name} | {times} | {off.max():.3f} | {off.mean():.3f} |", flush=True)


def main() -> None:
    """Compare the re-ranker over 24 pairs and the embedder over one request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    args = parser.parse_args()
    import torch

    torch.set_num_threads(THREADS)
    requests, passages = texts()
    pairs = [(requests[0], passage) for passage in passages]
    with tempfile.TemporaryDirectory() as folder:
        network = rerank._load("")
        read = Batches(network.tokenizer, pairs, rerank.BATCH, rerank.MOST_TOKENS)
        found = forms(network.model, read, Path(folder), "reranker", args.times)
        form = rerank._lighter(network.model)
        product = lambda: read.through(torch_form(network.model))  # noqa: E731
        found.append(timed(f"torch{form or '/fp32'}, the product's", product, args.times))
        report(f"{len(pairs)} pairs, {THREADS} threads", found)
        embedder = meaning._load("").eval()
        one = Batches(embedder.tokenizer, requests[:1], 1, meaning.MOST_TOKENS)
        found = forms(embedder[0].auto_model, one, Path(folder), "embedder", args.times)
        report("one request's vector (token outputs compared)", found)


if __name__ == "__main__":
    main()
