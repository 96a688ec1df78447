"""The ontology file is checked in full, and tags match through its graph."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_core.banks.memory import Tag
from memory_core.banks.ontology import Ontology, load_ontology
from memory_core.errors import SettingsError, UnknownId
from tests.banks.conftest import FINANCE

HEAD = '[[instance]]\nkind = "domain"\nid = "finance"\n\n'


def _load(tmp_path: Path, text: str) -> Ontology:
    file = tmp_path / "ontology.toml"
    file.write_text(text, "utf-8")
    return load_ontology(file)


def _matches(tag: str, *here: str) -> bool:
    def parsed(text: str) -> Tag:
        return Tag(*text.split(":"))

    return parsed(tag) in FINANCE.reach(map(parsed, here))


def test_a_domain_tag_matches_every_descendant() -> None:
    assert _matches("domain:finance", "domain:finance")
    assert _matches("domain:finance", "domain:billing")
    assert _matches("domain:finance", "entity:invoice")
    assert not _matches("domain:billing", "domain:finance")
    assert not _matches("domain:finance", "entity:customer")


def test_a_relationship_tag_matches_either_endpoint() -> None:
    assert _matches("relationship:pays", "entity:customer")
    assert _matches("relationship:pays", "entity:invoice")
    assert _matches("relationship:pays", "relationship:pays")
    assert not _matches("relationship:pays", "domain:finance")
    assert not _matches("entity:customer", "relationship:pays")


def test_an_unknown_id_names_the_nearest_three() -> None:
    with pytest.raises(UnknownId, match="use an exact ontology id") as caught:
        FINANCE.check([Tag("entity", "invoices")])
    assert len(caught.value.nearest) == 3
    assert caught.value.nearest[0] == "entity:invoice"


def test_an_id_under_the_wrong_kind_is_unknown() -> None:
    with pytest.raises(UnknownId, match="domain:invoice"):
        FINANCE.check([Tag("domain", "invoice")])


def test_without_an_ontology_every_tag_is_refused() -> None:
    with pytest.raises(UnknownId, match="no ontology is configured"):
        load_ontology(None).check([Tag("domain", "finance")])


@pytest.mark.parametrize(
    ("added", "line", "what"),
    [
        ('[[instance]]\nkind = "entity"\nid = "finance"', 5, "declared already in line 1"),
        ('[[instance]]\nkind = "domain"\nid = "b"\nparent = "nowhere"', 5, "'nowhere'"),
        ('[[instance]]\nkind = "relationship"\nid = "r"\nsource = "finance"\ntarget = "x"', 5,
         "'x'"),
        ('[[instance]]\nkind = "relationship"\nid = "r"', 5, "source and target"),
        ('[[instance]]\nkind = "domain"\nid = "d"\nsource = "finance"\ntarget = "d"', 5,
         "nothing else"),
        ('[[instance]]\nkind = "a:b"\nid = "d"', 5, "no colon"),
        ('[[instance]]\nid = "d"', 5, "'kind'"),
        ('[[instance]]\nkind = "domain"\nid = 7', 5, "must be a text"),
        ('[[instance]]\nkind = "domain"\nid = "d"\nparnet = "finance"', 5, "'parnet'"),
        ('[[instance]]\nkind = "e"\nid = "p"\n[[instance]]\nkind = "e"\nid = "q"\nparent = "p"', 8,
         "not a domain"),
        ('[[instance]]\nkind = "domain"\nid = "a"\nparent = "b"\n'
         '[[instance]]\nkind = "domain"\nid = "b"\nparent = "a"', 5, "cycle: a -> b -> a"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(tmp_path: Path, added: str, line: int, what: str) -> None:
    with pytest.raises(SettingsError, match=f"line {line}: .*{what}"):
        _load(tmp_path, HEAD + added)


def test_broken_toml_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="line 1"):
        _load(tmp_path, "[[instance\n")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_ontology(tmp_path / "none.toml")
    with pytest.raises(SettingsError, match="list"):
        _load(tmp_path, 'instance = "x"\n')


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert _load(tmp_path, HEAD).kinds == ("domain",)
    file = tmp_path / "ontology.toml"
    file.write_text(HEAD + '[[instance]]\nkind = "entity"\nid = "x"\n', "utf-8")
    os.utime(file, (1, 1))
    assert load_ontology(file).kinds == ("domain", "entity")
