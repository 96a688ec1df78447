"""Who makes a model, whichever way it is reached: a panel needs different makers."""

from __future__ import annotations

import re

from memory_core.llm.command import PREFIX

_FAMILIES = {
    "anthropic": r"claude|anthropic",
    "openai": r"gpt|chatgpt|codex|\bo\d\b|davinci",
    "google": r"gemini|gemma|palm",
    "meta": r"llama",
    "mistral": r"mi[sx]tral|codestral|magistral|devstral|ministral|pixtral",
    "alibaba": r"qwen|qwq",
    "deepseek": r"deepseek",
    "xai": r"grok|\bxai\b",
    "cohere": r"command-[ra]|cohere|\baya\b",
    "microsoft": r"\bphi-?\d",
    "amazon": r"\bnova-|titan",
    "moonshot": r"kimi|moonshot",
    "zhipu": r"\bglm",
    "ibm": r"granite",
    "nvidia": r"nemotron",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _FAMILIES.items()}


def vendor(model: str) -> str:
    """The maker of a model by its name; else the provider, or the command's program.

    Of several families in a name (a distillation such as `deepseek-r1-distill-llama`) the
    first named counts. Empty for an empty name.
    """
    name = model.lower()
    if name.startswith(PREFIX):
        name = (name.removeprefix(PREFIX).split() or [""])[0].rpartition("/")[2]
    own = name.rpartition("/")[2]
    found = {match.start(): maker for maker, one in _PATTERNS.items() if (match := one.search(own))}
    return found[min(found)] if found else name.partition("/")[0]
