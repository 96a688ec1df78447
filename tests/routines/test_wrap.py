"""What a wrap without a language model proposes of whole sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.benchmark import gold, sessions, wrap_score
from memory_core.benchmark.asking import in_process
from memory_core.proposals.item import Item
from memory_core.recall.recall import Models, Recall
from memory_core.record.exchange import Exchange, Span
from memory_core.routines.grounding import ungrounded
from memory_core.routines.place import Place
from memory_core.routines.wrap import WITHOUT_MODEL, draft
from memory_core.settings import Settings
from memory_core.text import one_line
from memory_core.vault.vault import Vault
from tests.routines.conftest import DEMO, OWN
from tests.routines.talk import AT, Setting
from tests.warm import Warm

NOTHING_LEARNED = ("w02", "w03", "w06", "w08", "w12", "w24", "w28")


@pytest.fixture(scope="module")
def scored(own: Setting) -> wrap_score.Score:
    known = gold.load(OWN / "gold.json")
    files = frozenset(note.file for note in own.place.notes)

    def drafter(exchanges: Sequence[Exchange], session: str) -> Sequence[Item]:
        return draft(exchanges, replace(own.place, session=session), own.ask).items

    return wrap_score.run(known, OWN / "transcripts", drafter, "MEMORY.md", files)


def test_most_facts_are_found_and_most_items_are_right(scored: wrap_score.Score) -> None:
    figures = scored.as_json()
    assert figures["recall"] >= 0.8, figures["missed"]
    assert figures["precision"] >= 0.8


def test_nothing_is_proposed_that_should_not_be(scored: wrap_score.Score) -> None:
    assert [(pair.session, pair.item.after) for pair in scored.wrong] == []
    assert (scored.secrets, scored.injections) == ((), ())


@pytest.mark.parametrize("session", NOTHING_LEARNED)
def test_a_session_in_which_nothing_was_learned_gives_no_item(
    scored: wrap_score.Score, session: str
) -> None:
    assert [item.after for item in scored.drafts[session]] == []


def test_every_quote_stands_in_its_row_and_grounds_the_text(scored: wrap_score.Score) -> None:
    for session, items in scored.drafts.items():
        recorded = sessions.exchanges(OWN / "transcripts" / f"{session}.jsonl")
        spans = {span.ref: span for one in recorded for span in one.spans}
        for item in items:
            assert ungrounded(item.after, [piece.quote for piece in item.evidence]) == []
            for piece in item.evidence:
                span = spans[piece.ref]
                held = one_line(f"{span.text}\n{span.input}\n{span.output}".replace("- ", " "))
                assert one_line(piece.quote.replace("- ", " ")) in held
                assert (piece.source, piece.session) == (span.source, session)
                assert piece.ref in {s.ref for s in recorded[piece.turn - 1].spans}


def test_an_item_names_what_its_note_says_of_it_now(scored: wrap_score.Score) -> None:
    moved = next(item for item in scored.drafts["w16"] if item.target == "choir-rehearsals.md")
    assert moved.detail["near"] == "- Rehearsals are on Thursdays at 20:00 in the parish hall."
    assert moved.action == "add"


def test_a_new_note_has_a_key_a_description_and_a_free_file(scored: wrap_score.Score) -> None:
    (item,) = scored.drafts["w27"]
    assert item.target == f"{item.detail['key']}.md"
    assert item.detail["description"] == item.title


@pytest.mark.parametrize("name", ["s05", "s10", "s16", "s08", "s20", "s13", "s03", "s12", "s19"])
def test_odd_transcripts_of_the_demo_give_no_secret_no_injection_and_no_crash(
    demo: Setting, name: str
) -> None:
    known = gold.load(DEMO / "gold.json")
    recorded = sessions.exchanges(DEMO / "sessions" / f"{name}.jsonl")
    items = draft(recorded, demo.place, demo.ask).items
    files = frozenset(note.file for note in demo.place.notes)
    score = wrap_score.judge(known, {name: items}, "MEMORY.md", files)
    assert (score.wrong, score.secrets, score.injections) == ((), (), ())
    if name in ("s05", "s10", "s20"):
        assert items == ()


def test_the_draft_says_that_no_model_wrote_it(demo: Setting) -> None:
    told = demo.wrap("user: hello", "agent: Hello.")
    assert (told.items, told.notices) == ((), (WITHOUT_MODEL,))


def test_without_recall_words_alone_route_and_a_notice_says_so(demo: Setting) -> None:
    not_calibrated = in_process(Recall(Settings(), Models(None, None, "none")), None)
    told = Setting(demo.place, not_calibrated).wrap(
        "user: the ci runner disks are full again, can you prune the docker images",
        "tool bash: ansible-playbook runners.yml => prune ok, disk 61 percent",
        "user: good. always prune the runner disks before a release, otherwise builds stop",
    )
    assert [item.target for item in told.items] == ["ci-runner-disk.md"]
    assert "not calibrated" in told.notices[1]


def test_the_warm_server_routes_by_meaning(warm: Warm) -> None:
    vault = Vault(warm.vault)
    place = Place.of(vault, user="u", scope="", session="s")
    told = Setting(place, lambda operation, payload: warm.call(f"/{operation}", payload)).wrap(
        "user: the pods of the image worker die at night, please look",
        "tool bash: kubectl describe pod image-worker => OOMKilled, limit 1536Mi",
        "agent: Panoramas need more memory than the limit, so the image worker must get "
        "`--max-pixels 60000000`, otherwise it is killed at the first one.",
        "user: great, that works",
    )
    assert [item.target for item in told.items] == ["k8s-oom-image-worker.md"]
    assert len(told.notices) == 1


def test_a_rule_for_every_session_goes_to_the_always_loaded_file_while_it_has_room(
    demo: Setting,
) -> None:
    rule = "user: always answer with the source first, in every session"
    (item,) = demo.wrap(rule).items
    assert (item.kind, item.target) == ("always-loaded", "MEMORY.md")
    full = replace(demo.place, cap=len(demo.place.always_loaded_text) + 10)
    told = Setting(full, demo.ask).wrap(rule)
    assert [item.kind for item in told.items] == ["note"]
    assert "MEMORY.md has no room" in told.notices[1]


def test_without_a_vault_a_rule_is_a_memory_of_the_user(demo: Setting) -> None:
    bare = Place("ola", "shop", "s", has_vault=False)
    told = Setting(bare, demo.ask).wrap(
        "user: never send mails for me without asking, in every session",
        "user: for the shop always ship on Mondays, the driver is there only then",
    )
    found = sorted((item.kind, item.target.rsplit(":", 1)[0]) for item in told.items)
    assert found == [("memory", "user:ola"), ("memory", "user:ola:shop")]
    assert all(not item.after.startswith("- ") for item in told.items)


def test_what_a_note_says_already_is_not_proposed_again(own: Setting) -> None:
    told = own.texts("user: remember that rehearsals are on Thursdays at 20:00 in the parish hall")
    assert told == []


def test_a_new_value_of_what_a_note_says_is_proposed(own: Setting) -> None:
    told = own.texts("user: remember that rehearsals are on Thursdays at 18:30 in the parish hall")
    assert told == ["- Remember that rehearsals are on Thursdays at 18:30 in the parish hall."]


def test_a_long_log_costs_seconds_and_gives_nothing(demo: Setting) -> None:
    log = "\n".join(
        f"2026-11-30T10:00:{n % 60:02} edge-{n} error must retry {n}" for n in range(900)
    )
    assert len(log) > 30_000
    assert demo.texts("user: look at this", f"tool bash: cat log => {log}", "agent: Ok.") == []


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "agent", "tool", "web"]),
            st.text(max_size=200),
            st.text(max_size=200),
        ),
        max_size=8,
    )
)
def test_no_session_makes_it_fail(demo: Setting, spans: list[tuple[str, str, str]]) -> None:
    exchange = Exchange("s/1", "s", "neutral", AT, AT, turn=1)
    for number, (source, text, more) in enumerate(spans):
        if source in ("user", "agent"):
            exchange.spans.append(Span(source, text, ref=str(number)))  # type: ignore[arg-type]
        else:
            span = Span(source, ref=str(number), name="bash", input=text, output=more)  # type: ignore[arg-type]
            exchange.spans.append(span)
    for item in draft([exchange], demo.place, demo.ask).items:
        assert item.after and item.evidence


def test_the_own_sessions_and_the_gold_fit_each_other() -> None:
    known = gold.load(OWN / "gold.json")
    notes = {file.name for file in (OWN / "vault").glob("*.md")}
    for session in known.sessions:
        lines = (OWN / "transcripts" / f"{session}.jsonl").read_text("utf-8").splitlines()
        for fact in known.facts_of(session):
            assert fact.targets <= notes | {gold.NEW}
            assert max(fact.turns) <= len(lines)
