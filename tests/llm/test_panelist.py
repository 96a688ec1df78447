"""A panel is two models of two other makers, or it is refused before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core import llm
from memory_core.errors import SettingsError
from memory_core.settings import Settings, load

WRITER = "anthropic/claude-sonnet-4-5"
GPT, GEMINI, QWEN = "openai/gpt-4.1", "gemini/gemini-2.5-flash", "openai/Qwen3-14B"
LOCAL = "http://127.0.0.1:8080/v1"


def settings(*models: str, **more: Any) -> Settings:
    return load(**{"llm_model": WRITER, "panel_models": models, **more})


def test_without_panel_models_there_is_no_panel() -> None:
    assert llm.panel(settings()) == ()


def test_each_member_has_its_own_door() -> None:
    found = llm.panel(
        settings(GPT, QWEN, panel_api_bases=("", LOCAL), panel_api_keys=("", "sk-x"),
                 panel_vendors=("", "Alibaba Cloud"), llm_api_key="sk-writer")
    )  # fmt: skip
    assert [(one.vendor, one.name) for one in found] == [("openai", GPT), ("alibaba", QWEN)]
    assert [one.settings.llm_api_base for one in found] == ["", LOCAL]
    assert [one.settings.llm_api_key.get_secret_value() for one in found] == ["", "sk-x"]


def test_a_panel_without_a_writer_needs_only_two_makers() -> None:
    assert len(llm.panel(settings(GPT, GEMINI, llm_model=""))) == 2


@pytest.mark.parametrize(
    ("models", "more", "said"),
    [
        ((GPT,), {}, "names 1 model"),
        ((GPT, GEMINI, "mistral/large"), {}, "names 3 model"),
        ((GPT, " "), {}, "names 2 model"),
        ((GPT, "azure/gpt-4.1-mini"), {}, "both made by openai"),
        (("groq/llama-3.3-70b", "ollama/llama3.2"), {}, "both made by meta"),
        ((GPT, "openrouter/anthropic/claude-3.7-sonnet"), {}, "made by anthropic, as llm_model"),
        ((GPT, "command:claude -p"), {}, "made by anthropic, as llm_model"),
        ((GPT, "azure/our-deployment"), {}, "not known who makes azure/our-deployment"),
        ((GPT, "command:my-agent --fast"), {}, "not known who makes command:my-agent"),
        ((GPT, QWEN), {"panel_api_bases": ("", LOCAL)}, f"not known who makes {QWEN}"),
        ((GPT, GEMINI), {"llm_api_base": LOCAL}, f"not known who makes {WRITER}"),
        ((GPT, QWEN), {"panel_vendors": ("", "Open AI")}, "both made by openai"),
        ((GPT, QWEN), {"panel_vendors": ("", "Anthropic")}, "made by anthropic, as llm_model"),
        ((GPT, GEMINI), {"panel_api_bases": ("", "", LOCAL)}, "panel_api_bases has 3 values"),
    ],
)
def test_what_does_not_hold_is_refused_with_its_reason(
    models: tuple[str, ...], more: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        llm.panel(settings(*models, **more))


@pytest.mark.parametrize("value", ["sk-secret-1234567", '{"a": "sk-secret-1234567"}'])
def test_a_key_in_the_wrong_form_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("WELLKEPT_PANEL_API_KEYS", value)
    with pytest.raises(SettingsError) as refused:
        load()
    assert "panel_api_keys" in str(refused.value).lower() and "sk-secret" not in str(refused.value)
