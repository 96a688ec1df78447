"""The tools over MCP's streamable HTTP, for clients that do not start processes.

Loopback only, with a bearer token that lasts (`mcp.token` in the state folder), and off
unless the setting `mcp_port` names a port. A client says where it stands in the headers
`X-Wellkept-Cwd` or `X-Wellkept-Scope`, and `X-Wellkept-User` if it is not the setting's.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_core.banks.schema import INSTRUCTIONS, mcp_tools
from memory_core.errors import WellkeptError
from memory_core.server.bodies import ToolBody, parse
from memory_core.server.loopback import HOST
from memory_core.server.memory import MemoryDesk

if TYPE_CHECKING:
    from mcp.server import Server

PATH = "/mcp"
_HEADERS = ("cwd", "scope", "user")


def build(desk: MemoryDesk, token: str) -> ASGIApp:
    """The application; every request must carry the token as a bearer."""
    application = _server(desk).streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, host=HOST
    )

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _shows(scope, token):
            refused = JSONResponse({"error": "the token is missing or wrong"}, status_code=401)
            return await refused(scope, receive, send)
        return await application(scope, receive, send)

    return guarded


def _server(desk: MemoryDesk) -> Server[dict[str, Any]]:
    from mcp import types
    from mcp.server import Server, ServerRequestContext

    Call = ServerRequestContext[dict[str, Any], Any]  # noqa: N806

    async def listed(
        _context: Call, _page: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        rules = (await asyncio.to_thread(desk.banks)).rules
        tools = mcp_tools(rules.reference_types, rules.ontology.kinds)
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools])

    async def called(context: Call, call: types.CallToolRequestParams) -> types.CallToolResult:
        given = context.request.headers if context.request else {}
        place = {name: given.get(f"x-wellkept-{name}", "") for name in _HEADERS}
        try:
            body = parse(ToolBody, {**place, "arguments": call.arguments or {}})
            answer = await asyncio.to_thread(desk.call, call.name, body)
        except WellkeptError as error:
            answer = {"ok": False, "error": error.message, "next": error.remedy}
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], is_error=not answer["ok"])

    return Server(
        "wellkept",
        version=version("wellkept"),
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _shows(scope: Scope, token: str) -> bool:
    shown = dict(scope["headers"]).get(b"authorization", b"")
    return secrets.compare_digest(shown, f"Bearer {token}".encode())
