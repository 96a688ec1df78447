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
_MAKERS = {  # providers that serve their own models; others host those of many makers
    "openai": "openai", "chatgpt": "openai", "anthropic": "anthropic", "gemini": "google",
    "google": "google", "mistral": "mistral", "codestral": "mistral", "cohere": "cohere",
    "cohere_chat": "cohere", "deepseek": "deepseek", "xai": "xai", "dashscope": "alibaba",
    "moonshot": "moonshot", "zai": "zhipu", "ai21": "ai21", "perplexity": "perplexity",
    "meta_llama": "meta", "amazon_nova": "amazon", "minimax": "minimax", "volcengine": "bytedance",
}  # fmt: skip
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


def certain(model: str) -> str:
    """The maker of a model where its name tells it; empty where it tells a host alone."""
    found = vendor(model)
    if found in _FAMILIES:
        return found
    return "" if model.startswith(PREFIX) else _MAKERS.get(found, "")


def named(given: str) -> str:
    """A maker as a person writes it (`Mistral AI`, `Qwen`), in the form that `vendor` gives."""
    plain = re.sub(r"[^\w]+", "", given.lower())
    return next((maker for maker in _FAMILIES if maker in plain), certain(plain) or plain)
