"""Who makes a model, whichever way it is reached."""

from __future__ import annotations

import pytest

from memory_core.llm import vendor


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("anthropic/claude-sonnet-4-5", "anthropic"),
        ("openrouter/anthropic/claude-3.7-sonnet", "anthropic"),
        ("bedrock/us.anthropic.claude-sonnet-4-v1:0", "anthropic"),
        ("vertex_ai/claude-opus-4", "anthropic"),
        ("command:claude -p --model opus", "anthropic"),
        ("command:/usr/local/bin/codex exec -", "openai"),
        ("gpt-4o", "openai"),
        ("azure/gpt-4.1-mini", "openai"),
        ("openai/o3", "openai"),
        ("gemini/gemini-2.5-flash", "google"),
        ("ollama/llama3.3:70b", "meta"),
        ("groq/deepseek-r1-distill-llama-70b", "deepseek"),
        ("openai/Qwen2.5-14B-Instruct", "alibaba"),
        ("mistral/mistral-large-latest", "mistral"),
        ("xai/grok-4", "xai"),
        ("azure/our-deployment", "azure"),
        ("command:my-agent --fast", "my-agent"),
        ("", ""),
    ],
)
def test_the_maker_is_told_by_the_name(model: str, maker: str) -> None:
    assert vendor(model) == maker
