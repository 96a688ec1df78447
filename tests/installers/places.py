"""Where a client's files lie in a test, and odd ones to put there."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "install"
PLACES = {  # folder of the data: client, and the file's place in the user's home
    "claude-code": ("claude-code", ".claude/settings.json"),
    "codex-hooks": ("codex", ".codex/hooks.json"),
    "codex-toml": ("codex", ".codex/config.toml"),
    "gemini": ("gemini", ".gemini/settings.json"),
    "opencode": ("opencode", ".config/opencode/opencode.jsonc"),
}


def odd_files(within: Path = DATA) -> list[tuple[str, Path]]:
    """Folder of the data, and file."""
    return [(name, file) for name in PLACES for file in sorted((within / name).glob("*"))]


def placed(folder: str, file: Path, user: Path) -> tuple[str, Path]:
    """Put a copy where the client has it; the client's name and the copy."""
    client, place = PLACES[folder]
    target = user / place
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.read_bytes())
    return client, target


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, and empty folders."""
    found = {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    empty = (one for one in folder.rglob("*") if one.is_dir() and not any(one.iterdir()))
    return found | {f"{one}/": b"" for one in empty}
