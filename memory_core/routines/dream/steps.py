"""Steps: the commands and tool calls of a session, normalized so that uses can be compared.

A step's words are a program and its subcommands; its modes are flags that turn it into
another action (`--dry-run`). Arguments, other flags, directories, `sudo`, `ssh host` and
redirections do not count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream.general import is_general_command, is_general_tool
from memory_core.text import one_line

LONGEST = 1_000  # characters of an input that are read
SUBCOMMANDS = 3
_MODES = "--dry-run --check --diff --plan --validate --list --delete --rollback --undo -n"
_SHELL = re.compile(
    r"^(?:bash|sh|shell|zsh|terminal|powershell|local_shell|exec|exec_command|run_command|execute_command"
    r"|run_shell_command|run_terminal_cmd|container\.exec|command)$",
    re.IGNORECASE,
)
_REDIRECTION = re.compile(
    r"\d?>&\d?|&>>?\s*\S+|(?<![-=])\d?>>?\s*(?:/dev/null|[\w./~$-]+)"
    r"|<<-?\s*\S+[\s\S]*|<\s*[\w./~-]+"
)
_TOKEN = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;&|()"'])+|[;&|()\n]+|["']""")
_OPERATOR = re.compile(r"^[;&|()\n]+$")
_ASSIGNMENT = re.compile(r"^\w+=")
_SUBCOMMAND = re.compile(r"^[a-z][a-z_:.-]*[a-z]$|^[a-z]{2}$")
_FILE = re.compile(r"\.(?:[a-z]{1,5}\d?)$")
_BEFORE = "do then else ! time sudo nohup exec command env nice doas xargs"
_WRAPPING = "uv poetry pipx pnpm bundle hatch rye bunx npx npm yarn"
_CLOSING = "done fi esac for while if case function"
MODES, _ENDS = frozenset(_MODES.split()), frozenset(_CLOSING.split())
_LEADING, _WRAPPERS = frozenset(_BEFORE.split()), frozenset(_WRAPPING.split())
_RUNNERS = frozenset(("run", "exec", "tool", "x"))
_ACTION_KEYS = ("action", "operation", "command", "method", "op", "verb")
_IDENTIFIER = re.compile(r"^[A-Za-z][\w]*(?:[._-]\w+)*$")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One call: `tokens` are its words as typed, `command` its text in one line."""

    words: tuple[str, ...]
    modes: tuple[str, ...]
    tokens: tuple[str, ...]
    command: str
    general: bool
    session: str = ""
    turn: int = 0
    ref: str = ""
    at: str = ""


def of_exchange(exchange: Exchange) -> Iterator[Step]:
    """The steps of an exchange, in order."""
    at = exchange.at.isoformat()
    for span in exchange.spans:
        if span.name:
            for words, modes, tokens, general in _calls(span):
                text = one_line(" ".join(tokens))
                yield Step(
                    words,
                    modes,
                    tokens,
                    text,
                    general,
                    exchange.session,
                    exchange.turn,
                    span.ref,
                    at,
                )


def of_command(text: str) -> list[Step]:
    """The steps of a shell command line."""
    return [
        Step(words, modes, tokens, one_line(" ".join(tokens)), is_general_command(words))
        for words, modes, tokens in _commands(text[:LONGEST])
    ]


def _calls(span: Span) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]]:
    if is_shell(span.name):
        for words, modes, tokens in _commands(_command_of(span.input)[:LONGEST]):
            yield words, modes, tokens, is_general_command(words)
        return
    name = span.name.removeprefix("mcp__").replace("__", " ")
    action, shown = _action(span.input[:LONGEST])
    words = (*name.split(), *([action] if action else []))
    tokens = (*name.split(), *shown)
    yield words, (), tokens, is_general_tool(span.name)


def is_shell(name: str) -> bool:
    """Whether a tool of this name runs shell commands."""
    return _SHELL.match(name.rsplit("__", 1)[-1]) is not None


def _command_of(text: str) -> str:
    if not text.startswith(("{", "[")):
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return text
    command = (
        document.get("command", document.get("cmd")) if isinstance(document, dict) else document
    )
    if isinstance(command, list):
        words = [str(word) for word in command]
        return words[-1] if words[:1] in (["bash"], ["sh"], ["zsh"]) else " ".join(words)
    return str(command or "")


def _action(text: str) -> tuple[str, tuple[str, ...]]:
    """The verb of a tool's input, and the input as words to show."""
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except ValueError:
            return "", ()
        verb = next((str(document[key]) for key in _ACTION_KEYS if document.get(key)), "")
        verb = verb if _IDENTIFIER.match(verb) else ""
        rest = (f"{key}={_short(value)}" for key, value in document.items() if str(value) != verb)
        return verb, (*([verb] if verb else []), *rest)
    tokens = tuple(_TOKEN.findall(one_line(text)))
    first = tokens[0] if tokens else ""
    return (first if _IDENTIFIER.match(first) else ""), tokens[:12]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text)[:60]


