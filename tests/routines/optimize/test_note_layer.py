"""Notes that are double, mixed, nameless, unlinked or outdated are named; none is reworded."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from memory_core.routines.optimize import dates, links, note_layer
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.vectors import Vectors
from memory_core.routines.place import Ask
from memory_core.vault.note import parse
from tests.routines.optimize.auditing import SETS, audited, laid, no_vectors, of, vault

GARDEN = """
# Taxes

- The advance VAT return is due on the tenth.
- Receipts are scanned into the folder of the quarter.
- The tax office wants the turnover in whole euros.

## Garden

- Raspberries in the garden are cut back in August.
- Compost goes on the garden beds in March.
- The rain barrel in the garden is emptied before the frost.
"""


def found(root: Path, ask: Ask, **more: object) -> list[Finding]:
    return note_layer.findings(audited(root, ask, **more), Vectors(ask))


@pytest.mark.parametrize("name", sorted(one.name for one in SETS.iterdir() if one.is_dir()))
def test_the_faults_of_vaults_of_other_fields_are_found_and_nothing_else(
    ask: Ask, name: str
) -> None:
    gold = json.loads((SETS / name / "gold.json").read_text())
    seen = found(SETS / name / "vault", ask)
    broken = [
        [one.where, one.item.detail["link"]["from"], one.item.detail["link"]["to"]]
        if one.item else [one.where, one.said.partition("[[")[2].partition("]]")[0], ""]
        for one in of(seen, "broken-link")
    ]  # fmt: skip
    assert sorted(broken) == sorted(gold.get("broken_links", []))
    assert [one.where for one in of(seen, "no-description")] == gold.get("undescribed", [])
    assert [one.where for one in of(seen, "mixed")] == gold.get("mixed", [])
    assert {one.where for one in of(seen, "ended-date")} == set(gold.get("stale", []))
    assert not of(seen, "duplicate", "superseded")


def test_a_section_about_something_else_becomes_a_note_of_the_same_words(
    ask: Ask, tmp_path: Path
) -> None:
    root = vault(tmp_path / "v", taxes=GARDEN.strip())
    (mixed,) = of(found(root, ask), "mixed")
    assert mixed.item and mixed.item.detail["to"] == "garden.md"
    texts = laid(root, tmp_path / "copy", mixed.item)
    both = texts["taxes.md"] + texts["garden.md"]
    for line in GARDEN.strip().splitlines():
        assert both.count(line) == 1 or not line or line.startswith("#")
    assert "Raspberries" not in texts["taxes.md"]


def test_without_a_heading_a_run_apart_is_told_and_not_split(ask: Ask, tmp_path: Path) -> None:
    flat = GARDEN.replace("## Garden\n\n", "").replace("# Taxes\n\n", "").strip()
    (mixed,) = of(found(vault(tmp_path / "v", taxes=flat), ask), "mixed")
    assert mixed.item is None and mixed.numbers["points"] == 3


def test_a_missing_description_is_proposed_in_words_of_the_note_itself(
    ask: Ask, tmp_path: Path
) -> None:
    text = "---\nkey: kiln\n---\n\n# The kiln\n\n- It is fired at 1240 degrees.\n- Cool slowly."
    root = vault(tmp_path / "v", kiln=text)
    (bare,) = of(found(root, ask), "no-description")
    assert bare.item
    after = parse(laid(root, tmp_path / "copy", bare.item)["kiln.md"], "kiln.md")
    assert after.description == "The kiln: It is fired at 1240 degrees"
    assert after.points == parse(text + "\n", "kiln.md").points or len(after.points) == 2


def test_a_note_without_any_front_matter_gets_one(ask: Ask, tmp_path: Path) -> None:
    folder = vault(tmp_path / "v")
    (folder / "kiln.md").write_text("The kiln is fired at 1240 degrees.\n")
    (bare,) = of(found(folder, ask), "no-description")
    assert bare.item
    text = laid(folder, tmp_path / "copy", bare.item)["kiln.md"]
    assert text.endswith("\n\nThe kiln is fired at 1240 degrees.\n")


def meant(link: str, *keys: str) -> list[tuple[str, str]]:
    notes = [parse(f"- See [[{link}]] for more.\n", "here.md")]
    notes += [parse(f"---\nkey: {key}\n---\n- x\n", f"{key}.md") for key in keys]
    return [(one.link, one.to) for one in links.broken(notes)]


@pytest.mark.parametrize(
    ("link", "keys", "to"),
    [
        ("Kiln Firing", ["kiln-firing"], "kiln-firing"),
        ("kiln_firing.md", ["kiln-firing"], "kiln-firing"),
        ("firing", ["kiln-firing"], "kiln-firing"),
        ("kiln-firing-old", ["kiln-firing"], "kiln-firing"),
        ("kiln", ["kiln-firing", "kiln-glaze"], ""),
        ("kiln", ["kilning"], ""),
        ("throwing", ["kiln-firing"], ""),
        ("here", ["kiln-firing"], None),
        ("kiln-firing", ["kiln-firing"], None),
        ("plan.pdf", ["plan"], None),
    ],
)
def test_a_link_means_the_one_note_whose_name_differs_in_nothing_that_counts(
    link: str, keys: list[str], to: str | None
) -> None:
    assert meant(link, *keys) == ([] if to is None else [(link, to)])


def test_many_links_that_nobody_can_mend_are_told_together(ask: Ask, tmp_path: Path) -> None:
    links_ = " ".join(f"[[nowhere {number}x]]" for number in range(30))
    (told,) = of(found(vault(tmp_path / "v", a=f"- {links_}"), ask), "broken-link")
    assert told.numbers["found"] == 30


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The lease runs until 2026-06-15.", date(2026, 6, 15)),
        ("Leien gjelder til 15.06.2026, deretter på nytt.", date(2026, 6, 15)),
        ("Gültig bis 31. März 2026.", date(2026, 3, 31)),
        ("Freeze from 3 May 06:00 to Friday 7 May 10:00, 2026.", date(2026, 5, 7)),
        ("The offer expires on March 3rd, 2026.", date(2026, 3, 3)),
        ("Valid until June 2026.", date(2026, 6, 30)),
        ("The old one was used until 2026-06-15.", None),
        ("It runs at 03:30 (until 2026-06-15 at 02:00).", None),
        ("Installed on 2026-06-15.", None),
        ("The lease runs until 2027-06-15.", None),
        ("Valid until 31.02.2026.", None),
    ],
)
def test_a_date_is_past_only_where_something_ends_on_it(text: str, day: date | None) -> None:
    ended = [end for end, _ in dates.ended(text, date(2026, 11, 20))]
    assert ended == ([day] if day else [])


def test_a_note_that_no_question_and_no_recall_reached_is_told_where_both_are_known(
    ask: Ask, tmp_path: Path
) -> None:
    root = vault(tmp_path / "v", a="- One kiln.", b="- Two looms.", c="- Three wheels.")
    test = root / ".wellkept" / "benchmark"
    test.mkdir(parents=True)
    (test / "working.jsonl").write_text(
        '{"id": "w1", "query": "how many ovens", "note": "a.md", "answer_point": "One kiln."}\n'
    )
    (told,) = of(found(root, ask, shown={"b.md": 2}), "unreached")
    assert told.where == "c.md" and told.numbers == {"notes": 1, "of": 3}
    assert not of(found(root, ask), "unreached")


def test_without_vectors_links_dates_and_descriptions_are_still_audited() -> None:
    seen = found(SETS / "pastry" / "vault", no_vectors)
    assert len(of(seen, "broken-link")) == 2


def test_an_empty_vault_has_no_findings(ask: Ask, tmp_path: Path) -> None:
    assert found(vault(tmp_path / "v"), ask) == []
