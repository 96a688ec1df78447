"""The model's door, against a real OpenAI-compatible server: replies, errors, books."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading

import pytest

from memory_core import llm
from memory_core.errors import (
    BadInput,
    ModelRefused,
    ModelUnavailable,
    OverBudget,
    ReplyRefused,
    SettingsError,
    WellkeptError,
)
from memory_core.settings import load
from memory_core.store.database import Database
from memory_core.testing import KEY, Answer, StubModel
from tests.llm.conftest import GOOD, PROMPT, Ask, Facts, calls

BROKEN = [
    "{'facts': ['a']}",
    '{"fakta": ["a"]}',
    "",
    '{"facts": ["a", "b',
    "Invalid API key · Please run /login",
    "insufficient balance",
    "<html><body>502</body></html>",
]


def test_a_reply_becomes_an_object_and_one_row(ask: Ask, database: Database) -> None:
    with StubModel(GOOD) as stub:
        assert ask(stub.settings()) == Facts(facts=["tests run with make test"])
        assert stub.headers[0]["authorization"] == f"Bearer {KEY}"
    (row,) = calls(database)
    assert (row.routine, row.run, row.model, row.prompt) == ("wrap", "r1", "openai/stub", PROMPT.id)
    assert (row.tokens_in, row.tokens_out, row.usd, row.error, row.reply) == (100, 20, None, "", "")


@pytest.mark.parametrize("reply", BROKEN)
def test_an_unusable_reply_is_sent_back_with_its_fault(
    reply: str, ask: Ask, database: Database
) -> None:
    with StubModel([reply, GOOD]) as stub:
        assert ask(stub.settings()).facts == GOOD["facts"]
        told = stub.requests[1]["messages"]
    refused, used = calls(database)
    assert [one["role"] for one in told] == ["system", "user", "assistant", "user"]
    assert refused.error.removeprefix("reply refused: ") in told[3]["content"]
    assert (refused.reply, used.error) == (reply, "")


@pytest.mark.parametrize("reply", BROKEN)
def test_a_reply_that_stays_unusable_fails_the_run_and_is_kept_raw(
    reply: str, ask: Ask, database: Database
) -> None:
    with StubModel(reply) as stub, pytest.raises(ReplyRefused) as caught:
        ask(stub.settings())
    assert len(stub.requests) == 3
    assert caught.value.reply == reply
    assert [row.reply for row in calls(database)] == [reply] * 3


def test_a_reply_that_reached_the_most_tokens_is_asked_for_again_shorter(ask: Ask) -> None:
    with StubModel([Answer('{"facts": ["a', finish="length"), GOOD]) as stub:
        assert ask(stub.settings()).facts == GOOD["facts"]
        assert "cut" in stub.requests[1]["messages"][3]["content"]


def test_a_kept_reply_is_redacted(ask: Ask, database: Database) -> None:
    secret = "export PGPASSWORD=tr0ll-fjell-99"
    with StubModel(f"I saw {secret}") as stub, pytest.raises(ReplyRefused) as caught:
        ask(stub.settings())
    assert "tr0ll-fjell-99" not in caught.value.reply + stub.sent
    assert all("tr0ll-fjell-99" not in row.reply for row in calls(database))


def test_too_many_requests_with_a_wait_are_asked_again_after_it(ask: Ask) -> None:
    limited = Answer("slow down", status=429, headers={"Retry-After": "0"})
    with StubModel([limited, GOOD]) as stub:
        assert ask(stub.settings()).facts == GOOD["facts"]
        assert len(stub.requests) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_what_may_pass_is_transient(status: int, ask: Ask, database: Database) -> None:
    with StubModel(Answer("slow down", status=status)) as stub:
        with pytest.raises(ModelUnavailable):
            ask(stub.settings())
        assert len(stub.requests) == 1
    (row,) = calls(database)
    assert row.error == f"openai/stub answered {status}: slow down"
    assert (row.tokens_in, row.tokens_out) == (0, 0)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "no such parameter"),
        (400, "This model's maximum context length is 8192 tokens."),
        (401, "Incorrect API key provided"),
        (402, "Payment required"),
        (403, "forbidden"),
        (404, "no such model"),
        (429, "Insufficient Balance"),
        (429, "You exceeded your current quota, please check your plan and billing details."),
    ],
)
def test_what_stays_as_it_is_is_permanent(status: int, message: str, ask: Ask) -> None:
    answer = Answer(message, status=status, headers={"Retry-After": "0"})
    with StubModel(answer) as stub:
        with pytest.raises(ModelRefused) as caught:
            ask(stub.settings())
        assert len(stub.requests) == 1
    assert message in str(caught.value) and caught.value.remedy


@pytest.mark.parametrize(
    "body",
    ["<html>log in to the hotel</html>", "not JSON", "{}", '{"error": {"message": "quota"}}'],
)
def test_an_answer_that_is_none_is_an_error(body: str, ask: Ask) -> None:
    with StubModel(Answer(body=body)) as stub:
        with pytest.raises((ModelUnavailable, ModelRefused)) as caught:
            ask(stub.settings())
    assert "hotel" not in str(caught.value)


def test_no_server_and_a_slow_one_are_transient(ask: Ask) -> None:
    with StubModel(Answer("late", delay=3)) as stub:
        with pytest.raises(ModelUnavailable):
            ask(stub.settings(llm_timeout_s=1))
        settings = stub.settings(llm_api_base="http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailable):
        ask(settings)


def test_a_model_that_litellm_does_not_know_is_refused(ask: Ask) -> None:
    with pytest.raises(ModelRefused, match="nosuch/model"):
        ask(load(llm_model="nosuch/model"))
    with pytest.raises(SettingsError, match="no language model"):
        ask(load())


def test_a_run_over_its_budget_refuses_before_it_asks(ask: Ask, database: Database) -> None:
    with StubModel(GOOD) as stub:
        settings = stub.settings(llm_tokens_a_run=900)
        ask(settings)
        with pytest.raises(OverBudget) as caught:
            ask(settings, talk="word " * 600)
        assert len(stub.requests) == 1
        ask(settings, run="r2")
    told = str(caught.value)
    assert "120 tokens used of this run" in told and "900" in told and "llm_tokens_a_run" in told
    assert len(calls(database)) == 2


def test_all_runs_share_the_budget_of_a_day(ask: Ask) -> None:
    with StubModel(Answer('{"facts": []}', tokens=(1500, 200))) as stub:
        settings = stub.settings(llm_tokens_a_day=2000)
        ask(settings, run="r1")
        with pytest.raises(OverBudget, match="1,700 tokens used in the last 24 hours"):
            ask(settings, run="r2")


def test_a_reply_may_have_what_the_budget_leaves(ask: Ask) -> None:
    with StubModel(GOOD) as stub:
        ask(stub.settings(llm_tokens_a_run=1500))
        ask(stub.settings(), run="r2")
    small, whole = (request["max_tokens"] for request in stub.requests)
    assert 256 <= small < 1500 and whole == 8000


def test_calls_at_the_same_time_do_not_spend_the_same_tokens(ask: Ask) -> None:
    with StubModel(Answer('{"facts": []}', delay=1, tokens=(300, 700))) as stub:
        settings = stub.settings(llm_tokens_a_day=1500)
        failed: list[BaseException] = []

        def call(run: str) -> None:
            try:
                ask(settings, run=run)
            except OverBudget as error:
                failed.append(error)

        threads = [threading.Thread(target=call, args=(f"r{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(stub.requests), len(failed)) == (1, 3)


def test_a_request_that_the_model_cannot_hold_is_refused_before_it_goes_out(ask: Ask) -> None:
    with StubModel(GOOD) as stub:
        with pytest.raises(ModelRefused, match="llm_context_tokens"):
            ask(stub.settings(llm_context_tokens=2000), talk="word " * 3000)
        assert stub.requests == []


def test_the_cost_of_a_run_is_the_sum_of_its_calls(ask: Ask, database: Database) -> None:
    with StubModel(["nonsense", GOOD]) as stub:
        ask(stub.settings())
    assert llm.cost(database, "r1") == {
        "calls": 2, "tokens_in": 200, "tokens_out": 40, "usd": None, "models": ["openai/stub"],
    }  # fmt: skip
    assert llm.cost(database, "none")["usd"] == 0


def test_a_price_that_is_known_is_kept(ask: Ask, database: Database) -> None:
    with StubModel(GOOD) as stub:
        ask(stub.settings(llm_model="openai/gpt-4o"))
        assert stub.requests[0]["response_format"]["type"] == "json_schema"
    assert (calls(database)[0].usd or 0) > 0


def test_a_server_without_response_formats_is_asked_in_words(ask: Ask) -> None:
    refusal = Answer("unknown parameter response_format", status=400)
    with StubModel([refusal, GOOD]) as stub:
        assert ask(stub.settings(llm_model="openai/gpt-4o")).facts == GOOD["facts"]
        assert "response_format" not in stub.requests[1]


def test_tokens_are_counted_where_the_server_does_not_say(ask: Ask, database: Database) -> None:
    with StubModel(Answer('{"facts": []}', tokens=None)) as stub:
        ask(stub.settings())
    (row,) = calls(database)
    assert 100 < row.tokens_in < 1000 and 3 < row.tokens_out < 30


def test_a_server_that_counts_less_than_nothing_gives_no_tokens_back(
    ask: Ask, database: Database
) -> None:
    with StubModel(Answer('{"facts": []}', tokens=(-5000, -5000))) as stub:
        ask(stub.settings())
    (row,) = calls(database)
    assert row.tokens_in > 100 and row.tokens_out > 3


def test_an_answer_without_a_choice_says_so(ask: Ask) -> None:
    with StubModel(Answer(body='{"id": "x", "object": "chat.completion", "choices": []}')) as stub:
        with pytest.raises(ModelUnavailable, match="answered nothing"):
            ask(stub.settings())


@pytest.mark.parametrize("words", ["x" * 300_000, "*" * 300_000, "Error" * 60_000])
def test_a_failure_of_any_length_is_told_in_a_line(words: str, ask: Ask) -> None:
    with StubModel(Answer(words, status=500)) as stub:
        with pytest.raises(ModelUnavailable) as caught:
            ask(stub.settings())
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_neither_key_nor_prompt_gets_into_errors_logs_or_output(
    status: int,
    ask: Ask,
    database: Database,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    talk = "the quick brown fox jumps over the lazy dog of Stabburveien"
    caplog.set_level(logging.DEBUG)
    with StubModel(Answer(f"bad key {KEY} for {talk}", status=status)) as stub:
        with pytest.raises(WellkeptError) as caught:
            ask(stub.settings(), talk=talk)
        shown = "".join([str(caught.value), caplog.text, *capfd.readouterr()])
    shown += "".join(row.error for row in calls(database))
    assert KEY not in shown and "Stabburveien" not in shown
    assert caught.value.__context__ is None and caught.value.__cause__ is None


def test_a_wrong_key_is_not_shown_by_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert KEY not in repr(load(llm_api_key=KEY))
    for name in ("llm_api_kee", "llm_api_key"):
        with pytest.raises(SettingsError) as caught:
            load(**{name: {"value": KEY}})
        assert KEY not in str(caught.value) and name in str(caught.value)


def test_the_key_of_the_environment_does_not_go_to_another_server(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-vendor-0000000000")
    with StubModel(GOOD) as stub:
        ask(stub.settings(llm_api_key=""))
        assert stub.headers[0]["authorization"] == "Bearer none"


def test_a_prompt_wants_exactly_its_places(database: Database) -> None:
    with StubModel(GOOD) as stub, pytest.raises(BadInput, match="talk, most"):
        llm.complete(
            stub.settings(), database, routine="wrap", run="r", prompt=PROMPT,
            values={"talk": "a"}, schema=Facts,
        )  # fmt: skip


def test_the_door_is_imported_without_litellm() -> None:
    code = "import memory_core.llm, sys; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