def _commands(
    text: str, depth: int = 0
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """Words, modes and tokens of each simple command."""
    simple: list[str] = []
    for token in (*_TOKEN.findall(_REDIRECTION.sub(" ", text.replace("\\\n", " "))), ";"):
        if not _OPERATOR.match(token):
            simple.append(token)
            continue
        tokens, simple = _without_lead(simple), []
        if not tokens or tokens[0] in _ENDS:
            continue
        inner = _inner(tokens) if depth < 2 else ""
        if inner:
            yield from _commands(inner, depth + 1)
        elif words := _words(tokens):
            modes = tuple(sorted({t.split("=")[0] for t in tokens[1:]} & MODES))
            yield words, modes, tuple(tokens)


def _without_lead(tokens: list[str]) -> list[str]:
    while tokens and (tokens[0] in _LEADING or _ASSIGNMENT.match(tokens[0])):
        tokens = tokens[1:]
        while tokens and tokens[0].startswith("-"):
            tokens = tokens[1:]
    if len(tokens) > 2 and tokens[0] in _WRAPPERS and tokens[1] in _RUNNERS:
        skip = 2 if tokens[0] not in ("npm", "yarn") or tokens[1] == "exec" else 0
        tokens = _without_lead(tokens[skip:]) if skip else tokens
    if len(tokens) > 1 and tokens[0] in ("npx", "bunx") and not tokens[1].startswith("-"):
        tokens = tokens[1:]
    return tokens


def _inner(tokens: list[str]) -> str:
    """The command that runs on another host or in another shell."""
    if tokens[0] == "ssh":
        rest = list(_positional(tokens[1:]))
        return _unquoted(" ".join(rest[1:]))
    if tokens[0] in ("bash", "sh", "zsh") and len(tokens) > 2 and re.match(r"^-\w*c$", tokens[1]):
        return _unquoted(tokens[2])
    return ""


def _positional(tokens: list[str]) -> Iterator[str]:
    taken = False
    for at, token in enumerate(tokens):
        if taken:
            taken = False
        elif token.startswith("-") and len(token) == 2:
            taken = token not in ("-t", "-T", "-q", "-v", "-A")
        elif not token.startswith("-"):
            yield from tokens[at:]
            return


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _words(tokens: list[str]) -> tuple[str, ...]:
    """Program and subcommands."""
    program, rest = _unquoted(tokens[0]), tokens[1:]
    if (
        program in ("python", "python3", "ruby", "node", "bash", "sh", "perl", "deno", "bun")
        and rest
    ):
        if rest[0] == "-m" and len(rest) > 1:
            program, rest = rest[1], rest[2:]
        elif _FILE.search(rest[0]):
            program, rest = rest[0], rest[1:]
    if "/" in program:
        program = PurePosixPath(program).name
    if not re.search(r"\w", program) or program.startswith(("-", "$", "<", '"', "'", "#")):
        return ()
    if program in ("docker", "podman") and rest[:1] == ["compose"]:
        return (program, "compose", *_subcommands(rest[1:]))
    return (program, *_subcommands(rest))


def _subcommands(tokens: list[str]) -> Iterator[str]:
    """The words that name the action; flags and their values are stepped over at the front."""
    found, skip = 0, False
    for token in tokens:
        if skip:
            skip = False
        elif token.startswith("-") and not found:
            skip = "=" not in token
        elif (
            not token.startswith("-")
            and found < SUBCOMMANDS
            and _SUBCOMMAND.match(token)
            and not _FILE.search(token)
        ):
            found += 1
            yield token
        else:
            return
