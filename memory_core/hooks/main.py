"""`wellkept-hook front|back|session-start|session-end [--client NAME]`.

Prints one exact JSON document or nothing, ends with 0 whatever happens and within the
deadline, and does nothing inside an agent that Wellkept itself started.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from memory_core.errors import WellkeptError
from memory_core.server.protocol import GUARD

if TYPE_CHECKING:
    from memory_core.hooks.clients.form import Form
    from memory_core.hooks.clock import Clock
    from memory_core.hooks.payload import Payload

_PATIENCE = 5.0  # seconds that leaving a small file may take on a disk that hardly moves


def main() -> None:
    """Run one hook; the console script `wellkept-hook`. Never returns."""
    try:
        if not os.environ.get(GUARD):
            _shield()
            _run(*_parsed(sys.argv[1:]))
    except BaseException:
        pass  # the client must neither see a traceback nor be stopped by one
    finally:
        os._exit(0)


def _shield() -> None:
    """A polite end is an end with 0, closed streams are harmless, standard error is silent."""
    os.umask(0o077)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        try:
            os.fstat(stream)
        except OSError:
            os.dup2(nowhere, stream)
    os.dup2(nowhere, 2)


def _run(event: str, client: str) -> None:
    from memory_core.hooks import clients

    form = clients.adapter(client)
    if form is None:
        return None
    if event in ("back", "session-end"):
        return _leave(event, form)
    if event in ("front", "session-start"):
        return _inject(event, form)
    return None


def _leave(event: str, form: Form) -> None:
    """Leave what happened for later; says nothing, not even of a failure."""
    from memory_core.hooks import back, clock, output, payload, session_end

    output.watch(clock.Clock(clock.start().started, _PATIENCE), b"")
    given = form.parse(event, payload.read())
    if given is not None:
        (back if event == "back" else session_end).run(given)


def _inject(event: str, form: Form) -> None:
    from memory_core.hooks import clock, output, render

    running = clock.start()
    output.watch(running, form.injection(event, render.too_slow(running.limit)))
    seen: list[Payload] = []
    output.emit(form.injection(event, _text(event, form, running, seen)))
    from memory_core.hooks import turn

    for given in seen:
        if event == "front":
            turn.begun(given)
        else:
            turn.looked_for()


def _text(event: str, form: Form, running: Clock, seen: list[Payload]) -> str:
    from memory_core.hooks import front, payload, render, session_start

    try:
        given = form.parse(event, payload.read())
        if given is None:
            return ""
        seen.append(given)
        if event == "front":
            return front.text(given, running)
        return session_start.text(given, running)
    except (payload.Unreadable, WellkeptError) as error:
        return render.unavailable(str(error))
    except Exception as error:  # a failure must never look like an empty memory
        return render.unavailable(f"the hook failed with {type(error).__name__}")


def _parsed(arguments: list[str]) -> tuple[str, str]:
    """Event and client; an empty event when the arguments are none of ours."""
    client, rest = "claude-code", list(arguments)
    if "--client" in rest:
        at = rest.index("--client")
        client = "".join(rest[at + 1 : at + 2])
        del rest[at : at + 2]
    return (rest[0], client) if len(rest) == 1 else ("", client)


if __name__ == "__main__":
    main()
