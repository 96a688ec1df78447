"""The report is one page that asks nobody for anything, escapes everything and replaces nothing."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import Counter
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sqlmodel import select
from typer.testing import CliRunner

from memory_core import settings
from memory_core.cli.app import app
from memory_core.cli.report import axis, chart, gathered, page, writing
from memory_core.errors import BadInput, Permanent
from memory_core.proposals import queue
from memory_core.store.calls import Call, Calls
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, Calibration, ClearanceRow, ProposalRow, now

HOSTILE = "</td><script>alert(1)</script><img src=https://evil.example/x onerror=a>\u202e"
SECRET = "What is the name of the harbour's second crane?"
_VOID = {"meta", "line", "circle", "rect", "polyline"}


class Page(HTMLParser):
    """Every element with its attributes, the text of each, and what was left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data.strip()))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def said(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a held-out question and a name that tries to leave its place."""
    folder = tmp_path / "vault"
    (folder / ".wellkept" / "benchmark").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- Always speak Norwegian.\n", "utf-8")
    line = f'{{"id": "h1", "query": "{SECRET}", "note": "crane.md", "kind": "direct"}}\n'
    (folder / ".wellkept" / "benchmark" / "heldout.jsonl").write_text(line, "utf-8")
    monkeypatch.setenv("WELLKEPT_VAULT", str(folder))
    return folder


@pytest.fixture
def rich(vault: Path, database: Database) -> Path:
    """The same with a past: runs of both sets, clearances, calls, a proposal with findings."""
    moment, name = now(), str(vault)
    with database.write() as session:
        session.add(Calibration(
            at=moment - timedelta(days=9), judge="j", vault=name, floor=4.0, clearance=0.4,
            answered=0.6, quiet=0.96, separated=True, questions="benchmark", detail={},
        ))  # fmt: skip
        for day in range(1, 9):
            session.add(ClearanceRow(
                at=moment - timedelta(days=day), judge="j", vault=name, floor=4.0,
                clearance=0.1 * day - 0.3, best=4.0, worst=HOSTILE, questions=150,
            ))  # fmt: skip
        for day, hit in ((5, 0.8), (1, 0.9)):
            for of in ("working", "heldout"):
                session.add(BenchmarkRun(
                    at=moment - timedelta(days=day), name=of, judge="j", vault_commit="4be1f03",
                    floor=4.0, scores={"questions": 60, "hit@3": hit, "vault": name}, results=[],
                ))  # fmt: skip
    found = {"audit": "notes", "where": HOSTILE, "also": ["b.md"], "said": HOSTILE, "number": 3,
             "effect": {"said": "hit@3 +1.2 points"}, "handed": False}  # fmt: skip
    handed = {"audit": "notes", "where": "a.md", "said": "twice", "handed": True, "effect": None}
    run = queue.open_run(
        database, routine="optimize", subject=HOSTILE, run="r", user=settings.load().user,
        scope="", window={"findings": [found, handed, "no finding"]},
    )  # fmt: skip
    with database.write() as session:
        row = session.exec(select(ProposalRow).where(ProposalRow.id == run.id)).one()
        row.state = "open"
        session.add(row)
    calls = Calls()
    calls.add([Call(moment.timestamp() - 90_000 * day, "notes", "", 500.0) for day in (2, 1, 0)])
    calls.close()
    return vault


def test_it_asks_nobody_for_anything_and_runs_nothing(rich: Path) -> None:
    text = page.render(gathered.now())
    found = Page(text)
    assert not found.open
    assert not found.of("script") + found.of("img") + found.of("link") + found.of("iframe")
    assert not re.search(r"(?i)url\(|@import|\bsrc=|\bhref=", text.replace("src=https://evil", ""))
    for _, attributes in found.elements:
        assert not any(name.startswith("on") for name in attributes)
        assert not any("://" in (value or "") for value in attributes.values())
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [meta["content"] for meta in found.of("meta") if "http-equiv" in meta]
    assert policy and policy.startswith("default-src 'none'") and f"'sha256-{digest}'" in policy


def test_what_somebody_wrote_stays_text_in_its_cell(rich: Path) -> None:
    text = page.render(gathered.now())
    assert "<script" not in text and "<img" not in text and "\u202e" not in text
    shown = [cell for cell in Page(text).said("td") if "alert(1)" in cell]
    assert len(shown) >= 4 and all(r"\u202e" in cell for cell in shown)


def test_who_cannot_see_it_is_told_the_same(rich: Path) -> None:
    found = Page(page.render(gathered.now()))
    assert found.of("html")[0]["lang"] == "en" and found.said("title")[0].startswith("Wellkept")
    assert len(found.of("h1")) == 1 and len(found.of("main")) == 1
    assert len(found.of("caption")) == len(found.of("table")) >= 7
    charts = [svg for svg in found.of("svg") if svg.get("role") == "img"]
    ids = Counter(one["id"] for _, one in found.elements if one.get("id"))
    assert len(charts) == 3 and set(ids.values()) == {1}
    for svg in charts:
        assert all(name in ids for name in (svg["aria-labelledby"] or "").split())
    told = " ".join(found.said("desc"))
    assert "working set: from 0.800 on" in told and "to 0.900 on" in told
    assert all("aria-hidden" in svg for svg in found.of("svg") if svg not in charts)


def test_findings_come_with_their_number_and_effect_and_held_out_questions_never(
    rich: Path,
) -> None:
    found = Page(page.render(gathered.now()))
    cells, text = found.said("td"), " ".join(said for _, said in found.texts)
    assert "hit@3 +1.2 points" in cells and "handed to dream" in cells
    assert "2 findings of the run of" in text and "1 are offered" in text
    assert SECRET not in text and "0: nonsense would pass" in found.said("text")


def test_an_empty_memory_has_a_page_too(home: Path) -> None:
    found = Page(page.render(gathered.now()))
    text = " ".join(said for _, said in found.texts)
    for told in ("No benchmark has run yet", "No floor was measured", "was not called yet",
                 "No optimize run has reported yet", "Nothing waits", "No memory yet"):  # fmt: skip
        assert told in text


def test_the_command_writes_it_whole_and_writes_over_a_report_alone(
    vault: Path, tmp_path: Path
) -> None:
    file = tmp_path / "memory.html"
    for _ in range(2):
        done = CliRunner().invoke(app, ["report", "--output", str(file)])
        assert done.exit_code == 0, done.output
    assert file.read_text("utf-8").startswith(writing.MARK)
    assert file.stat().st_mode & 0o077 == 0
    assert [one.name for one in tmp_path.glob("*memory.html*")] == ["memory.html"]


def test_a_place_that_will_not_do_is_named_and_nothing_changes(tmp_path: Path) -> None:
    mine = tmp_path / "thesis.html"
    mine.write_text("<!doctype html>\n<p>three years</p>", "utf-8")
    refused = {
        mine: "no report of wellkept",
        tmp_path: "is a folder",
        tmp_path / "gone" / "r.html": "is not there",
    }
    for place, said in refused.items():
        with pytest.raises(BadInput, match=said):
            writing.write(place, "x")
    assert "three years" in mine.read_text("utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with pytest.raises(Permanent, match="cannot be written"):
        writing.write(closed / "r.html", "x")


def test_no_line_leads_from_one_model_s_scores_to_another_s() -> None:
    points = [(now() + timedelta(days=day), 0.5) for day in range(5)]
    drawn = chart.draw(chart.Chart("c", "t", "s", [chart.Line("hit@3", "a", points, [2])]))
    paths = re.findall(r'<polyline [^>]*points="([^"]*)"', drawn)
    assert [len(path.split()) for path in paths] == [2, 3] and drawn.count("<circle") == 5


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.8, 0.8), (-3.2, 0.1), (5.0, 5000.0)])
def test_an_axis_covers_its_values_with_round_ones(low: float, high: float) -> None:
    ticks = axis.values(low, high)
    assert ticks[0] <= low and ticks[-1] >= high and 2 <= len(ticks) <= 8
