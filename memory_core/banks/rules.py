"""What a memory must satisfy here: the caps, the reference types and the ontology."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_core.banks.bank import check_name
from memory_core.banks.caps import Caps
from memory_core.banks.context import Context
from memory_core.banks.memory import Draft, EntityRef, clean_draft
from memory_core.banks.ontology import Ontology, load_ontology
from memory_core.banks.schema import REFERENCE_TYPES
from memory_core.errors import UnknownId
from memory_core.settings import Settings


@dataclass(frozen=True, slots=True)
class Rules:
    """The configuration that every write passes."""

    caps: Caps = field(default_factory=Caps)
    reference_types: tuple[str, ...] = REFERENCE_TYPES
    ontology: Ontology = field(default_factory=Ontology)

    def checked(self, draft: Draft) -> Draft:
        """The draft cleaned.

        Raises `BadInput`, `FieldTooLong` or `UnknownId`.
        """
        draft = clean_draft(draft, self.caps)
        self._check_types(draft.refs or ())
        self.ontology.check(draft.tags or ())
        return draft

    def check_context(self, context: Context) -> None:
        """Raise `BadInput` or `UnknownId` for a context that no memory could match."""
        check_name("user", context.user)
        check_name("scope", context.scope)
        self._check_types(context.refs)
        self.ontology.check(context.tags)

    def _check_types(self, refs: Iterable[EntityRef]) -> None:
        for ref in refs:
            if ref.type not in self.reference_types:
                known = ", ".join(self.reference_types) or "none; leave references out"
                raise UnknownId(
                    f"there is no reference type {ref.type!r}",
                    remedy=f"the configured types are {known}",
                    nearest=self.reference_types[:3],
                )


def configured_rules(settings: Settings) -> Rules:
    """The rules that the settings give.

    Raises `SettingsError` for an ontology that does not hold.
    """
    hard = settings.bank_hard_limit
    soft = min(settings.bank_soft_limit, hard)
    caps = Caps(
        key=settings.key_cap,
        description=settings.description_cap,
        content=settings.content_cap,
        hard=hard,
        soft=soft,
        target=min(settings.bank_target, soft),
    )
    types = REFERENCE_TYPES if settings.reference_types is None else settings.reference_types
    return Rules(caps, types, load_ontology(settings.ontology))
