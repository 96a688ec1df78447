"""The panel: two models of two other makers than the writer's, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from memory_core.errors import SettingsError
from memory_core.llm.vendor import certain, named
from memory_core.settings import Settings

MEMBERS = 2


@dataclass(frozen=True, slots=True)
class Panelist:
    """A member: who makes it, and settings whose language model it is."""

    vendor: str
    settings: Settings

    @property
    def name(self) -> str:
        """The model's name; of a command the program alone."""
        return " ".join(self.settings.llm_model.split()[:1])


def panel(settings: Settings) -> tuple[Panelist, ...]:
    """The configured members; none where no panel is set. Nothing is sent.

    Raises `SettingsError` unless they are two, and they and the writer have different makers.
    """
    if not settings.panel_models:
        return ()
    if len(settings.panel_models) != MEMBERS or not all(map(str.strip, settings.panel_models)):
        raise SettingsError(
            f"panel_models names {len(settings.panel_models)} model(s)",
            remedy=f"name {MEMBERS}, or none",
        )
    members = tuple(map(Panelist, _vendors(settings), _settings(settings)))
    _check_different(settings, members)
    return members


def _vendors(settings: Settings) -> Iterator[str]:
    bases = _each(settings, "panel_api_bases", settings.panel_api_bases)
    given = _each(settings, "panel_vendors", settings.panel_vendors)
    for model, base, vendor in zip(settings.panel_models, bases, given, strict=True):
        yield _maker(model, base, vendor, "panel_vendors")


def _settings(settings: Settings) -> Iterator[Settings]:
    bases = _each(settings, "panel_api_bases", settings.panel_api_bases)
    keys = _each(settings, "panel_api_keys", settings.panel_api_keys)
    for model, base, key in zip(settings.panel_models, bases, keys, strict=True):
        own = {
            "llm_model": model, "llm_api_base": base, "llm_api_key": key or SecretStr(""),
            "llm_context_tokens": 0,
        }  # fmt: skip
        yield settings.model_copy(update=own)


def _each(settings: Settings, name: str, given: Sequence[object]) -> list[object]:
    """One value a member; empty ones where fewer are given."""
    if len(given) > len(settings.panel_models):
        raise SettingsError(
            f"{name} has {len(given)} values for {len(settings.panel_models)} panel models",
            remedy='give one each, "" where there is none',
        )
    return [*given, *[""] * (len(settings.panel_models) - len(given))]


def _maker(model: str, base: object, given: object, setting: str) -> str:
    """Who makes a model; at an address of its own a name proves nothing."""
    if given:
        return named(str(given))
    found = "" if base else certain(model)
    if not found:
        name = " ".join(model.split()[:1])
        raise SettingsError(
            f"it is not known who makes {name}", remedy=f"name the maker in {setting}"
        )
    return found


def _check_different(settings: Settings, members: Sequence[Panelist]) -> None:
    seen = {member.vendor: member.name for member in members}
    if len(seen) < MEMBERS:
        one, other = members
        raise SettingsError(
            f"{one.name} and {other.name} of panel_models are both made by {one.vendor}",
            remedy="a panel needs two different makers",
        )
    if not settings.llm_model:
        return
    writer = _maker(settings.llm_model, settings.llm_api_base, settings.llm_vendor, "llm_vendor")
    if writer in seen:
        raise SettingsError(
            f"{seen[writer]} of panel_models is made by {writer}, as llm_model is",
            remedy="choose a model of another maker",
        )
