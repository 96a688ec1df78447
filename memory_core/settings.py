"""Configuration: `config.toml` in the state folder, each key overridable as `WELLKEPT_<KEY>`.

A wrong key or value raises `SettingsError` that names the file, the key and what is allowed.
"""

from __future__ import annotations

import contextlib
import getpass
import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from memory_core import paths
from memory_core.errors import SettingsError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"


class Settings(BaseSettings):
    """All settings with their defaults; characters and counts unless a unit is named."""

    model_config = SettingsConfigDict(env_prefix="WELLKEPT_", extra="forbid", frozen=True)

    vault: Path | None = Field(None, description="the folder of notes")
    user: str = Field(default_factory=_login_name, min_length=1)
    database_url: str = Field("", description="SQLAlchemy URL; empty = SQLite in the state folder")

    always_loaded: str = Field("MEMORY.md", description="file an agent reads in full at each start")
    always_loaded_cap: int = Field(3000, ge=100, le=20_000)

    embedder: str = Field("", description="hub id or folder of a SentenceTransformer; empty = ours")
    reranker: str = Field("", description="hub id or folder of a CrossEncoder; empty = ours")
    threads: int = Field(2, ge=1, le=64, description="CPU threads of the models")
    pool: int = Field(24, ge=3, le=100, description="passages the re-ranker reads")
    per_note: int = Field(2, ge=1, le=10, description="passages of one note in the pool")
    notes: int = Field(3, ge=1, le=10, description="notes an answer holds")
    note_budget: int = Field(600, ge=100, le=2500, description="characters of one trimmed note")
    quiet: float | None = Field(
        None, ge=0, le=1, description="wanted share of nonsense kept quiet; empty = all of it"
    )
    floor_margin: float = Field(0.10, ge=0, le=1, description="share of the median spread")
    transport: Literal["unix", "tcp"] = Field("unix", description="how the warm server is reached")
    measure_floor: bool = Field(
        True, description="the server measures a vault's first floor, and its clearance daily"
    )
    metrics_port: int = Field(
        0, ge=0, le=65_535, description="Prometheus metrics over loopback HTTP; 0 = off"
    )
    deadline_ms: int = Field(1000, ge=100, le=10_000, description="front hook, all included")

    reference_types: tuple[str, ...] | None = Field(
        None, description="what a memory may be scoped to; unset = project, item, person, branch"
    )
    ontology: Path | None = Field(None, description="TOML file of the tags a memory may carry")
    key_cap: int = Field(64, ge=8, le=64, description="characters of a memory's key")
    description_cap: int = Field(200, ge=20, le=200, description="characters, written as JSON")
    content_cap: int = Field(2000, ge=100, le=2000)
    bank_hard_limit: int = Field(50, ge=1, le=50, description="memories a bank may hold")
    bank_soft_limit: int = Field(40, ge=1, le=40, description="above it a consolidation is due")
    mcp_port: int = Field(0, ge=0, le=65_535, description="MCP over loopback HTTP; 0 = off")
    bank_target: int = Field(24, ge=1, le=24, description="memories a consolidation aims at")

    consolidation_automatic: tuple[str, ...] = Field(
        (), description="banks whose plans are carried out unasked: ids, private, shared, global"
    )
    items_a_run: int = Field(7, ge=1, le=7, description="changes a routine offers at once")

    llm_model: str = Field(
        "",
        description="language model of the routines as litellm names it: anthropic/NAME, or"
        " openai/NAME with llm_api_base; or an agent's CLI: command:claude -p; empty = none,"
        " they run on evidence alone",
    )
    llm_api_base: str = Field("", description="address of an OpenAI-compatible server, its /v1")
    llm_api_key: SecretStr = Field(
        SecretStr(""), description="empty = what litellm finds in the environment"
    )
    llm_vendor: str = Field("", description="who makes llm_model, where its name does not say")
    llm_timeout_s: int = Field(120, ge=1, le=3600, description="seconds for one reply")
    llm_context_tokens: int = Field(
        0, ge=0, le=10_000_000, description="0 = what is known of the model, else 32,000"
    )
    llm_reply_tokens: int = Field(8000, ge=256, le=200_000, description="of one reply, at most")
    llm_tokens_a_run: int = Field(200_000, ge=1, description="tokens in and out of one run")
    llm_tokens_a_day: int = Field(1_000_000, ge=1, description="of all runs within 24 hours")

    panel_models: tuple[str, ...] = Field(
        (),
        description="two models that object to what dream drafts, named as llm_model is, of"
        " two makers that are neither each other's nor llm_model's; empty = no panel",
    )
    panel_api_bases: tuple[str, ...] = Field((), description='one each; "" = the provider\'s own')
    panel_api_keys: tuple[SecretStr, ...] = Field(
        (), description='one each; "" = what litellm finds in the environment'
    )
    panel_vendors: tuple[str, ...] = Field(
        (), description="who makes each; needed with an address of its own"
    )

    record_days: int = Field(0, ge=0, le=36_500, description="days a session is kept; 0 = always")

    routines: bool = Field(True, description="`up` also runs Prefect and the four routines")
    prefect_port: int = Field(
        0, ge=0, le=65_535, description="our Prefect server's; 0 = 4217 or one that is free"
    )
    prefect_url: str = Field("", description="API of a Prefect server that runs already")

    @field_validator("vault", "ontology")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        try:
            return value.expanduser().resolve() if value else None
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    @field_validator("always_loaded")
    @classmethod
    def _in_the_vault(cls, value: str) -> str:
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or not path.name or not value.isprintable():
            raise ValueError("it names no file of the vault")
        return path.as_posix()

    @field_validator("prefect_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)  # which raises `ValueError` itself, as a wrong port does
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if value and (not whole or not value.isprintable() or " " in value):
            raise ValueError("it is no address such as http://127.0.0.1:4200/api")
        return value

    @field_validator("consolidation_automatic")
    @classmethod
    def _banks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not re.fullmatch(r"private|shared|global|user:.+|scope:.+", name):
                raise ValueError(f"{name!r} is neither private, shared, global nor a bank's id")
        return value

    @property
    def resolved_database_url(self) -> str:
        """The database's URL with the default filled in."""
        return self.database_url or f"sqlite:///{paths.database_file()}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments over environment over the TOML file."""
        toml = TomlConfigSettingsSource(settings_cls, toml_file=paths.config_file())
        return init_settings, env_settings, toml


def load(**overrides: Any) -> Settings:
    """Read the settings.

    Raises `SettingsError` that names the file and the key.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"setting {key!r}: {first['msg']}{_given(key, first)}",
            remedy=f"correct it in {paths.config_file()} or in WELLKEPT_{key.upper()}",
        ) from None
    except (ValueError, OSError) as error:
        raise SettingsError(
            f"{paths.config_file()} cannot be read: {error}", remedy="it must be valid TOML"
        ) from None


def _given(key: str, error: ErrorDetails) -> str:
    """The refused value, unless it is a secret or may be one under a mistyped name."""
    field = Settings.model_fields.get(key)
    if field is None or "SecretStr" in str(field.annotation) or key == "database_url":
        return ""
    return f" (got {error['input']!r})"


def save(changes: Mapping[str, str | int | float], drop: Collection[str] = ()) -> Path:
    """Write top-level keys into the settings file and return it; other lines stay as they are.

    `drop` names keys to take out. Raises `SettingsError` for a file that is no TOML.
    """
    import tomllib

    file = paths.ensure_home() / paths.config_file().name
    try:
        text = file.read_text("utf-8") if file.exists() else ""
        tomllib.loads(text)
    except ValueError as error:
        raise SettingsError(f"{file} is no TOML: {error}", remedy="correct it by hand") from None
    named = [line for line in text.splitlines() if _key(line) not in {*changes, *drop}]
    lines = [f"{key} = {_toml(value)}" for key, value in changes.items()] + named
    temporary = file.with_suffix(".tmp")
    try:
        temporary.write_text("\n".join(lines) + "\n", "utf-8")
        temporary.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise SettingsError(
            f"{file} cannot be written: {error.strerror}", remedy="it is as it was; free the disk"
        ) from None
    return file


def _key(line: str) -> str:
    name, separator, _ = line.partition("=")
    return name.strip().strip("\"'") if separator else ""


def _toml(value: str | int | float) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
