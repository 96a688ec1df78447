"""What goes over the warm server's socket: JSON over HTTP/1.1; standard library only.

Every answer is one JSON object. A refused request has status 4xx or 503 and
`{"error": message, "remedy": text, "transient": bool}`.

| call | body | answer |
| --- | --- | --- |
| GET /health | | `{status: "ready" or "loading" or "failed", reason, version, pid, notes, ...}` |
| POST /recall | `{query, session?, cwd?, user?, scope?, limit?, explain?, deadline_ms?}` | an `Answer` (recall/answer.py) |
| POST /session-start | `{cwd, session, source, client}` | `{digest, always_loaded, proposals, notices}` |
| POST /embed | `{texts}` | `{vectors, model}` |
| POST /rerank | `{query, passages}` | `{scores, model}` |
| GET /index | | `{notes, passages, memories, problems, building, ...}` |
| GET /readings | | latencies by stage (p50, p95), counts, restarts |
| POST /tools/{name} | `{arguments, cwd?, user?, scope?}` | the tool's result |
"""  # noqa: E501

from __future__ import annotations

HEALTH = "/health"
RECALL = "/recall"
SESSION_START = "/session-start"
EMBED = "/embed"
RERANK = "/rerank"
INDEX = "/index"
READINGS = "/readings"
TOOLS = "/tools"

INJECTION_UNITS = 9_000  # UTF-16 code units; clients cut at 10,000
GUARD = "WELLKEPT_CHILD"  # set in every agent that Wellkept itself starts: hooks do nothing there
