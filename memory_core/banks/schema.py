"""The three tools as JSON schemas, small and with the configured vocabulary.

Standard library only: the MCP relay prints them without loading anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

REFERENCE_TYPES = ("project", "item", "person", "branch")  # unless the settings name others
NAMES = ("remember", "recall_memories", "forget_memory")
INSTRUCTIONS = (
    "Long-term memory. Remember what will matter in a later session: preferences, decisions, "
    "deadlines, procedures; not what the files say already. Recall a memory before relying on "
    "its one-liner."
)
_TEXT = {"type": "string"}
_BANK = {"type": "string", "enum": ["private", "shared", "global"]}


def tools(
    reference_types: Sequence[str] = (), tag_kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Name, description and JSON schema (`parameters`) of each tool."""
    return [_remember(reference_types, tag_kinds), _recall(), _forget()]


def openai_tools(
    reference_types: Sequence[str] = (), tag_kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The tools in the form of OpenAI's chat completions (and of litellm)."""
    listed = tools(reference_types, tag_kinds)
    return [{"type": "function", "function": tool} for tool in listed]


def anthropic_tools(
    reference_types: Sequence[str] = (), tag_kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The tools in the form of Anthropic's messages API."""
    return _renamed(tools(reference_types, tag_kinds), "input_schema")


def mcp_tools(
    reference_types: Sequence[str] = (), tag_kinds: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The tools in the form of MCP's `tools/list`."""
    return _renamed(tools(reference_types, tag_kinds), "inputSchema")


def _renamed(listed: list[dict[str, Any]], field: str) -> list[dict[str, Any]]:
    return [
        {"name": tool["name"], "description": tool["description"], field: tool["parameters"]}
        for tool in listed
    ]


def _remember(reference_types: Sequence[str], tag_kinds: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "key": {**_TEXT, "description": "short slug, e.g. prefers-norwegian; link as [[key]]"},
        "description": {**_TEXT, "description": "one line, at most 200 characters"},
        "content": {**_TEXT, "description": "the fact itself, plain text, at most 2000"},
        "bank": {
            **_BANK,
            "description": "private (default): this user, this project; shared: everyone in "
            "the project; global: this user everywhere",
        },
    }
    if reference_types:
        fields["refs"] = _pairs(
            "type", reference_types,
            "Only where these hold: all types, any id of one type. Omit = keep, [] = everywhere",
        )  # fmt: skip
    if tag_kinds:
        fields["tags"] = _pairs("kind", tag_kinds, "Exact ontology ids it is about")
    fields["if_version"] = {"type": "integer", "description": "refuse if it changed since"}
    return _tool(
        "remember",
        "Save or rewrite one durable fact under a key.",
        fields,
        ["key", "description", "content"],
    )


def _recall() -> dict[str, Any]:
    fields = {
        "query": {**_TEXT, "description": "words of the subject, or a key"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
    }
    return _tool("recall_memories", "Search memories; returns full text.", fields, ["query"])


def _forget() -> dict[str, Any]:
    fields = {
        "key": {**_TEXT, "description": "key or id"},
        "bank": {**_BANK, "description": "default: the narrowest that has it"},
        "reason": _TEXT,
    }
    return _tool("forget_memory", "Remove one memory (can be undone).", fields, ["key"])


def _pairs(first: str, names: Sequence[str], description: str) -> dict[str, Any]:
    return {
        "type": "array",
        "description": description,
        "items": {
            "type": "object",
            "properties": {first: {**_TEXT, "enum": list(names)}, "id": _TEXT},
            "required": [first, "id"],
        },
    }


def _tool(
    name: str, description: str, fields: dict[str, Any], required: list[str]
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters}
