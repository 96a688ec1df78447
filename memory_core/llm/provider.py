"""The one file that names litellm: models of any provider, and any OpenAI-compatible server.

litellm is loaded by the first call, with its telemetry, callbacks, price download, `.env`
reading, prints and logs off. Errors are of the tree and hold neither key nor prompt.
"""

from __future__ import annotations

import logging
import os
import time
from functools import cache
from typing import Any

from pydantic import BaseModel

from memory_core.errors import ModelRefused, ModelUnavailable
from memory_core.llm import failure
from memory_core.llm.answer import Answer
from memory_core.llm.frame import Message
from memory_core.settings import Settings

CONTEXT = 32_000  # tokens, of a model of which nothing is known
PATIENCE = 60.0  # seconds a provider may ask to wait before the same call is made again
TRIES = 3

_QUIET = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router", "openai", "httpx", "httpcore")
_LOCAL = ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS", "BLOG_POSTS", "AUTOROUTER_PRESETS")


def ask(
    settings: Settings, messages: list[Message], schema: type[BaseModel], reply_tokens: int
) -> Answer:
    """One reply. A provider that names a wait of at most `PATIENCE` is asked again after it.

    Raises `ModelUnavailable` and `ModelRefused`.
    """
    for left in reversed(range(TRIES)):
        try:
            response = _completed(settings, messages, schema, reply_tokens)
            break
        except Exception as error:
            failed, wait = _failure(settings, messages, error)
        if wait is None or not left:
            raise failed
        time.sleep(wait)
    return _answer(settings, response)


def tokens(model: str, texts: list[str]) -> int:
    """How many tokens the texts are for a model, a few for each message included."""
    counted: int = _litellm().token_counter(model=model, text="\n".join(texts))
    return counted + 8 * len(texts)


def known(model: str, what: str) -> int:
    """A number of tokens that is known of a model, such as `max_input_tokens`; else 0."""
    try:
        return int(_litellm().get_model_info(model).get(what) or 0)
    except Exception:  # it raises whatever its tables raise
        return 0


def _completed(
    settings: Settings, messages: list[Message], schema: type[BaseModel], reply_tokens: int
) -> Any:
    litellm, model = _litellm(), settings.llm_model
    most = known(model, "max_output_tokens")
    options: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "timeout": settings.llm_timeout_s,
        "max_tokens": min(reply_tokens, most) if most else reply_tokens,
        "temperature": 0.0,
        "drop_params": True,
        "num_retries": 0,
        "max_retries": 0,
        **_door(settings),
    }
    if not litellm.supports_response_schema(model=model):
        return litellm.completion(**options)
    try:
        return litellm.completion(**options, response_format=schema)
    except litellm.BadRequestError as error:
        if getattr(error, "status_code", 0) != 400 or "format" not in str(error):
            raise
    return litellm.completion(**options)  # a server that knows no response format


def _door(settings: Settings) -> dict[str, str]:
    """Where to and with which key; the environment's key of OpenAI goes to OpenAI alone."""
    base, key = settings.llm_api_base, settings.llm_api_key.get_secret_value()
    if base and not key and settings.llm_model.startswith("openai/"):
        key = "none"
    return {name: value for name, value in (("api_base", base), ("api_key", key)) if value}


def _answer(settings: Settings, response: Any) -> Answer:
    if not response.choices:
        raise ModelUnavailable(f"{settings.llm_model} answered nothing", remedy="try again later")
    choice = response.choices[0]
    usage = getattr(response, "usage", None)
    return Answer(
        text=choice.message.content or "",
        tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
        tokens_out=getattr(usage, "completion_tokens", 0) or 0,
        usd=_usd(settings.llm_model, response),
        cut=choice.finish_reason == "length",
    )


def _usd(model: str, response: Any) -> float | None:
    try:
        return float(_litellm().completion_cost(completion_response=response, model=model))
    except Exception:  # a model without a price; it raises whatever its tables raise
        return None


def _failure(
    settings: Settings, messages: list[Message], error: Exception
) -> tuple[ModelUnavailable | ModelRefused, float | None]:
    """The error of the tree, and the seconds after which the same call may be made again."""
    keys = [key] if (key := settings.llm_api_key.get_secret_value()) else []
    words = str(getattr(error, "message", "") or error)
    said = failure.told(words, [message["content"] for message in messages], keys)
    status = getattr(error, "status_code", None)
    if status is None:
        name = type(error).__name__
        told = f"{settings.llm_model} cannot be asked: {name}" + (f": {said}" if said else "")
        return ModelRefused(told, remedy="check llm_model and its package"), None
    failed = failure.of_status(settings.llm_model, int(status), said)
    return failed, _wait(error) if isinstance(failed, ModelUnavailable) else None


def _wait(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds <= PATIENCE else None


@cache
def _litellm() -> Any:
    for name in _LOCAL:
        os.environ.setdefault(f"LITELLM_LOCAL_{name}", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it reads a .env near the work folder
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_hf_tokenizer_download = True
    for name in ("input", "success", "failure", "_async_success", "_async_failure"):
        setattr(litellm, f"{name}_callback", [])
    litellm.callbacks = []
    for name in _QUIET:  # they write requests, addresses with keys, and bodies
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False
    return litellm
