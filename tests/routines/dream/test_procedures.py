"""A procedure is what was done in four separate uses; habits of everybody are none."""

from __future__ import annotations

import json

import pytest

from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream import dream, wording
from tests.routines.dream.talk import agent, dreamed, note, place, session, shell, tool, user

STEPS = ("relayctl drain {0}", "relayctl patch {0} --reboot", "relayctl verify {0} --deep")


def use(name: str, host: str, *, day: int, extra: tuple[Span, ...] = ()) -> list[Exchange]:
    spans = [shell(step.format(host)) for step in STEPS]
    return session(
        name, [user(f"patch the relay host {host}"), spans[0], *extra, *spans[1:]], day=day
    )


def uses(count: int) -> list[Exchange]:
    return [one for at in range(count) for one in use(f"s{at}", f"host-{at}", day=at)]


def test_four_uses_make_a_procedure_and_three_do_not() -> None:
    assert dreamed(uses(3)).procedures == ()
    (found,) = dreamed(uses(4)).procedures
    assert [part.sign for part in found.procedure.core] == [
        ("relayctl", "drain"),
        ("relayctl", "patch"),
        ("relayctl", "verify"),
    ]
    assert wording.lines(found.procedure) == [
        "1. `relayctl drain host-<number>`",
        "2. `relayctl patch host-<number> --reboot`",
        "3. `relayctl verify host-<number> --deep`",
    ]


def test_the_item_is_a_note_that_cites_every_use() -> None:
    drafted = dream.draft(dreamed(uses(5)), place())
    (item,) = drafted.items
    assert (item.action, item.kind) == ("add", "note")
    assert {piece.session for piece in item.evidence} == {f"s{at}" for at in range(5)}
    assert all(piece.ref and piece.turn == 1 and piece.source == "tool" for piece in item.evidence)
    assert "Done 5 times between 2026-10-01 and 2026-10-05" in item.after
    assert "relay" in item.title and item.detail["uses"] == 5


def test_order_retries_and_what_stands_between_do_not_matter() -> None:
    mixed = [
        *use("a", "x1", day=0, extra=(shell("ls -la"), agent("Drained."), shell("git status"))),
        *session(
            "b",
            [
                user("patch x2"),
                shell("cd /srv && sudo relayctl drain x2 2>&1 | tail -3"),
                shell("relayctl drain x2", "error: busy", True),
                shell("relayctl drain x2"),
                shell("relayctl verify x2 --deep"),
                shell("relayctl patch x2 --reboot"),
            ],
            day=1,
        ),
        *session(
            "c",
            [user("patch x3"), shell("ssh bastion 'relayctl drain x3'")],
            [user("go on"), shell("TOKEN=a relayctl patch x3 --reboot; relayctl verify x3 --deep")],
            day=2,
        ),
        *session(
            "d",
            [
                user("patch x4"),
                shell("for h in x4; do relayctl drain $h; done"),
                shell("relayctl patch x4"),
                shell("relayctl verify x4"),
            ],
            day=3,
        ),
    ]
    (found,) = dreamed(mixed).procedures
    assert len(found.procedure.uses) == 4
    assert [part.sign[1] for part in found.procedure.core] == ["drain", "patch", "verify"]


def test_a_step_of_some_uses_is_a_variation() -> None:
    window = [
        one
        for at in range(5)
        for one in use(
            f"s{at}", f"x{at}", day=at, extra=(shell(f"relayctl snapshot x{at}"),) if at < 2 else ()
        )
    ]
    (found,) = dreamed(window).procedures
    assert "2. `relayctl snapshot <name>`, in 2 of 5 uses" in wording.lines(found.procedure)


def test_what_everybody_does_is_no_procedure() -> None:
    spans = [
        shell("git status"),
        tool("Edit", '{"file": "a.py"}'),
        shell("npm run build && npm test"),
        shell("kubectl get pods"),
        shell("git commit -am x"),
        shell("git push"),
        shell("ls; cat a | head"),
    ]
    window = [one for at in range(8) for one in session(f"s{at}", [user("fix it"), *spans], day=at)]
    assert dreamed(window).procedures == ()


def test_six_hosts_in_one_sitting_are_one_use_and_another_day_is_another() -> None:
    loop = [shell(step.format(host)) for host in "abcdef" for step in STEPS]
    assert dreamed(session("s", [user("patch all"), *loop])).procedures == ()
    turns = [
        [user("patch the next"), *(shell(step.format(host)) for step in STEPS)] for host in "abcd"
    ]
    (found,) = dreamed(session("s", *turns, hours=12)).procedures
    assert len(found.procedure.uses) == 4
    assert dreamed(session("s", *turns, hours=1)).procedures == ()


def test_what_a_timer_does_is_no_use() -> None:
    window = [
        one
        for at in range(6)
        for one in session(
            f"s{at}",
            [user("[cron: nightly] patch"), *(shell(step.format("x")) for step in STEPS)],
            day=at,
        )
    ]
    assert dreamed(window).procedures == ()


def test_tool_calls_count_by_tool_and_action() -> None:
    window = [
        one
        for at in range(4)
        for one in session(
            f"s{at}",
            [
                user("order a panel"),
                tool("labsys", json.dumps({"action": "create", "animal": at})),
                tool("mcp__courier__book_pickup", json.dumps({"when": f"1{at}:00"})),
            ],
            day=at,
        )
    ]
    (found,) = dreamed(window).procedures
    assert wording.lines(found.procedure) == [
        "1. `labsys create animal=<animal>`",
        "2. `courier book_pickup when=<when>`",
    ]


def test_a_note_that_tells_the_procedure_leaves_nothing_to_offer() -> None:
    told = note("patching", *(f"Then `{step.format('HOST')}`." for step in STEPS))
    findings = dreamed(uses(4), told)
    assert dream.draft(findings, place(told)).items == ()


def test_a_note_that_lacks_a_step_is_revised_by_that_step() -> None:
    told = note(
        "patching", "`relayctl drain HOST`, then `relayctl patch HOST`.", "Ask Milan first."
    )
    (item,) = dream.draft(dreamed(uses(4), told), place(told)).items
    assert (item.action, item.target) == ("revise", "patching.md")
    assert item.before == told.points[0].text and item.after.startswith(item.before)
    assert "relayctl verify" in item.after and "relayctl drain" not in item.after.removeprefix(
        item.before
    )


@pytest.mark.parametrize("order", [1, -1])
def test_sessions_may_come_in_any_order(order: int) -> None:
    sessions = [use(f"s{at}", f"x{at}", day=at) for at in range(4)][::order]
    (found,) = dreamed([one for own in sessions for one in own]).procedures
    assert len(found.procedure.uses) == 4
