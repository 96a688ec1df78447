"""The command line: twins of the library's calls; heavy imports live inside the commands.

An expected error is one line on standard error and exit code 1; never a traceback.
"""

from __future__ import annotations

import io
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads starve each other when
os.environ.setdefault("GOMP_SPINCOUNT", "0")  # the cores are busy with something else


def main() -> None:
    """Run a command; the console script `wellkept`."""
    os.umask(0o077)  # what is written holds memories and what was said
    if sys.argv[1:2] == ["mcp"]:  # a client waits for it, so nothing else is loaded
        from memory_core.mcp_server import main as relay

        return relay(sys.argv[2:])
    from memory_core.cli.app import app
    from memory_core.errors import WellkeptError

    if isinstance(sys.stdout, io.TextIOWrapper):  # a file name may hold bytes that are no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except WellkeptError as error:
        print(f"wellkept: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        print(f"wellkept: {error.strerror}: {error.filename or 'no file named'}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        print(f"wellkept: {type(error).__name__}: {error} ({_kept()})", file=sys.stderr)
        sys.exit(1)


def _kept() -> str:
    """Where the traceback went, which helps a maintainer and nobody else."""
    import traceback

    from memory_core import paths

    file = paths.log_folder() / "cli.log"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as log:
            traceback.print_exc(file=log)
    except OSError:
        return "this is a fault of wellkept"
    return f"this is a fault of wellkept; its traceback is in {file}"
