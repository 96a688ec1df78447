"""What goes over the warm server's socket: JSON over HTTP/1.1; standard library only.

Every answer but one is a JSON object. A refused request has status 4xx or 503 and
`{"error": message, "remedy": text, "transient": bool, "kind": class in errors.py}`.

| call | body | answer |
| --- | --- | --- |
| GET /health | | `{status: "ready" or "loading" or "failed", reason, version, protocol, pid, ...}` |
| POST /recall | `{query, session?, cwd?, user?, scope?, limit?, explain?, deadline_ms?, hook_ms?, bulk?}` | an `Answer` (recall/answer.py), `vault`, `notice`, `digest` when the session has another |
| POST /session-start | `{cwd, session, source, client}` | `{digest, always_loaded, proposals, notices}` |
| POST /embed | `{texts}` | `{vectors, reads, model}`; `reads`: does the vocabulary know the script |
| POST /rerank | `{query, passages}` | `{scores, model}` |
| POST /read | `{groups: [{query, passages}]}`, 12 passages at most in each | `{scores: [[...]], model}`, a group read at once |
| GET /index | | `{notes, passages, memories, problems, building, ...}` |
| GET /readings | | latencies by stage (p50, p95), counts, restarts |
| GET /metrics | | the same for Prometheus, in its text format: the one answer that is no JSON |
| POST /tools/{name} | `{arguments, cwd?, user?, scope?, refs?, tags?, actor?, session?}` | the tool's document, `{ok, ...}` (banks/toolbox.py) |

`deadline_ms` counts from the arrival of the request; a recall that cannot answer by
then answers `unavailable` with the reason. `hook_ms` is the age of the asking hook
process, so that readings show what a person waits. `bulk` lets others go first.
"""  # noqa: E501

from __future__ import annotations

VERSION = 1  # rises when an older client or server would misunderstand the other

HEALTH = "/health"
RECALL = "/recall"
SESSION_START = "/session-start"
EMBED = "/embed"
RERANK = "/rerank"
READ = "/read"
INDEX = "/index"
READINGS = "/readings"
METRICS = "/metrics"
TOOLS = "/tools"

BODY_BYTES = 4 * 1024 * 1024  # a longer request body is refused with 413
ANSWER_BYTES = 64 * 1024 * 1024  # a longer answer is no answer of ours
QUERY_CHARACTERS = 200_000  # of a longer request a hook sends the beginning and the end

INJECTION_UNITS = 9_000  # UTF-16 code units; clients cut at 10,000
DEADLINE_MS = 1000  # front hook, process start included, unless the settings say otherwise
GUARD = "WELLKEPT_CHILD"  # set in every agent that Wellkept itself starts: hooks do nothing there
TRANSPORT = "WELLKEPT_TRANSPORT"  # "tcp" = loopback with a token instead of the Unix socket
