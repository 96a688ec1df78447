"""A panel's objections: shown beside their items, clean, and counted against the decisions."""

from __future__ import annotations

from rich.text import Text

from memory_core.cli.review import standing
from memory_core.cli.review.screen import item_lines
from memory_core.proposals import foretold, render
from memory_core.proposals.item import Item
from tests.proposals.conftest import Place, add

DOUBT = "Only one session says so; the logs would settle it."


def challenged(target: str, text: str, *says: str) -> Item:
    detail = {"panel": ["openai/birch"], "description": text}
    if says:
        detail["objections"] = [{"model": "openai/birch", "says": one} for one in says]
    return add(target, text, detail=detail)


def test_objections_are_shown_wherever_an_item_is(place: Place) -> None:
    proposal = place.offer(challenged("alpha.md", "three", DOUBT), routine="dream")
    (item,) = proposal.open
    assert "**Objection** of openai/birch" in render.markdown(proposal)
    assert DOUBT in render.markdown(proposal)
    plain = "\n".join(line.plain for line in item_lines(item, None, 80) if isinstance(line, Text))
    assert "Objection of openai/birch" in plain and "the logs would settle it" in plain
    assert "panel:" not in plain


def test_what_a_panelist_writes_is_cleaned_before_it_is_stored(place: Place) -> None:
    token = "ghp_" + "x7Kq2mP9vR4tW8zB1nC5dF3gH6jL0sA" + "QyEuIo"
    dirty = f"It shows\n\x1b[31m {token}\u202e here. " + "word " * 600
    proposal = place.offer(challenged("alpha.md", "three", dirty), routine="dream")
    ((_, says),) = render.objections(proposal.open[0])
    assert token not in says and "\x1b" not in says and "\u202e" not in says and "\n" not in says
    assert len(says) <= 1500


def test_how_often_an_objection_foretold_a_rejection_is_counted(place: Place) -> None:
    proposal = place.offer(
        challenged("user:ada:one", "first of all", DOUBT),
        challenged("user:ada:two", "second thing", DOUBT),
        challenged("user:ada:three", "third matter"),
        add("user:ada:four", "nobody read this", detail={"description": "d"}),
        routine="dream",
    )
    assert foretold.counted(place.database, "ada") == {"objected": {}, "plain": {}}
    assert foretold.told(foretold.counted(place.database, "ada")) == ""
    numbers = {item.target.rpartition(":")[2]: item.number for item in proposal.open}
    chosen = numbers["three"], numbers["four"]
    place.decide(proposal.id, "apply chosen", chosen=chosen, never=(numbers["two"],))
    place.apply(proposal.id)
    counts = foretold.counted(place.database, "ada")
    assert counts == {"objected": {"skipped": 1, "rejected": 1}, "plain": {"applied": 1}}
    said = dict(standing.lines(standing.read(place.database, "ada")))["objections"]
    assert said == "2 items with an objection (1 rejected, 1 skipped), 1 without (1 applied)"
