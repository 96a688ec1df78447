"""Commands on memories: write, search, list, digest, remap."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from memory_core.cli.here import Refs, Scope, Tags, User, actor, here, toolbox
from memory_core.cli.output import Json, print_json

Bank = Annotated[str | None, typer.Option(help="private, shared or global.")]
IfVersion = Annotated[int | None, typer.Option(help="Refuse unless it is still this version.")]


def remember(
    key: Annotated[str, typer.Argument(help="A few words that name the fact.")],
    description: Annotated[str, typer.Option(help="One line.")],
    content: Annotated[str, typer.Option(help="The fact; - reads standard input.")],
    bank: Bank = None,
    if_version: IfVersion = None,
    everywhere: Annotated[bool, typer.Option(help="Drop its references and tags.")] = False,
    user: User = None,
    scope: Scope = None,
    ref: Refs = None,
    tag: Tags = None,
    json: Json = False,
) -> None:
    """Add a memory, or rewrite the one of that key.

    --ref and --tag say where it applies; without them a rewritten one keeps its own.
    """
    from memory_core.banks.project import located

    tools = toolbox(here(user, scope, None, None))
    refs, tags = located(ref or (), tag or ())
    none = () if everywhere else None
    text = sys.stdin.read() if content == "-" else content
    answer = tools.answer("remember", {
        "key": key, "description": description, "content": text, "bank": bank or "private",
        "refs": refs or none, "tags": tags or none, "if_version": if_version,
    })  # fmt: skip
    if json:
        return print_json(answer)
    typer.echo(f"{answer['action']} {answer['id']} ({answer['bank']})")
    if replaced := answer.get("replaced"):
        typer.echo(f"  it was: {replaced['content']}")
    return None


def recall_memories(
    query: Annotated[str, typer.Argument(help="Words of the subject.")],
    limit: Annotated[int, typer.Option(min=1, max=50)] = 5,
    user: User = None,
    scope: Scope = None,
    ref: Refs = None,
    tag: Tags = None,
    json: Json = False,
) -> None:
    """Search memories by words, as the agent's tool does."""
    tools = toolbox(here(user, scope, ref, tag))
    answer = tools.answer("recall_memories", {"query": query, "limit": limit})
    if json:
        return print_json(answer)
    for memory in answer["memories"]:
        _print(memory)
    if note := answer.get("note"):
        typer.echo(note)
    return None


def forget(
    key: Annotated[str, typer.Argument(help="A key, or a full id.")],
    bank: Bank = None,
    reason: Annotated[str, typer.Option(help="Why; the ledger keeps it.")] = "",
    if_version: IfVersion = None,
    user: User = None,
    scope: Scope = None,
    ref: Refs = None,
    tag: Tags = None,
    json: Json = False,
) -> None:
    """Remove a memory; `undo` brings it back."""
    values = {"key": key, "bank": bank, "reason": reason, "if_version": if_version}
    answer = toolbox(here(user, scope, ref, tag)).answer("forget_memory", values)
    if json:
        return print_json(answer)
    typer.echo(f"forgot {answer['forgot']['id']}; {answer['note']}")
    return None


def memories(
    bank: Bank = None,
    user: User = None,
    scope: Scope = None,
    ref: Refs = None,
    tag: Tags = None,
    json: Json = False,
) -> None:
    """List every memory of the visible banks, also those that do not apply here."""
    from memory_core.banks.context import applicable
    from memory_core.banks.toolbox import shown

    tools = toolbox(here(user, scope, ref, tag))
    seen = tools.context.banks if bank is None else (tools.context.bank(bank),)
    held = tools.banks.held(seen)
    fitting = {item.id for item in applicable(tools.context, held, tools.banks.rules.ontology)}
    listed = [{**shown(memory), "applies": memory.id in fitting} for memory in held]
    if json:
        return print_json({"memories": listed})
    for memory in listed:
        _print(memory)
    if not listed:
        typer.echo(f"no memory in {', '.join(map(str, seen))}")
    return None


def digest(
    user: User = None,
    scope: Scope = None,
    ref: Refs = None,
    tag: Tags = None,
    json: Json = False,
) -> None:
    """Print the section that an agent reads at every start."""
    tools = toolbox(here(user, scope, ref, tag))
    section = tools.digest()
    if not json:
        return typer.echo(section.text, nl=False)
    return print_json({
        "user": tools.context.user, "scope": tools.context.scope,
        "characters": len(section.text), "full": [bank.kind for bank in section.full],
        "lines": [{"key": line.key, "description": line.description} for line in section.lines],
        "text": section.text,
    })  # fmt: skip


def remap(
    old: Annotated[str, typer.Argument(help="The scope, or a folder of the project.")],
    new: Annotated[str, typer.Argument(help="The scope, or a folder of the project.")],
    json: Json = False,
) -> None:
    """Move a project's memories to another scope, of all users."""
    from memory_core import settings
    from memory_core.banks.banks import open_banks
    from memory_core.banks.project import scope_named
    from memory_core.banks.remap import remap as move_banks
    from memory_core.banks.writer import By

    source, target = scope_named(old), scope_named(new)
    by = By(actor(), f"remap {source} to {target}")
    moved = move_banks(open_banks(settings.load()), source, target, by)
    if json:
        return print_json({"from": source, "to": target, "moved": len(moved)})
    typer.echo(f"moved {len(moved)} memories from {source} to {target}")
    return None


def _print(memory: dict[str, Any]) -> None:
    where = [f"{ref['type']}:{ref['id']}" for ref in memory.get("refs", [])]
    where += [f"{tag['kind']}:{tag['id']}" for tag in memory.get("tags", [])]
    note = "" if memory.get("applies", True) else " (does not apply here)"
    only = f" [{', '.join(where)}]" if where else ""
    typer.echo(f"{memory['key']} ({memory['bank']}, version {memory['version']}){only}{note}")
    typer.echo(f"  {memory['description']}")
    typer.echo("".join(f"    {line}\n" for line in memory["content"].splitlines()), nl=False)


def mcp() -> None:
    """Offer the three memory tools over MCP on standard input and output."""
    from memory_core.mcp_server import main

    main(sys.argv[2:])
