"""Banks on a real database, and a context to stand in."""

from __future__ import annotations

import pytest

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.memory import Draft
from memory_core.banks.ontology import Instance, Ontology
from memory_core.banks.rules import Rules
from memory_core.banks.writer import By
from memory_core.store.database import Database

BY = By("agent", "test")

FINANCE = Ontology(
    {
        instance.id: instance
        for instance in (
            Instance("domain", "finance", "Finance"),
            Instance("domain", "billing", "Billing", parent="finance"),
            Instance("entity", "invoice", "Invoice", parent="billing"),
            Instance("entity", "customer", "Customer"),
            Instance("relationship", "pays", "Pays", source="customer", target="invoice"),
        )
    }
)


@pytest.fixture
def banks(database: Database) -> Banks:
    return Banks(database, Rules(ontology=FINANCE))


@pytest.fixture
def ada() -> Context:
    return Context("ada", "github.com/acme/shop")


def draft(key: str, description: str = "a line", content: str = "a fact", **where: object) -> Draft:
    return Draft(key, description, content, **where)  # type: ignore[arg-type]


def fill(banks: Banks, context: Context, kind: str, count: int) -> None:
    with banks.writing() as writer:
        for number in range(count):
            writer.remember(context.bank(kind), draft(f"{kind}-{number:02}"), BY)
