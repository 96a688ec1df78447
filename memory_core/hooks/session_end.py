"""The session-end hook: leaves the request for a wrap, which waits in the spool.

Nothing here waits for another process, so it costs the same with nothing listening.
"""

from __future__ import annotations

from memory_core.hooks import back, capturing, spool
from memory_core.hooks.payload import Payload


def run(payload: Payload) -> None:
    """Leave the request and start the capture process; raises `OSError`."""
    if not payload.session:
        return
    spool.put(back.pointer("session-end", payload))
    spool.closed(payload.session)
    capturing.start()
