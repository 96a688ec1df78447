"""`wellkept bench add`, `check` and `list --questions`: the questions themselves.

The held-out set is added to and checked by a person on a terminal alone, and none of its
questions is ever printed.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from memory_core.cli.measuring import settings
from memory_core.cli.output import Json, print_json

SetName = Annotated[str, typer.Option("--set", help="working, or heldout in your own terminal.")]


def check(name: SetName = "working", json: Json = False) -> None:
    """Tell which questions no longer fit the vault; exit code 1 when one does not."""
    from memory_core.benchmark import heldout, questions, subject

    if name == questions.HELDOUT:
        _need_a_person()
    vault = subject.open_vault(settings())
    texts = {note.file: vault.read(note.file) for note in vault.scan().notes}
    if name == questions.HELDOUT:
        count, said = heldout.check(vault.root, texts)
        skipped = sum(not own for own, _ in said)
    else:
        asked = questions.load(vault.root, name)
        count, skipped = len(asked.questions), asked.skipped
        said = list(questions.check(asked.questions, texts))
        said += [("", problem) for problem in asked.problems]
    if json:
        problems = [{"id": own, "problem": problem} for own, problem in said]
        print_json({"set": name, "questions": count, "skipped": skipped, "problems": problems})
    else:
        for own, problem in said:
            typer.echo(f"{own or '-':8} {problem}")
        typer.echo(f"{count} questions, {len(said)} problems")
    raise typer.Exit(1 if said else 0)


def add(
    query: Annotated[str, typer.Argument(help="The request, as somebody would type it.")],
    note: Annotated[
        str | None, typer.Option(help="The right note's file; none = nonsense.")
    ] = None,
    point: Annotated[str | None, typer.Option(help="The words in it that answer.")] = None,
    kind: Annotated[str | None, typer.Option(help="direct, prompt, paraphrase, ...")] = None,
    tests: Annotated[str, typer.Option(help="What the question tests, in a few words.")] = "",
    own_id: Annotated[str, typer.Option("--id", help="By default the next number.")] = "",
    name: SetName = "working",
    json: Json = False,
) -> None:
    """Add a question to a set; without --note it is nonsense, on which quiet is right."""
    from memory_core.benchmark import heldout, questions, subject

    if name == questions.HELDOUT:
        _need_a_person()
    vault = subject.open_vault(settings())
    texts = {found.file: vault.read(found.file) for found in vault.scan().notes}
    wanted = kind or ("direct" if note else questions.NONSENSE)
    question = questions.Question(own_id, query, note, point, wanted, tests=tests)
    if name == questions.HELDOUT:
        id = heldout.add(vault.root, question, texts)
        told = {"id": id, "set": name}
    else:
        added = questions.add(vault.root, name, question, texts)
        told = {**asdict(added), "set": name}
    print_json(told) if json else typer.echo(f"{told['id']} added to the {name} set")


def show(name: str | None, *, json: bool) -> None:
    """Print the working set; raises `BadInput` for the held-out set."""
    from memory_core.benchmark import questions, subject
    from memory_core.text import one_line

    asked = questions.load(subject.open_vault(settings()).root, name or questions.WORKING)
    if json:
        rows = [{**asdict(question), "digest": question.digest} for question in asked.questions]
        return print_json({"questions": rows, "problems": asked.problems})
    for question in asked.questions:
        tests = f"  tests: {question.tests}" if question.tests else ""
        typer.echo(f"{question.id:8} {question.kind:12} {one_line(question.query)}")
        typer.echo(f"{'':8} {question.note or 'quiet is right'}{tests}")
    for problem in asked.problems:
        typer.echo(f"{'-':8} {problem}")
    typer.echo(f"{len(asked.questions)} questions, {asked.skipped} lines skipped")
    return None


def _need_a_person() -> None:
    from memory_core.cli.review import permission

    permission.need_a_person(
        "touch the held-out questions", "held-out questions are added and checked",
        "wellkept bench run --set heldout, which gives the scores alone, works everywhere",
    )  # fmt: skip
